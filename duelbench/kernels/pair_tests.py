"""Which of two arms is better: tests that let one pair duel until its share of wins leaves an interval that narrows.

After n duels, w of them won by the first arm, with ``p = w/n − 1/2`` and ``c(n) = sqrt(ln(a n²) / (2n))``, a test
ends when ``p − up > c(n)`` or ``−p − down > c(n)``, at the latest after ``most`` duels. Then the first arm is judged
better when ``p > high``, worse when ``−p > low``, else neither. By name, with the ε, δ of a call:

===========  =============================  ======  ====================  =====  =================  =================
test         paper                          a       most                  up     down               high, low
===========  =============================  ======  ====================  =====  =================  =================
Compare-1    Falahatgar et al., ICML 2017   4/δ     ⌊ln(2/δ)/(2ε²)⌋ + 1   −ε     −ε                 0, 0
Compare-2    Falahatgar et al., NeurIPS'17  4/δ     ⌊2 ln(2/δ)/d²⌋ + 1    m      −m                 m, −m
one of MPI   Busa-Fekete et al., ICML 2014  4K/δ    none                  0      0                  0, 0
one of MPR   the same                       4C/δ    none                  0      0                  0, 0
DI           Ren, Liu, Shroff, ICML 2020    π²/3δ   ⌈2 ln(4/δ)/ε²⌉        s_u    s_d                s + ε/2 of each
ATC          Ren, Liu, Shroff, NeurIPS'19   π²/3δ   ⌈ln(2/δ)/(2ε²)⌉       0      0                  0, 0
===========  =============================  ======  ====================  =====  =================  =================

(Compare-2 has m = (ε_l + ε_u)/2 and d = ε_u − ε_l.) DI reports on which side p left its interval. This is the same,
since c(n) > ε/2 for each n up to the last.

Block. Only *when to stop* depends on the outcomes. In units of wins the boundary is ``b(n) = n c(n)``, which increases,
and a duel moves the lead ``w − n/2 − n up`` by at most ``1/2 − up``. So none of the next s duels can end the test if
``lead + s (1/2 − up) ≤ b(n + 1)``. None of the next s' ≥ s duels can if the inequality also holds with s' and b(n + s),
and so on; likewise on the other side. These duels and one more are a block. Its outcomes may be one binomial draw,
since only its last duel can end the test: n and w at the end are distributed as with stepping
(``tests/test_catalogue.py``).
"""

import math

from duelbench.compiling.jit import kernel
from duelbench.kernels.duels import NEVER, World, block_limit, duel


@kernel
def boundary(scale: float, n: int) -> float:
    """Return b(n) = n c(n), in wins, for n ≥ 1 and ``scale`` = ln a."""
    return math.sqrt(0.5 * n * (scale + 2.0 * math.log(n)))


@kernel
def safe_duels(scale: float, n: int, lead: float, step: float) -> int:
    """Return how many duels after the n-th surely keep a lead that grows by at most ``step`` within the boundary."""
    s = int((boundary(scale, n + 1) - lead) / step)
    for _ in range(3):  # the boundary is farther away at the end of a block, so the block may be longer
        if s < 2:
            break
        s = int((boundary(scale, n + s) - lead) / step)
    return max(0, s)


@kernel(inline=False)
def first_passage(
    world: World, i: int, j: int, scale: float, most: float, up: float, down: float, high: float, low: float
) -> int:
    """Return 1, −1 or 0 if i is better, worse or neither; ``scale`` is ln a, and ``most`` is rounded down."""
    wins, n, last = 0, 0, int(min(most, NEVER))
    while True:
        count = min(last - n, block_limit(world))
        if count > 1:
            excess = wins - 0.5 * n
            above = safe_duels(scale, n, excess - n * up, 0.5 - up)
            below = safe_duels(scale, n, -excess - n * down, 0.5 - down)
            count = min(min(above, below) + 1, count)
        wins += duel(world, i, j, count)
        n += count
        share, radius = wins / n - 0.5, boundary(scale, n) / n
        if share - up > radius or -share - down > radius or n >= last:
            return 1 if share > high else -1 if -share > low else 0


@kernel
def compare_1(world: World, i: int, j: int, epsilon: float, delta: float) -> bool:
    """Compare-1(i, j, ε, δ): return True if i is judged better, False if j is."""
    most = math.log(2.0 / delta) / (2.0 * epsilon**2) + 1.0
    return first_passage(world, i, j, math.log(4.0 / delta), most, -epsilon, -epsilon, 0.0, 0.0) == 1


@kernel
def compare_2(world: World, i: int, j: int, lower: float, upper: float, delta: float) -> bool:
    """Compare-2(i, j, ε_l, ε_u, δ): return True for its answer 2, i is better, and False for 1."""
    middle = (lower + upper) / 2.0
    most = 2.0 / (upper - lower) ** 2 * math.log(2.0 / delta) + 1.0
    return first_passage(world, i, j, math.log(4.0 / delta), most, middle, -middle, middle, -middle) == 1


@kernel
def interval_test(world: World, i: int, v: int, epsilon: float, up: float, down: float, delta: float) -> int:
    """DI(i, v, ε, s_u, s_d, δ): return 1 for "up", −1 for "down" and 0 for "middle"."""
    scale, most = math.log(math.pi**2 / (3.0 * delta)), math.ceil(2.0 / epsilon**2 * math.log(4.0 / delta))
    return first_passage(world, i, v, scale, most, up, down, epsilon / 2.0 + up, epsilon / 2.0 + down)
