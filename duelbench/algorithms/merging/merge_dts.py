"""MergeDTS: Thompson sampling within small batches of arms, for many arms.

Only the abstract of the paper was read. The steps are taken from its authors' code, and reproduce their published
regret; ``tests/reference/merging.py`` lists them. Every arm starts with one win in each of its pairs, so
``θ_ij ~ Beta(w_ij, w_ji)``. If several arms of a batch have lost, the code removes one with probability proportional to
the number of arms that it has lost to; here it is a uniformly random one. As in the code, θ_ij and θ_ji are drawn
independently.

The first arm is the one with most θ_ij > 1/2: only whether each exceeds 1/2 matters, which is a Bernoulli draw
(``kernels/posteriors.py``). The second is the one with the smallest draw against the first, that is the arm that is
most likely to be eliminated. So the draws differ from the reference implementation, but the choices have the same
distribution: ``tests/test_merging.py`` compares whole runs, and single rounds with the exact probabilities.

Hold. Elimination is permanent, so the last arm duels itself to the end. For how arms are eliminated see ``batches.py``.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.merging.batches import (
    Batches,
    Losses,
    Merging,
    advance,
    begin_anew,
    count_losers,
    deal,
    is_due,
    join_next,
    keep,
    last_arm,
    learn,
    list_arms,
    merge,
    new_batches,
    new_losses,
)
from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, pick
from duelbench.kernels.posteriors import Posteriors, add_results, new_posteriors


class MergeDtsState(NamedTuple):
    """``offset``: the integer part of C. ``posteriors``: of all θ_ij. ``found``: a buffer for a list of arms."""

    offset: int
    batches: Batches
    losses: Losses
    posteriors: Posteriors
    found: Ints


@kernel
def _eliminate(state: MergeDtsState, rng: np.random.Generator) -> int:
    """Remove arms that have lost from the current batch, one after the other; list the rest and return their number.

    A batch of one arm is first joined by the next batch.
    """
    batches, course = state.batches, state.batches.course[0]
    arms, lost = batches.listed, state.losses.lost
    while True:
        if batches.size[batches.numbers[course.current]] == 1 and course.count > 1:
            join_next(batches)
        b = batches.numbers[course.current]
        n = list_arms(batches, b)
        losers = count_losers(state.losses, arms, n)
        if losers == 0:
            return n
        place = below(losers, rng) if losers > 1 else 0
        left = 0
        for k in range(n):
            out = lost[k] and place == 0
            place -= lost[k]
            if not out:
                arms[left] = arms[k]
                left += 1
        keep(batches, b, left)


@kernel
def likely_winner(state: MergeDtsState, n: int, rng: np.random.Generator) -> int:
    """Return the listed arm i with most θ_ij > 1/2; ties at random."""
    arms, chance = state.batches.listed, state.posteriors.chance
    most, ties = -1, 0
    for k in range(n):
        i = arms[k]
        ahead = 0
        for m in range(n):
            if m != k:
                ahead += rng.random() < chance[i, arms[m]]
        if ahead > most:
            most, ties = ahead, 0
        if ahead == most:
            state.found[ties] = i
            ties += 1
    return pick(state.found, ties, rng)


@kernel
def likely_loser(state: MergeDtsState, n: int, c: int, rng: np.random.Generator) -> int:
    """Return the listed arm j ≠ c with the smallest θ_jc."""
    arms, wins = state.batches.listed, state.losses.wins
    if n == 2:
        return arms[0] + arms[1] - c  # type: ignore[no-any-return]
    least, d = 2.0, -1
    for k in range(n):
        j = arms[k]
        if j != c:
            theta = rng.beta(wins[j, c] + 1.0, wins[c, j] + 1.0)
            if theta < least:
                least, d = theta, j
    return d


@kernel
def select(state: MergeDtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the likely winner of the next batch with its likely loser; hold when one arm is left."""
    batches, course = state.batches, state.batches.course[0]
    if course.count == 0:
        deal(batches, rng)
    n = 1
    if course.left > 1:
        advance(state.losses, t)
        course.current = (state.offset + t - state.losses.clock[0].start) % course.count
        n = _eliminate(state, rng)
    if course.left == 1:
        winner = last_arm(batches)
        return winner, winner, last - t + 1
    c = likely_winner(state, n, rng)
    d = likely_loser(state, n, c, rng)
    if is_due(batches):
        merge(batches, rng)
        begin_anew(state.losses, t)
    return batches.arm[c], batches.arm[d], 1


@kernel
def update(state: MergeDtsState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first == second:
        return
    i, j = state.batches.place[first], state.batches.place[second]
    add_results(state.posteriors, i, j, state.losses.wins[i, j], state.losses.wins[j, i], wins, count - wins)
    learn(state.losses, i, j, wins, count)


class MergeDts(Merging):
    """Thompson sampling within small batches, which are merged as arms are eliminated."""

    name = "merge-dts"
    title = "MergeDTS"
    citation = (
        "Li, Markov, de Rijke, Zoghi. MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation. "
        "ACM Transactions on Information Systems 2020"
    )
    State = MergeDtsState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.262144, gt=0, description="confidence constant α of the bounds; 1.01 in the theory")
    batch: int = Field(16, ge=4, description="arms in a batch M, before the first merge; 4 in the theory")
    C: float | None = Field(
        400_000.0, ge=1, description="constant C of log(t + C); null, as in the theory: by its formula from α, δ and K"
    )

    def start(self, arms: int, horizon: int) -> MergeDtsState:
        """Return the state before the first round."""
        log_constant = self.log_constant(arms)
        C = self.C if self.C is not None else math.exp(min(log_constant, 700.0))
        return MergeDtsState(
            offset=int(min(C, 2.0**53)),  # beyond that t + C is C
            batches=new_batches(arms, self.batch),
            losses=new_losses(arms, self.alpha, log_constant, 1),
            posteriors=new_posteriors(arms),
            found=np.zeros(arms, np.int64),
        )
