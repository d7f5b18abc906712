"""D-TS+: D-TS with ties for the first candidate broken by the smallest estimated regret.

Hold. That of D-TS (``dts.py``), except that several arms with most likely votes whose self-duels are told apart are
played round by round: which of them leads is a matter of the values of θ¹, so their shares are unknown.

Holds are short where arms lead with others and are all but never preferred, so that nobody learns who may exceed 1/2
against them. When several rounds ended a hold in vain, such *outsiders* are set apart (``rare_co_leaders.py``). G is
then the *regulars*: all their votes are deciding, and those that everyone else must lose. An outsider x may lead, but
is preferred only in rounds in which cells of θ¹ are *proposed*, at a rate λ_x:

    P(calm) = Π(1 − ε) · Π over a in G of (1 − ε_a) · (1 − Σ_x ε_x λ_x).

Where self-duels of x are told apart from those of the regulars, ε_x is 1 here: to be preferred is all it takes. A calm
round is a self-duel of a regular, or of an outsider against whom nobody exceeds 1/2. In the round that ends the calm
either a deciding vote deviates; or S is not empty, and nothing is known of outsiders; or else one of them is proposed
and someone exceeds 1/2 against it, and the round is a self-duel if it turns out not to be preferred.

What outsiders there are is looked at only after some rounds, since that costs as much as they do; this depends on
nothing that is yet to be drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.election import cast_deciding_votes
from duelbench.algorithms.thompson.rare_co_leaders import (
    OUTSIDERS,
    PROPOSAL,
    REGULARS,
    REST,
    Outsider,
    divide,
    find_sure_votes,
    gather,
    is_preferred,
    no_outsiders,
    outsider_at,
)
from duelbench.algorithms.thompson.rounds import (
    CURRENT,
    FIRST_PHASE,
    LARGEST_DEVIATION,
    ROUND,
    SECOND_PHASE,
    DtsState,
    chance_of_rival,
    deviating_round,
    deviating_vote,
    draw_disturbed,
    foresee,
    hold,
    lead,
    look_ahead,
    second,
    start,
    update,
)
from duelbench.arrays import Flags, Floats, Ints
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.confidence import advance
from duelbench.kernels.draws import pick_weighted

PATIENCE = 8
"""Rounds that end a hold in vain before outsiders are set apart, which costs as much."""
SOON, LATER = 1, 64
"""As many rounds do where outsiders were set apart before the last duel; next time it takes so many times more."""
NEGLIGIBLE = 0.003
"""Share of the deviating rounds that a regular may cause, or a contender's chance to lead, not to be set apart."""
RELAXED = 2.0
"""Where outsiders were set apart before the last duel, the limit is at most so many times the last one."""
ATTEMPTS, COARSER = 3, 8.0
"""So many limits are tried, each larger by this factor than the one before, with which too much was open."""
UNDIVIDED = 1e-4
"""Share of the deviating rounds in which an outsider may lead in some case that is not worth cells."""

# Places in DtsPlusState.vain.
ROUNDS, PATIENT, APART = range(3)
# Places in DtsPlusState.division.
LIMIT, LAST_LIMIT, DISTURBED = range(3)


class DtsPlusState(NamedTuple):
    """The state of D-TS, and outsiders.

    ``parties`` lists regulars, outsiders and the rest. ``vain`` counts rounds that ended a hold in vain, and has how
    many of them it takes to set outsiders apart (again), and whether they are. ``division`` has the limit of the last
    one that served, 0 before; that of the last one before the last duel, infinite if there is none or it was tried; and
    the chance that someone exceeds 1/2 against a regular.
    """

    dts: DtsState
    parties: Ints
    outsiders: Outsider
    vain: Ints
    division: Floats


