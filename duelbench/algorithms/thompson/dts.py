"""D-TS: double Thompson sampling.

The pseudo-code, step by step, is ``duelbench/reference/dts.py``; the code here is faster and equal to it in
distribution, as ``rounds.py`` proves. Tests compare the two: whole runs in ``tests/test_thompson_runs.py``, and single
rounds against the exact distribution of their choice in ``tests/test_thompson.py``.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
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
    first, other = free_round(state, rng) if is_free(state.forecast) else deviating_round(state, rng)
    return first, other, 1


class Dts(Algorithm):
    """Both arms by Thompson sampling, among those that confidence bounds leave."""

    name = "d-ts"
    title = "D-TS"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, Algorithm 1"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    learns_off_policy = True
    version = 2
    State = DtsState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsState:
        """Return the state before the first round."""
        return start(arms, self.alpha, plus=False)

    def merge_equal_self_duels(self, state: DtsState, equal: Flags) -> None:
        """Allow any of several equal leaders to answer for a hold that they share."""
        state.equal[:] = equal
