"""D-TS: double Thompson sampling.

The pseudo-code, step by step, is ``duelbench/reference/dts.py``; the code here is faster and equal to it in
distribution, as ``rounds.py`` proves, and ``many_arms.py`` for rounds among many arms. Tests compare the two: whole
runs in ``tests/test_thompson_runs.py``, single rounds against the exact distribution of their choice in
``tests/test_thompson.py``, and those among many arms in ``tests/test_thompson_many_arms.py``.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.many_arms import MANY, ManyArms, new_rounds, note_chances, round_of_many
from duelbench.algorithms.thompson.rounds import (
    DtsState,
    deviating_round,
    free_round,
    hold,
    is_free,
    start,
    update,
)
from duelbench.arrays import Flags
from duelbench.compiling.jit import kernel


@kernel
def select(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are uninformative."""
    first, other, count = hold(state, t, last, rng)
    if count > 0:
        return first, other, count
    if not is_free(state.forecast):
        first, other = deviating_round(state, rng)
    else:
        first, other = unheld_round(state.many, state, rng)
    return first, other, 1


@kernel
def unheld_round(many: ManyArms | None, state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Play an unconditioned round, by the word among ``many`` arms."""
    if many is None:  # a separate argument, so that numba compiles only one of the two branches
        return free_round(state, rng)
    return round_of_many(many, state.election, state.comparisons, state.votes, rng)


@kernel
def update_dts(state: DtsState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    chance = state.votes.chance
    before, other = chance[first, second], chance[second, first]
    update(state, first, second, wins, count)
    if first != second:
        note_chances(state.many, state.votes, first, second, before, other)


class Dts(Algorithm):
    """Both arms by Thompson sampling, among those that confidence bounds leave."""

    name = "d-ts"
    title = "D-TS"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, Algorithm 1"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    learns_off_policy = True
    State = DtsState
    select = staticmethod(select)
    update = staticmethod(update_dts)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsState:
        """Return the state before the first round."""
        return start(arms, self.alpha, plus=False, many=new_rounds(arms) if arms > MANY else None)

    def merge_equal_self_duels(self, state: DtsState, equal: Flags) -> None:
        """Allow any of several equal leaders to answer for a hold that they share."""
        state.equal[:] = equal
