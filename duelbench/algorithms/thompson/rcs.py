"""RCS: relative confidence sampling.

RCS duels the winner of a tournament of posterior draws against the arm most likely to beat it; if nobody wins, it takes
the arm that was champion least often. ``tests/reference/rucb.py`` has the pseudo-code, step by step;
``tests/test_thompson_runs.py`` compares the two.

The champion is the arm that beats all others in a tournament of posterior draws. At most one arm does, and the draws of
different pairs are independent, so arm c wins the tournament with probability ``q_c = Π_j P(θ_cj > 1/2)`` and nobody
wins it with probability ``1 − Σ q_c``. One uniform variate decides this, and no θ is drawn.

Hold. Let a be an arm whose pairs are all decided in its favour (there is at most one). A round in which a wins the
tournament is the self-duel (a, a). It changes only how often a was champion, and no later draw of such rounds depends
on this. While the counts and confidence sets do not change, rounds are independent, so the number of rounds that a wins
in a row is geometric; ``1 − q_a`` is computed from the small probabilities that a loses a vote. The number is drawn
independently of how many rounds are left and is cut where a decided pair becomes undecided. (After a cut it is drawn
again, since the geometric distribution is memoryless.) In the round that ends the hold, a does not win: another arm c
wins with probability ``q_c / (1 − q_a)``, else nobody.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import (
    Bounds,
    Comparisons,
    advance,
    challenger,
    count_duels,
    new_bounds,
    new_comparisons,
    renew_bounds,
)
from duelbench.kernels.draws import pick
from duelbench.kernels.posteriors import Posteriors, add_results, new_posteriors


class RcsState(NamedTuple):
    """Counts, votes, and what follows from them until the next informative duel.

    ``sweep[i]`` is q_i. ``chosen[i]``: rounds with i as champion. ``hold[0]`` has ``safe``, the arm that has beaten all
    others with confidence (−1: none); ``log_sweep``, the logarithm of its q; ``current``, whether both are up to date;
    and ``due``, whether the safe arm is known not to win the next round.
    """

    comparisons: Comparisons
    bounds: Bounds
    posteriors: Posteriors
    sweep: Floats
    chosen: Ints
    hold: Record


@kernel(inline=False)
def look_ahead(state: RcsState) -> None:
    """Find the arm that has beaten all others with confidence, and how likely it is to win the tournament."""
    hold = state.hold[0]
    hold.current = True
    hold.safe = -1
    sign, chance = state.comparisons.sign, state.posteriors.chance
    arms = state.sweep.shape[0]
    for i in range(arms):
        if state.comparisons.losses[i] > 0:
            continue
        beaten = 0
        while beaten < arms and (beaten == i or sign[i, beaten] > 0):
            beaten += 1
        if beaten == arms:
            hold.safe = i
            hold.log_sweep = 0.0
            for j in range(arms):
                if j != i:
                    hold.log_sweep += math.log1p(-chance[j, i])
            return


@kernel
def _other_champion(state: RcsState, left: float, safe: int, rng: np.random.Generator) -> int:
    """Return the champion of a round that ``safe`` does not win (−1: anyone may).

    ``left`` is uniform between 0 and the probability of such a round.
    """
    arms = state.sweep.shape[0]
    for c in range(arms):
        if c != safe:
            left -= state.sweep[c]
            if left < 0.0:
                return c
    least = state.chosen[0]
    for c in range(1, arms):
        least = min(least, state.chosen[c])
    count = 0
    for c in range(arms):
        state.bounds.found[count] = c  # no branch, since it would be hard to predict
        count += state.chosen[c] == least
    return pick(state.bounds.found, count, rng)


@kernel
def select(state: RcsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose champion and challenger, or hold while the safe arm wins the tournament."""
    comparisons, hold = state.comparisons, state.hold[0]
    if advance(comparisons, t):
        hold.current = False
    if not hold.current:
        look_ahead(state)
    safe = hold.safe
    chance = 1.0
    if safe >= 0:
        if not hold.due:
            longest = min(last, comparisons.clock[0].expiry - 1) - t + 1
            rounds = math.log(1.0 - rng.random()) / hold.log_sweep if hold.log_sweep < 0.0 else np.inf
            if rounds >= 1.0:
                hold.due = rounds < longest
                count = int(rounds) if rounds < longest else longest
                state.chosen[safe] += count
                return safe, safe, count
        chance = -math.expm1(hold.log_sweep)
    hold.due = False
    c = _other_champion(state, rng.random() * chance, safe, rng)
    state.chosen[c] += 1
    return c, challenger(state.bounds, comparisons, c, t, False, rng), 1


@kernel
def update(state: RcsState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome and renew both arms' chances of winning the tournament."""
    if first == second:
        return
    before = state.comparisons.sign[first, second]
    won, lost = state.comparisons.wins[first, second], state.comparisons.wins[second, first]
    add_results(state.posteriors, first, second, won, lost, wins, count - wins)
    count_duels(state.comparisons, first, second, wins, count)
    renew_bounds(state.bounds, state.comparisons, first, second)
    for i in (first, second):
        q = 2.0  # for the arm itself, whose chance is 1/2
        for j in range(state.sweep.shape[0]):
            q *= state.posteriors.chance[i, j]
        state.sweep[i] = q
    hold = state.hold[0]
    if state.comparisons.sign[first, second] != before or first == hold.safe or second == hold.safe:
        hold.current = False
    hold.due = False  # if feedback is late, it was drawn from other counts


class Rcs(Algorithm):
    """Duel the winner of a tournament of posterior draws against the arm most likely to beat it."""

    name = "rcs"
    title = "RCS"
    citation = (
        "Zoghi, Whiteson, de Rijke, Munos. "
        "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation. WSDM 2014"
    )
    assumes = "Condorcet winner"
    regret_order = "no bound proven"
    learns_off_policy = True
    State = RcsState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> RcsState:
        """Return the state before the first round."""
        return RcsState(
            comparisons=new_comparisons(arms, self.alpha),
            bounds=new_bounds(arms),
            posteriors=new_posteriors(arms),
            sweep=np.full(arms, 0.5 ** (arms - 1)),
            chosen=np.zeros(arms, np.int64),
            hold=record(safe=-1, log_sweep=0.0, current=False, due=False),
        )
