"""D-TS+: D-TS with ties for the first candidate broken by the smallest estimated regret.

The pseudo-code is ``duelbench/reference/dts.py``. Tests compare the two: whole runs and rounds in
``tests/test_thompson.py``, rounds with a rare co-leader in ``tests/test_thompson_rare_co_leaders.py``.

Hold. That of D-TS (``rounds.py``), except that several arms with most likely votes whose self-duels are distinguishable
are played round by round: which of them leads depends on the values of θ¹, so their shares are unknown.

Holds with a rare co-leader, a leader that is almost never preferred, are in ``rare_co_leaders.py``.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.rare_co_leaders import (
    WORTHWHILE,
    DtsPlusState,
    apart_round,
    new_co_leader,
    set_apart,
)
from duelbench.algorithms.thompson.rounds import (
    deviating_round,
    free_round,
    hold,
    is_free,
    look_ahead,
    start,
    update,
)
from duelbench.arrays import Flags, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import advance

PATIENCE = 8
"""Uninformative rounds that end a hold before a rare co-leader is treated separately, which costs as much."""


@kernel
def select_plus(state: DtsPlusState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are uninformative."""
    dts, apart = state.dts, state.apart[0]
    if advance(dts.comparisons, t):
        dts.status[0].current = False
    if not dts.status[0].current:
        apart.current = False
        apart.vain = 0
    first, other, count = hold(dts, t, last, rng)
    if count == 0:
        if apart.current:
            first, other = apart_round(state, rng)
        elif is_free(dts.forecast):
            first, other = free_round(dts, rng)
        else:
            first, other = deviating_round(dts, rng)
    if first == other and count == 0:
        apart.vain += 1
        if apart.vain == PATIENCE and not set_apart(state, WORTHWHILE * dts.forecast[0].p_informative):
            look_ahead(dts)
    return first, other, max(1, count)


@kernel
def update_plus(state: DtsPlusState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    update(state.dts, first, second, wins, count)


class DtsPlus(Algorithm):
    """D-TS with ties for the first arm broken by the smallest estimated regret."""

    name = "d-ts+"
    title = "D-TS+"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, section 4.3"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    learns_off_policy = True
    State = DtsPlusState
    select = staticmethod(select_plus)
    update = staticmethod(update_plus)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsPlusState:
        """Return the state before the first round."""
        return DtsPlusState(
            dts=start(arms, self.alpha, plus=True),
            co_leader=new_co_leader(arms),
            apart=record(vain=0, current=False, p_informative=1.0),
        )

    def merge_equal_self_duels(self, state: DtsPlusState, equal: Flags) -> None:
        """Hold for several leaders if they are equal."""
        state.dts.equal[:] = equal
