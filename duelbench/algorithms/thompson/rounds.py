"""The rounds of double Thompson sampling, held and played: what D-TS and D-TS+ share.

Why holds are exact is argued in ``dts.py``; line numbers are those of Algorithm 1 of Wu & Liu (2016).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.thompson.election import (
    Election,
    cast_deciding_votes,
    cheapest_leader,
    count_votes,
    doubt_of_losses,
    find_contenders,
    find_deciding_votes,
    find_likely_leaders,
    forget_values,
    no_election,
    open_poll,
)
from duelbench.algorithms.thompson.votes import Votes, no_votes, value_above_half, vote_results
from duelbench.arrays import Flags, Floats, Ints
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.confidence import Comparisons, advance, count_duels, no_comparisons
from duelbench.kernels.draws import pick
from duelbench.kernels.shared_hold import allocate, emit

LARGEST_DEVIATION = 0.8
"""Above this chance of a deviating round, rounds are played one by one."""
LONGEST_REST = 15
"""Rounds that are played, at most, before another look ahead when the last ones were in vain."""

# Places in DtsState.forecast.
FIRST_PHASE, SECOND_PHASE, ROUND, LOG_QUIET = range(4)
# Places in DtsState.flags.
CURRENT, DUE, SHARED = range(3)
# Places in DtsState.rest.
LEFT, LENGTH = range(2)


class DtsState(NamedTuple):
    """Counts, votes, and what follows from them until the next informative duel.

    ``forecast`` has the chance that the first phase ends a hold, that the second one does if the first does not, that
    the round does (1 when rounds are played one by one), and log(1 − that). ``stray[a]`` is ε_a for arms that may lead
    in a hold. ``flags``: whether all this is current, whether the round to come is known to end a hold, and whether
    several leaders share it. ``rest`` counts rounds until the next look ahead. ``equal[i, j]``: nobody tells self-duels
    of i from those of j. ``disturbed[a]``: a is in S. ``pending[a]`` self-duels of a shared hold are left. ``found``
    is room to work in.
    """

    plus: bool
    comparisons: Comparisons
    votes: Votes
    election: Election
    forecast: Floats
    stray: Floats
    flags: Flags
    rest: Ints
    equal: Flags
    disturbed: Flags
    pending: Ints
    found: Ints


@kernel
def may_be_second(state: DtsState, i: int, first: int) -> bool:
    """Line 14: i is not the first and does not beat it with confidence."""
    return i != first and state.comparisons.sign[i, first] <= 0


@kernel
def chance_of_rival(state: DtsState, first: int) -> float:
    """Return the chance that someone exceeds 1/2 in the second phase."""
    stray = 0.0
    for i in range(state.pending.shape[0]):
        if may_be_second(state, i, first):
            stray += (1.0 - stray) * state.votes.chance[i, first]
    return stray


@kernel
def count_in_alike(state: DtsState) -> None:
    """Let contenders that are alike the likely leaders lead too, where that disturbs fewer rounds."""
    likely, votes = state.election.likely, state.votes
    arms = state.pending.shape[0]
    most = votes.ahead[likely[0]]
    for k in range(state.election.contenders[arms]):
        i = state.election.contenders[k]
        if votes.ahead[i] < most and state.equal[i, likely[0]]:
            stray = chance_of_rival(state, i)
            if stray < LARGEST_DEVIATION and stray < doubt_of_losses(votes, i, arms - most):
                likely[likely[arms]] = i
                likely[arms] += 1


@rare_kernel
def look_ahead(state: DtsState) -> None:
    """Work out who leads as long as votes fall on their likely sides, and how likely a round is to deviate."""
    state.flags[CURRENT] = True
    state.forecast[ROUND] = 1.0
    election = state.election
    arms = state.pending.shape[0]
    find_contenders(election, state.comparisons.losses)
    leaders = find_likely_leaders(election, state.votes)
    shared = False
    for k in range(1, leaders):
        shared = shared or not state.equal[election.likely[0], election.likely[k]]
    if shared and state.plus:
        return
    first_phase = 0.0
    if election.contenders[arms] > 1:
        if not shared:
            count_in_alike(state)
        first_phase = find_deciding_votes(election, state.votes, shared, LARGEST_DEVIATION)
        if first_phase > LARGEST_DEVIATION:
            return
    second_phase = 0.0
    for k in range(election.likely[arms]):
        stray = chance_of_rival(state, election.likely[k])
        state.stray[election.likely[k]] = stray
        second_phase += stray / leaders if shared else (1.0 - second_phase) * stray
        if second_phase > LARGEST_DEVIATION:
            return
    if first_phase + (1.0 - first_phase) * second_phase <= LARGEST_DEVIATION:
        state.flags[SHARED] = shared
        foresee(state, first_phase, second_phase)


@kernel
def foresee(state: DtsState, first_phase: float, second_phase: float) -> None:
    """Note how likely a round is to deviate."""
    deviation = first_phase + (1.0 - first_phase) * second_phase
    state.forecast[FIRST_PHASE] = first_phase
    state.forecast[SECOND_PHASE] = second_phase
    state.forecast[ROUND] = deviation
    state.forecast[LOG_QUIET] = math.log1p(-deviation)


@kernel
def look(state: DtsState) -> None:
    """Look ahead, or rest from it."""
    if state.rest[LEFT] > 0:
        state.rest[LEFT] -= 1
        state.forecast[ROUND] = 1.0
        find_contenders(state.election, state.comparisons.losses)
        return
    look_ahead(state)
    state.rest[LENGTH] = min(LONGEST_REST, 2 * state.rest[LENGTH] + 1) if state.forecast[ROUND] == 1.0 else 0
    state.rest[LEFT] = state.rest[LENGTH]


@kernel
def preferred_leader(state: DtsState, rng: np.random.Generator) -> int:
    """Break the tie of the leaders."""
    count = state.election.leaders[state.pending.shape[0]]
    if count > 1 and state.plus:
        forget_values(state.election)
        return cheapest_leader(state.election, state.comparisons, state.votes, rng)
    return pick(state.election.leaders, int(count), rng)


@kernel
def lead(state: DtsState, rng: np.random.Generator) -> int:
    """Line 11: the first candidate, in a poll in which some pairs may have voted."""
    count_votes(state.election, state.votes, rng)
    return preferred_leader(state, rng)


@kernel
def free_first(state: DtsState, rng: np.random.Generator) -> int:
    """Lines 4–11: the first candidate of an unconditioned round."""
    if state.election.contenders[state.pending.shape[0]] == 1:
        return int(state.election.contenders[0])
    open_poll(state.election)
    return lead(state, rng)


@kernel
def second(state: DtsState, first: int, left: float, rng: np.random.Generator) -> int:
    """Lines 13–14: the candidate with the largest θ² against ``first``, the first itself at 1/2.

    With ``left`` ≥ 0 the votes are drawn given that someone exceeds 1/2: ``left`` is uniform below the chance of that.
    """
    arms = state.pending.shape[0]
    wins, votes = state.comparisons.wins, state.votes
    so_far = 1.0
    count = 0
    for i in range(arms):
        if not may_be_second(state, i, first):
            continue
        chance = votes.chance[i, first]
        if left >= 0.0:
            exceeds = left < so_far * chance
            left = -1.0 if exceeds else left - so_far * chance
            so_far *= 1.0 - chance
        else:
            exceeds = rng.random() < chance
        if exceeds:
            state.found[count] = i
            count += 1
    if count == 0:
        return first
    if count == 1:
        return int(state.found[0])
    best, largest = first, 0.5
    for k in range(count):
        i = state.found[k]
        value = value_above_half(wins[i, first], wins[first, i], votes.chance[i, first], votes.mass[i, first], rng)
        if value > largest:
            best, largest = i, value
    return best


@kernel
def pick_by_stray(state: DtsState, rng: np.random.Generator) -> int:
    """Pick one of the arms that share a hold, with weights ``stray``."""
    likely = state.election.likely
    last = likely[state.pending.shape[0]] - 1
    left = rng.random() * state.forecast[SECOND_PHASE] * (last + 1)
    for k in range(last):
        left -= state.stray[likely[k]]
        if left < 0.0:
            return int(likely[k])
    return int(likely[last])


@kernel
def draw_disturbed(state: DtsState, left: float, rng: np.random.Generator) -> None:
    """Draw S: mark the arms of G against whom someone exceeds 1/2, given that there is one.

    ``left`` is uniform below the chance of that.
    """
    calm_so_far = 1.0
    for k in range(state.election.likely[state.pending.shape[0]]):
        a = state.election.likely[k]
        if left < 0.0:
            state.disturbed[a] = rng.random() < state.stray[a]
        else:
            state.disturbed[a] = left < calm_so_far * state.stray[a]
            left -= calm_so_far * state.stray[a]
            calm_so_far *= 1.0 - state.stray[a]
            if state.disturbed[a]:
                left = -1.0


@kernel
def deviating_vote(state: DtsState, left: float, rng: np.random.Generator) -> tuple[int, int]:
    """Play a round in which some deciding vote falls on its unlikely side; ``left`` is uniform below that chance."""
    cast_deciding_votes(state.election, state.votes, left, rng)
    first = lead(state, rng)
    return first, second(state, first, -1.0, rng)


@rare_kernel
def deviating_round(state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Play the round that ends a hold: some vote is known to fall on its unlikely side."""
    election, votes = state.election, state.votes
    arms = state.pending.shape[0]
    left = rng.random() * state.forecast[ROUND]
    if left < state.forecast[FIRST_PHASE]:
        return deviating_vote(state, left, rng)
    first = election.likely[0]
    if state.flags[SHARED]:
        first = pick_by_stray(state, rng)
    elif election.likely[arms] > 1:
        draw_disturbed(state, rng.random() * state.forecast[SECOND_PHASE], rng)
        cast_deciding_votes(election, votes, -1.0, rng)
        count_votes(election, votes, rng)
        calm = 0
        for k in range(election.leaders[arms]):
            a = election.leaders[k]
            if not state.disturbed[a]:  # the calm ones first: their sums of regret are often the smallest
                election.leaders[k] = election.leaders[calm]
                election.leaders[calm] = a
                calm += 1
        first = election.leaders[0]
        if calm < election.leaders[arms]:
            first = preferred_leader(state, rng)
        if not state.disturbed[first]:
            return first, first
    return first, second(state, first, rng.random() * state.stray[first], rng)


