"""D-TS+: D-TS with ties for the first candidate broken by the smallest estimated regret.

The pseudo-code is ``duelbench/reference/dts_plus.py``. Tests compare the two: whole runs and rounds in
``tests/test_thompson.py``, rounds with a rare co-leader in ``tests/test_thompson_rare_co_leaders.py``.

Hold. That of D-TS (``rounds.py``), except that several arms with most likely votes whose self-duels are distinguishable
are played round by round: which of them leads depends on the values of θ¹, so their shares are unknown.

Holds are short if an arm leads with others but is almost never preferred: rounds in which some arm may exceed 1/2
against it then end a hold without an informative duel. After several such rounds, this *rare co-leader* x is treated
separately (``rare_co_leaders.py``). G is then the *sure leaders*, and all their votes are deciding. x may lead, but is
preferred only in rounds in which it is *proposed*, a share λ of all:

    P(uninformative) = Π(1 − ε) · Π over a in G of (1 − ε_a) · (1 − ε_x λ).

An uninformative round is a self-duel of a sure leader, or of x if nobody exceeds 1/2 against it. In the round that ends
the hold either a deciding vote deviates; or S is not empty, and nothing is known of x; or else x is proposed and
someone exceeds 1/2 against it, and the round is a self-duel if it turns out that x is not preferred.

Whether there is such an arm is looked at only after some rounds, since that costs as much as they do; this depends on
nothing that is yet to be drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.rare_co_leaders import (
    OTHERS,
    CoLeader,
    find_groups,
    find_sure_votes,
    is_preferred,
    new_co_leader,
    proposal_rate,
)
from duelbench.algorithms.thompson.rounds import (
    DtsState,
    chance_of_rival,
    deviating_round,
    foresee,
    free_round,
    hold,
    is_free,
    look_ahead,
    second,
    start,
    update,
)
from duelbench.arrays import Flags, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import advance

PATIENCE = 8
"""Uninformative rounds that end a hold before a rare co-leader is treated separately, which costs as much."""
WORTHWHILE = 0.8
"""A rare co-leader is treated separately only if at most this share of the informative rounds remains."""


class DtsPlusState(NamedTuple):
    """The state of D-TS, and a rare co-leader.

    ``apart``: the number of uninformative rounds that ended a hold (``vain``); whether a rare co-leader is treated
    separately (``current``) and, if so, the probability that a round is informative or proposes x
    (``p_informative``).
    """

    dts: DtsState
    co_leader: CoLeader
    apart: Record


@kernel(inline=False)
def set_apart(state: DtsPlusState, limit: float) -> bool:
    """Hold for the sure leaders, and for a rare co-leader as long as it is not proposed.

    Return whether at most a share ``limit`` of the rounds is then informative; if not, the deciding votes are lost.
    """
    dts, co = state.dts, state.co_leader
    election, p_informative = dts.election, dts.p_informative
    if not find_groups(co, election, dts.comparisons, dts.votes, dts.equal):
        return False
    for i in co.order[OTHERS:]:
        p_informative[i] = chance_of_rival(dts.comparisons, dts.votes, i)
    p_vote = find_sure_votes(co, election, dts.votes)
    p_rival = 0.0
    for a in co.order[OTHERS + 1 :]:
        p_rival += (1.0 - p_rival) * p_informative[a]
    if p_vote + p_rival > limit:
        return False
    p_proposed = p_informative[co.order[OTHERS]] * proposal_rate(co, dts.comparisons, dts.votes)
    if p_vote + p_rival + p_proposed > limit:
        return False
    foresee(dts.forecast, p_vote, p_rival)
    forecast = dts.forecast[0]
    forecast.log_uninformative += math.log1p(-p_proposed)
    state.apart[0].p_informative = forecast.p_informative + (1.0 - forecast.p_informative) * p_proposed
    state.apart[0].current = dts.status[0].current = True
    return True


@kernel(inline=False)
def apart_round(state: DtsPlusState, rng: np.random.Generator) -> tuple[int, int]:
    """Play the round that ends a hold with a rare co-leader."""
    dts, co = state.dts, state.co_leader
    rare = co.order[OTHERS]
    if rng.random() * state.apart[0].p_informative < dts.forecast[0].p_informative:
        dts.challenged[rare] = rng.random() < dts.p_informative[rare]
        return deviating_round(dts, rng)
    if is_preferred(co, dts.comparisons, rng):
        exceeded = rng.random() * dts.p_informative[rare]
        return rare, second(dts.comparisons, dts.votes, dts.found, rare, exceeded, rng)
    return dts.election.likely[0], dts.election.likely[0]


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
