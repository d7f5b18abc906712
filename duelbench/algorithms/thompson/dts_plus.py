"""D-TS+: D-TS with ties for the first candidate broken by the smallest estimated regret.

The pseudo-code, literally, is ``duelbench/literal/dts_plus.py``. Tests hold this against it: whole runs and rounds in
``tests/test_algorithms_thompson_dts_plus.py``, rounds with a rare co-leader in
``tests/test_algorithms_thompson_rare_co_leaders.py``.

Hold. That of D-TS (``dts.py``), except that several arms with most likely votes whose self-duels are told apart are
played round by round: which of them leads is a matter of the values of θ¹, so their shares are unknown.

Holds are short where an arm leads with others and is all but never preferred, so that nobody learns who may exceed 1/2
against it. When several rounds ended a hold in vain, this *rare co-leader* x is set apart (``rare_co_leaders.py``).
G is then the *sure leaders*: all their votes are deciding, and those that everyone else must lose. x may lead, but is
preferred only in rounds in which it is *proposed*, a share λ of all:

    P(uninformative) = Π(1 − ε) · Π over a in G of (1 − ε_a) · (1 − ε_x λ).

An uninformative round is a self-duel of a sure leader, or of x if nobody exceeds 1/2 against it. In the round that ends
the hold either a deciding vote deviates; or S is not empty, and nothing is known of x; or else x is proposed and
someone exceeds 1/2 against it, and the round is a self-duel if it turns out that x is not preferred.

Whether there is such an arm is looked at only after some rounds, since that costs as much as they do; this depends on
nothing that is yet to be drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.election import cast_deciding_votes
from duelbench.algorithms.thompson.rare_co_leaders import (
    CoLeader,
    find_groups,
    find_sure_votes,
    is_preferred,
    no_co_leader,
    proposal_rate,
)
from duelbench.algorithms.thompson.rounds import (
    DtsState,
    chance_of_rival,
    deviating_round,
    deviating_vote,
    draw_challenged,
    foresee,
    hold,
    lead,
    look_ahead,
    second,
    start,
    update,
)
from duelbench.arrays import Flags, Record, record
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.confidence import advance

PATIENCE = 8
"""Rounds that end a hold in vain before a rare co-leader is set apart, which costs as much."""
SOON = 1
"""As many do where one was set apart before the last duel."""
WORTHWHILE = 0.8
"""So many of the rounds that were informative may remain so, at most, where a rare co-leader is set apart."""


class DtsPlusState(NamedTuple):
    """The state of D-TS, and a rare co-leader.

    ``apart``: how many ``rounds`` ended a hold in ``vain``, how many of them it takes to set a rare co-leader apart
    (``patience``), whether one is (``current``), and then the chance that S is not empty (``p_challenged``).
    """

    dts: DtsState
    co_leader: CoLeader
    apart: Record


@rare_kernel
def set_apart(state: DtsPlusState) -> None:
    """Hold for the sure leaders, and for a rare one as long as it is not even proposed; or else hold as before."""
    dts = state.dts
    state.apart[0].current = try_apart(state, WORTHWHILE * dts.forecast[0].p_informative)
    if state.apart[0].current:
        dts.status[0].current = True
    else:
        look_ahead(dts)


@rare_kernel
def try_apart(state: DtsPlusState, limit: float) -> bool:
    """Set a rare co-leader apart; tell whether that succeeds with at most ``limit`` of the rounds informative.

    If not the deciding votes are lost.
    """
    dts, co = state.dts, state.co_leader
    election, votes = dts.election, dts.votes
    for k in range(election.lengths[0].contenders):
        i = election.contenders[k]
        dts.p_informative[i] = chance_of_rival(dts, i)
    if not find_groups(co, election, votes, dts.p_informative, dts.equal):
        return False
    p_vote = find_sure_votes(co, election, votes, limit)
    p_challenged = 0.0
    for k in range(co.group[0].sure):
        election.likely[k] = co.sure[k]
        p_challenged += (1.0 - p_challenged) * dts.p_informative[co.sure[k]]
    if p_vote + p_challenged > limit:
        return False
    proposed = dts.p_informative[co.group[0].rare] * proposal_rate(co, election, dts.comparisons, votes)
    p_rival = p_challenged + (1.0 - p_challenged) * proposed
    if p_vote + p_rival > limit:
        return False
    election.lengths[0].likely = co.group[0].sure
    state.apart[0].p_challenged = p_challenged
    foresee(dts, p_vote, p_rival)
    return True


@rare_kernel
def apart_round(state: DtsPlusState, rng: np.random.Generator) -> tuple[int, int]:
    """Play the round that ends a hold in which a rare co-leader is set apart."""
    dts, co = state.dts, state.co_leader
    election, votes = dts.election, dts.votes
    rare = co.group[0].rare
    left = rng.random() * dts.forecast[0].p_informative
    if left < dts.forecast[0].p_vote:
        return deviating_vote(dts, left, rng)
    left = rng.random() * dts.forecast[0].p_rival
    if left >= state.apart[0].p_challenged:
        if is_preferred(co, election, dts.comparisons, votes, rng):
            return rare, second(dts, rare, rng.random() * dts.p_informative[rare], rng)
        return co.sure[0], co.sure[0]
    draw_challenged(dts, left, rng)
    cast_deciding_votes(election, votes, -1.0, rng)
    first = lead(dts, rng)
    if first == rare:
        return first, second(dts, first, -1.0, rng)
    if not dts.challenged[first]:
        return first, first
    return first, second(dts, first, rng.random() * dts.p_informative[first], rng)


@kernel
def select_plus(state: DtsPlusState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are uninformative."""
    dts, apart = state.dts, state.apart[0]
    if advance(dts.comparisons, t):
        dts.status[0].current = False
    if not dts.status[0].current:
        apart.patience = SOON if apart.current else PATIENCE
        apart.current = False
        apart.vain = 0
    first, other, count = hold(dts, t, last, rng)
    if count == 0:
        first, other = apart_round(state, rng) if apart.current else deviating_round(dts, rng)
    if first == other and (count == 0 or dts.forecast[0].p_informative == 1.0):
        apart.vain += 1
        if apart.vain == apart.patience and not apart.current:
            set_apart(state)
    return first, other, max(1, count)


@kernel
def update_plus(state: DtsPlusState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    update(state.dts, first, second, wins, count)


class DtsPlus(Algorithm):
    """D-TS with ties for the first arm broken by the smallest estimated regret."""

    name = "d-ts+"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, section 4.3"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    State = DtsPlusState
    select = staticmethod(select_plus)
    update = staticmethod(update_plus)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsPlusState:
        """Return the state before the first round."""
        return DtsPlusState(
            dts=start(arms, self.alpha, plus=True),
            co_leader=no_co_leader(arms),
            apart=record(vain=0, patience=0, current=False, p_challenged=0.0),
        )

    def merge_equal_self_duels(self, state: DtsPlusState, equal: Flags) -> None:
        """Hold for several leaders if they are equal."""
        state.dts.equal[:] = equal
