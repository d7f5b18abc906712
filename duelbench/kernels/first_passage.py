"""Which of two arms is better: tests that duel one pair until its share of wins leaves an interval that narrows.

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
fixed        Lou et al., NeurIPS 2022       ∞       ⌈2 ln(1/δ)/ε²⌉        0      0                  ε/2, ε/2
===========  =============================  ======  ====================  =====  =================  =================

(Compare-2 has m = (ε_l + ε_u)/2 and d = ε_u − ε_l.) DI says on which side p left its interval, which is the same, as
c(n) > ε/2 for each n up to the last.

Block. One pair is duelled on and on, and only *when to stop* depends on the outcomes. In units of wins the boundary is
``b(n) = n c(n)``, which increases, and a duel moves the lead ``w − n/2 − n up`` by at most ``1/2 − up``: none of the
next s duels can end the test when ``lead + s (1/2 − up) ≤ b(n + 1)``, nor of the next s' ≥ s when that holds for s' and
b(n + s), and so on; likewise on the other side. They and one more are a block, whose outcomes may be one binomial draw,
as only its last duel can end the test: n at the end, and w there, are distributed as in stepping
(``tests/test_catalogue.py``). With delayed outcomes every answer is one duel; those of a test that is over are not
counted.
"""

from __future__ import annotations

import math

from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import count_received


@kernel
def boundary(scale: float, n: int) -> float:
    """Return b(n) = n c(n), in wins, for n ≥ 1 and ``scale`` = ln a."""
    return math.sqrt(0.5 * n * (scale + 2.0 * math.log(n)))


@kernel
def room(scale: float, n: int, lead: float, step: float) -> int:
    """Return a number of duels after the n-th in which a lead, growing by at most ``step``, stays in the boundary."""
    s = int((boundary(scale, n + 1) - lead) / step)
    for _ in range(3):  # the boundary is farther away at the end of a block, so the block may be longer
        if s < 2:
            break
        s = int((boundary(scale, n + s) - lead) / step)
    return max(0, s)


NO_LIMIT = 2**62
"""More duels than any run has."""
_FIXED = 1e12
"""A scale with which no test of fewer than 2 · 10¹² duels ends early."""


def new_test() -> Record:
    """Return the place of a test, before the first one.

    ``first``, ``second``: its arms, −1 before there is a test. ``duels``, ``wins``: n and w. ``running``: whether it
    goes on; ``verdict``: then 1, −1 or 0, first arm better, worse, neither. ``scale``: ln a. ``most``, ``up``,
    ``down``, ``high``, ``low``: see above. ``asked``, ``received``, ``start``: see ``kernels.blocks``.
    """
    return record(
        first=-1,
        second=-1,
        duels=0,
        wins=0,
        running=False,
        verdict=0,
        scale=0.0,
        most=0,
        up=0.0,
        down=0.0,
        high=0.0,
        low=0.0,
        asked=0,
        received=0,
        start=0,
    )


@kernel(inline=False)
def begin(test: Record, first: int, second: int, scale: float, most: float) -> None:
    """Begin a test of two arms with an interval around 1/2 and no duels yet; ``most`` is rounded down."""
    this = test[0]
    this.first, this.second = first, second
    this.duels = 0
    this.wins = 0
    this.running = True
    this.scale = scale
    this.most = int(min(most, NO_LIMIT))
    this.up = 0.0
    this.down = 0.0
    this.high = 0.0
    this.low = 0.0
    this.start = this.asked


@kernel(inline=False)
def compare_1(test: Record, i: int, j: int, epsilon: float, delta: float) -> None:
    """Begin Compare-1(i, j, ε, δ): i is better when the verdict is 1, else j."""
    begin(test, i, j, math.log(4.0 / delta), math.log(2.0 / delta) / (2.0 * epsilon**2) + 1.0)
    test[0].up = -epsilon
    test[0].down = -epsilon


@kernel(inline=False)
def compare_2(test: Record, i: int, j: int, lower: float, upper: float, delta: float) -> None:
    """Begin Compare-2(i, j, ε_l, ε_u, δ): it returns 2, i is better, when the verdict is 1, else 1."""
    middle = (lower + upper) / 2.0
    begin(test, i, j, math.log(4.0 / delta), 2.0 / (upper - lower) ** 2 * math.log(2.0 / delta) + 1.0)
    test[0].up = middle
    test[0].down = -middle
    test[0].high = middle
    test[0].low = -middle


@kernel(inline=False)
def interval_test(test: Record, i: int, v: int, epsilon: float, up: float, down: float, delta: float) -> None:
    """Begin DI(i, v, ε, s_u, s_d, δ): "up", "down" and "middle" are the verdicts 1, −1 and 0."""
    scale = math.log(math.pi**2 / (3.0 * delta))
    begin(test, i, v, scale, math.ceil(2.0 / epsilon**2 * math.log(4.0 / delta)))
    test[0].up = up
    test[0].down = down
    test[0].high = epsilon / 2.0 + up
    test[0].low = epsilon / 2.0 + down


@kernel(inline=False)
def fixed_test(test: Record, i: int, j: int, duels: float, margin: float) -> None:
    """Begin a test of exactly so many duels: i is better when it wins more than 1/2 + margin of them."""
    begin(test, i, j, _FIXED, duels)
    test[0].high = margin
    test[0].low = margin


@kernel
def request(test: Record, most: int) -> tuple[int, int, int]:
    """Return the next duels of a running test, at most so many: none but the last can end it."""
    this = test[0]
    count = 1
    if this.asked == this.received:
        n, excess = this.duels, this.wins - 0.5 * this.duels
        above = room(this.scale, n, excess - n * this.up, 0.5 - this.up)
        below = room(this.scale, n, -excess - n * this.down, 0.5 - this.down)
        count = min(min(above, below) + 1, this.most - n, most)
    this.asked += count
    return this.first, this.second, count


@kernel
def answer(state, most: int) -> tuple[int, int, int]:  # type: ignore[no-untyped-def]
    """Return the next duels, at most so many, of any algorithm whose state has ``test`` and ``declared``."""
    winner = state.declared[0].winner
    if winner >= 0:
        return winner, winner, most
    return request(state.test, most)


@kernel
def update(state, first: int, second: int, wins: int, count: int) -> None:  # type: ignore[no-untyped-def]
    """Learn the outcomes, for any algorithm whose state has ``test``, and end the test when they decide it."""
    if first == second:
        return
    this = state.test[0]
    if not (count_received(state.test, count) and this.running):
        return
    this.duels += count
    this.wins += wins
    n = this.duels
    share, radius = this.wins / n - 0.5, boundary(this.scale, n) / n
    if share - this.up > radius or -share - this.down > radius or n >= this.most:
        this.running = False
        this.verdict = 1 if share > this.high else -1 if -share > this.low else 0