@rare_kernel
def set_outsiders_apart(state: DtsPlusState, limit: float, most: float) -> bool:
    """Hold for regulars, and for outsiders as long as they are not even proposed; tell whether that succeeds.

    A regular causes a round in 1 / ``limit`` at most to deviate, and contenders that may lead in more rounds are set
    apart. If more than a share ``most`` of the rounds would deviate it fails, and the deciding votes are lost.
    """
    dts, parties = state.dts, state.parties
    election, votes = dts.election, dts.votes
    arms = dts.pending.shape[0]
    for k in range(election.contenders[arms]):
        i = election.contenders[k]
        dts.stray[i] = chance_of_rival(dts, i)
    if not divide(parties, election, votes, dts.stray, dts.equal, limit):
        return False
    first_phase = find_sure_votes(parties, election, votes, most)
    second_phase = 0.0
    for k in range(parties[REGULARS, arms]):
        second_phase += (1.0 - second_phase) * dts.stray[parties[REGULARS, k]]
    if first_phase + second_phase > most:
        return False
    proposal = 0.0
    for k in range(parties[OUTSIDERS, arms]):
        x = parties[OUTSIDERS, k]
        stray = dts.stray[x] if dts.equal[x, parties[REGULARS, 0]] else 1.0
        outsider = outsider_at(state.outsiders, k)
        proposal += gather(outsider, parties, k, election, dts.comparisons, votes, stray, UNDIVIDED * most)
    state.division[DISTURBED] = second_phase
    second_phase += (1.0 - second_phase) * proposal
    if first_phase + second_phase > most:
        return False
    for k in range(arms + 1):
        election.likely[k] = parties[REGULARS, k]
    state.vain[APART] = 1
    dts.flags[CURRENT] = True
    foresee(dts, first_phase, second_phase)
    return True


@rare_kernel
def apart_round(state: DtsPlusState, rng: np.random.Generator) -> tuple[int, int]:
    """Play the round that ends a hold in which outsiders are set apart."""
    dts, regulars = state.dts, state.parties[REGULARS]
    election, votes = dts.election, dts.votes
    arms = dts.pending.shape[0]
    left = rng.random() * dts.forecast[ROUND]
    if left < dts.forecast[FIRST_PHASE]:
        return deviating_vote(dts, left, rng)
    outsiders = state.parties[OUTSIDERS]
    disturbed = state.division[DISTURBED]
    if rng.random() * dts.forecast[SECOND_PHASE] >= disturbed:
        k = pick_weighted(state.outsiders.rates[:, PROPOSAL], outsiders[arms], rng)
        first = outsiders[k]
        alike = dts.equal[first, regulars[0]]
        if is_preferred(outsider_at(state.outsiders, k), election, dts.comparisons, votes, rng):
            return first, second(dts, first, rng.random() * dts.stray[first] if alike else -1.0, rng)
        return regulars[0], regulars[0]
    draw_disturbed(dts, rng.random() * disturbed, rng)
    cast_deciding_votes(election, votes, -1.0, rng)
    first = lead(dts, rng)
    for k in range(outsiders[arms]):
        if outsiders[k] == first:
            return first, second(dts, first, -1.0, rng)
    if not dts.disturbed[first]:
        return first, first
    return first, second(dts, first, rng.random() * dts.stray[first], rng)


@rare_kernel
def reconsider(state: DtsPlusState) -> None:
    """Set outsiders apart, or others than before; or else do as before."""
    forecast = state.dts.forecast
    limit = min(NEGLIGIBLE * forecast[ROUND], RELAXED * state.division[LAST_LIMIT])
    state.division[LAST_LIMIT] = np.inf
    state.vain[PATIENT] *= LATER
    for _ in range(ATTEMPTS):
        if set_outsiders_apart(state, limit, forecast[ROUND] / 2.0):
            state.division[LIMIT] = limit
            return
        limit *= COARSER
    state.vain[APART] = 0
    if state.division[LIMIT] == 0.0 or not set_outsiders_apart(state, state.division[LIMIT], LARGEST_DEVIATION):
        look_ahead(state.dts)


@kernel
def select_plus(state: DtsPlusState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are quiet."""
    dts = state.dts
    if advance(dts.comparisons, t):
        dts.flags[CURRENT] = False
    if not dts.flags[CURRENT]:
        state.vain[PATIENT] = SOON if state.vain[APART] else PATIENCE
        state.division[LAST_LIMIT] = state.division[LIMIT] if state.vain[APART] else np.inf
        state.vain[APART] = 0
        state.vain[ROUNDS] = 0
        state.division[LIMIT] = 0.0
    first, other, count = hold(dts, t, last, rng)
    if count == 0:
        first, other = apart_round(state, rng) if state.vain[APART] else deviating_round(dts, rng)
    if first == other and (count == 0 or dts.forecast[ROUND] == 1.0):
        state.vain[ROUNDS] += 1
        if state.vain[ROUNDS] == state.vain[PATIENT]:
            reconsider(state)
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
            parties=np.zeros((REST + 1, arms + 1), np.int64),
            outsiders=no_outsiders(arms),
            vain=np.zeros(3, np.int64),
            division=np.zeros(3),
        )

    def merge_equal_self_duels(self, state: DtsPlusState, equal: Flags) -> None:
        """Hold for several leaders if they are equal."""
        state.dts.equal[:] = equal