@kernel
def hold(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Hold while rounds are calm, or play a round by itself; 0 rounds: the next one is known to end a hold."""
    if state.flags[SHARED]:
        first, other, count = emit(state.pending, last - t + 1)
        if count > 0:
            return first, other, count
    if advance(state.comparisons, t):
        state.flags[CURRENT] = False
    if not state.flags[CURRENT]:
        look(state)
    if not state.flags[DUE]:
        if state.forecast[ROUND] == 1.0:
            first = free_first(state, rng)
            return first, second(state, first, -1.0, rng), 1
        longest = min(last, state.comparisons.clock[0].expiry - 1) - t + 1
        log_quiet = state.forecast[LOG_QUIET]
        quiet = math.log(1.0 - rng.random()) / log_quiet if log_quiet < 0.0 else np.inf
        if quiet >= 1.0:
            state.flags[DUE] = quiet < longest
            count = int(quiet) if quiet < longest else longest
            if state.flags[SHARED]:
                leaders = int(state.election.likely[state.pending.shape[0]])
                allocate(state.pending, state.election.likely, leaders, state.stray, count, rng)
                return emit(state.pending, count)
            return state.election.likely[0], state.election.likely[0], count
    state.flags[DUE] = False
    return 0, 0, 0


@kernel
def update(state: DtsState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    if first == second:
        return
    won, lost = state.comparisons.wins[first, second], state.comparisons.wins[second, first]
    vote_results(state.votes, first, second, won, lost, wins, count - wins)
    count_duels(state.comparisons, first, second, wins, count)
    state.flags[CURRENT] = False


def start(arms: int, alpha: float, plus: bool) -> DtsState:
    """Return the state of D-TS or D-TS+ before the first round."""
    return DtsState(
        plus=plus,
        comparisons=no_comparisons(arms, alpha),
        votes=no_votes(arms),
        election=no_election(arms),
        forecast=np.ones(4),
        stray=np.zeros(arms),
        flags=np.zeros(3, np.bool_),
        rest=np.zeros(2, np.int64),
        equal=np.zeros((arms, arms), np.bool_),
        disturbed=np.zeros(arms, np.bool_),
        pending=np.zeros(arms, np.int64),
        found=np.zeros(arms, np.int64),
    )
