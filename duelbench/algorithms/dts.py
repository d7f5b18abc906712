"""D-TS and D-TS+: double Thompson sampling.

The first candidate needs only the side of 1/2 on which each θ¹ falls, and the second is the first itself unless some
θ² exceeds 1/2. So what is drawn are votes (``kernels/votes.py``), as few as settle who leads (``kernels/election.py``),
and values of θ, given their side, only where two arms exceed 1/2 in the second phase or D-TS+ breaks a tie. With a
single contender in C its votes cannot matter and are not drawn.

Hold. Let G be the contenders with most votes if every vote falls on its likely side, so far as nobody tells their
self-duels apart (``Algorithm.overlook``; always true of a single arm); others that are alike may be counted in. A few
*deciding* votes, on their likely sides, leave only G to lead: those that one arm of G wins, and for every contender
outside G so many that it loses that it must fall behind. Let every round have second votes against *all* of G, of
which only those against the first candidate are real. Call a round *calm* when the deciding votes fall on their likely
sides and nobody exceeds 1/2 against any arm of G. A calm round is a self-duel of some arm of G and changes nothing.
Rounds are independent while the counts and the confidence sets stand still, so the number of calm rounds is geometric,

    P(calm) = Π(1 − ε) · Π over a in G of (1 − ε_a),      ε_a: someone exceeds 1/2 against a,

drawn without looking at how many rounds are left and cut where a decided pair turns undecided (after a cut it is
drawn again: the geometric distribution has no memory). In the round that ends the calm, either a deciding vote
deviates, with its conditional probability, and the first deviating one is drawn by its own, the later ones and all
others freely. Or they are all on their likely sides and the set S of arms of G against whom someone exceeds 1/2 is not
empty: S is drawn so, then the first candidate is elected, in which those second votes have no part; only if it is in S
someone exceeds 1/2 against it, else the round is a self-duel of an arm of G after all. So if no leader is in S it need
not be known which of them D-TS+ prefers.

If several arms have most likely votes and their self-duels are told apart, D-TS (whose ties are broken uniformly) holds
differently: all votes of these arms are deciding, so that they are elected together, and each has its share of the
quiet rounds. Now ``P(quiet) = Π(1 − ε) · mean of (1 − ε_a)``, given quiet the first is a with probability
proportional to 1 − ε_a, so the rounds of a hold are divided multinomially, and in the round that ends it, if no
deciding vote deviates, a is the first with probability proportional to ε_a. D-TS+ breaks ties by the values of θ¹: its
shares are unknown, and it plays such rounds one by one.

Such holds are short where an arm x leads with others and is all but never preferred, so that nobody learns that someone
may exceed 1/2 against it. When several rounds ended a hold of D-TS+ in vain, G is taken without x and all votes of G
are deciding; x is let lead, but D-TS+ prefers it only in rounds in which certain tails of θ¹ are *proposed*, at a rate
λ (``kernels/outsider.py``). Then

    P(calm) = Π(1 − ε) · Π over a in G of (1 − ε_a) · (1 − ε_x λ),

and a round in which no deciding vote deviates and nobody exceeds 1/2 against an arm of G is one in which tails are
proposed and someone exceeds 1/2 against x.

Looking ahead costs as much as a few rounds, so after it was in vain some rounds are played before it is tried again;
that depends on nothing that is yet to be drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Floats, Ints
from duelbench.kernels.confidence import Comparisons, advance, no_comparisons, record
from duelbench.kernels.draws import pick
from duelbench.kernels.election import (
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
from duelbench.kernels.jit import kernel, rare_kernel
from duelbench.kernels.outsider import (
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
from duelbench.kernels.shared_hold import pay, share
from duelbench.kernels.votes import Votes, no_votes, value_above_half, vote_results

LARGEST_DEVIATION = 0.8
"""Above this chance of a deviating round, rounds are played one by one."""
LONGEST_REST = 15
"""Rounds that are played, at most, before another look ahead when the last ones were in vain."""
PATIENCE = 32
"""Rounds that end a hold in vain before outsiders are set apart, which costs as much; next time, four times this."""
NEGLIGIBLE = 0.25
"""Share of the deviating rounds that a regular may cause, or a contender's chance to lead, not to be set apart."""

# Places in DtsState.forecast.
FIRST_PHASE, SECOND_PHASE, ROUND, LOG_QUIET = range(4)
# Places in DtsState.flags.
CURRENT, DUE, SHARED = range(3)
# Places in DtsState.rest.
LEFT, LENGTH = range(2)
# Places in DtsPlusState.vain.
ROUNDS, PATIENT, APART = range(3)


class DtsState(NamedTuple):
    """Counts, votes, and what follows from them until the next informative duel.

    ``forecast`` has the chance that the first phase ends a hold, that the second one does if the first does not, that
    the round does (1 when rounds are played one by one), and log(1 − that). ``stray[a]`` is ε_a for arms that may lead
    in a hold. ``flags``: whether all this is current, whether the round to come is known to end a hold, and whether
    several leaders share it. ``rest`` counts rounds until the next look ahead. ``alike[i, j]``: nobody tells self-duels
    of i from those of j. ``disturbed[a]``: a is in S. ``owed[a]`` self-duels of a are left of a shared hold. ``found``
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
    alike: Flags
    disturbed: Flags
    owed: Ints
    found: Ints


@kernel
def may_be_second(state: DtsState, i: int, first: int) -> bool:
    """Line 14: i is not the first and does not beat it with confidence."""
    return i != first and state.comparisons.sign[i, first] <= 0


@kernel
def chance_of_rival(state: DtsState, first: int) -> float:
    """Return the chance that someone exceeds 1/2 in the second phase."""
    stray = 0.0
    for i in range(state.owed.shape[0]):
        if may_be_second(state, i, first):
            stray += (1.0 - stray) * state.votes.chance[i, first]
    return stray


@kernel
def count_in_alike(state: DtsState) -> None:
    """Let contenders that are alike the likely leaders lead too, where that disturbs fewer rounds."""
    likely, votes = state.election.likely, state.votes
    arms = state.owed.shape[0]
    most = votes.ahead[likely[0]]
    for k in range(state.election.contenders[arms]):
        i = state.election.contenders[k]
        if votes.ahead[i] < most and state.alike[i, likely[0]]:
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
    arms = state.owed.shape[0]
    find_contenders(election, state.comparisons.losses)
    leaders = find_likely_leaders(election, state.votes)
    shared = False
    for k in range(1, leaders):
        shared = shared or not state.alike[election.likely[0], election.likely[k]]
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
    count = state.election.leaders[state.owed.shape[0]]
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
    if state.election.contenders[state.owed.shape[0]] == 1:
        return int(state.election.contenders[0])
    open_poll(state.election)
    return lead(state, rng)


@kernel
def second(state: DtsState, first: int, left: float, rng: np.random.Generator) -> int:
    """Lines 13–14: the candidate with the largest θ² against ``first``, the first itself at 1/2.

    With ``left`` ≥ 0 the votes are drawn given that someone exceeds 1/2: ``left`` is uniform below the chance of that.
    """
    arms = state.owed.shape[0]
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
    last = likely[state.owed.shape[0]] - 1
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
    for k in range(state.election.likely[state.owed.shape[0]]):
        a = state.election.likely[k]
        if left < 0.0:
            state.disturbed[a] = rng.random() < state.stray[a]
        else:
            state.disturbed[a] = left < calm_so_far * state.stray[a]
            left -= calm_so_far * state.stray[a]
            calm_so_far *= 1.0 - state.stray[a]
            if state.disturbed[a]:
                left = -1.0


@rare_kernel
def deviating_round(state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Play the round that ends a hold: some vote is known to fall on its unlikely side."""
    election, votes = state.election, state.votes
    arms = state.owed.shape[0]
    left = rng.random() * state.forecast[ROUND]
    if left < state.forecast[FIRST_PHASE]:
        cast_deciding_votes(election, votes, left, rng)
        first = lead(state, rng)
        return first, second(state, first, -1.0, rng)
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
        first, other, count = pay(state.owed, last - t + 1)
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
        longest = min(last, state.comparisons.clock[1] - 1) - t + 1
        log_quiet = state.forecast[LOG_QUIET]
        quiet = math.log(1.0 - rng.random()) / log_quiet if log_quiet < 0.0 else np.inf
        if quiet >= 1.0:
            state.flags[DUE] = quiet < longest
            count = int(quiet) if quiet < longest else longest
            if state.flags[SHARED]:
                leaders = int(state.election.likely[state.owed.shape[0]])
                share(state.owed, state.election.likely, leaders, state.stray, count, rng)
                return pay(state.owed, count)
            return state.election.likely[0], state.election.likely[0], count
    state.flags[DUE] = False
    return 0, 0, 0


@kernel
def select(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are quiet."""
    first, other, count = hold(state, t, last, rng)
    if count == 0:
        first, other = deviating_round(state, rng)
        count = 1
    return first, other, count


@kernel
def update(state: DtsState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    if first == second:
        return
    won, lost = state.comparisons.wins[first, second], state.comparisons.wins[second, first]
    vote_results(state.votes, first, second, won, lost, wins, count - wins)
    record(state.comparisons, first, second, wins, count)
    state.flags[CURRENT] = False


class Dts(Algorithm):
    """Both arms by Thompson sampling, among those that confidence bounds leave."""

    name = "d-ts"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, Algorithm 1"
    regret_order = "K² log T; K log T + K² log log T with a Condorcet winner"
    State = DtsState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsState:
        """Return the state before the first round."""
        return start(arms, self.alpha, plus=False)

    def overlook(self, state: DtsState, alike: Flags) -> None:
        """Let any of several alike leaders answer for a hold that they share."""
        state.alike[:] = alike


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
        alike=np.zeros((arms, arms), np.bool_),
        disturbed=np.zeros(arms, np.bool_),
        owed=np.zeros(arms, np.int64),
        found=np.zeros(arms, np.int64),
    )


class DtsPlusState(NamedTuple):
    """The state of D-TS, and outsiders.

    ``parties`` lists regulars, outsiders and the rest. ``vain`` counts rounds that ended a hold in vain, and has how
    many of them it takes to set outsiders apart (again), and whether they are. ``limit[0]`` is that of the last
    division that served, 0 before.
    """

    dts: DtsState
    parties: Ints
    outsiders: Outsider
    vain: Ints
    limit: Floats


@rare_kernel
def set_outsiders_apart(state: DtsPlusState, limit: float, most: float) -> bool:
    """Hold for regulars, and for outsiders as long as they are not even proposed; tell whether that succeeds.

    A regular causes a round in 1 / ``limit`` at most to deviate, and contenders that may lead in more rounds are set
    apart. If more than a share ``most`` of the rounds would deviate nothing is changed but the room to work in.
    """
    dts, parties = state.dts, state.parties
    election, votes = dts.election, dts.votes
    arms = dts.owed.shape[0]
    for k in range(election.contenders[arms]):
        i = election.contenders[k]
        dts.stray[i] = chance_of_rival(dts, i)
    if not divide(parties, election, votes, dts.stray, dts.alike, limit):
        return False
    first_phase = find_sure_votes(parties, election, votes, most)
    second_phase = 0.0
    for k in range(parties[REGULARS, arms]):
        second_phase += (1.0 - second_phase) * dts.stray[parties[REGULARS, k]]
    if first_phase + second_phase > most:
        return False
    proposal = 0.0
    for k in range(parties[OUTSIDERS, arms]):
        outsider = outsider_at(state.outsiders, k)
        proposal += gather(outsider, parties, k, election, dts.comparisons, votes, dts.stray)
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
    arms = dts.owed.shape[0]
    left = rng.random() * dts.forecast[ROUND]
    if left < dts.forecast[FIRST_PHASE]:
        cast_deciding_votes(election, votes, left, rng)
        first = lead(dts, rng)
        return first, second(dts, first, -1.0, rng)
    outsiders = state.parties[OUTSIDERS]
    proposal = 0.0
    for k in range(outsiders[arms]):
        proposal += state.outsiders.rates[k, PROPOSAL]
    disturbed = (dts.forecast[SECOND_PHASE] - proposal) / (1.0 - proposal)
    if rng.random() * dts.forecast[SECOND_PHASE] >= disturbed:
        k = 0 if rng.random() * proposal < state.outsiders.rates[0, PROPOSAL] else 1
        first = outsiders[k]
        if is_preferred(outsider_at(state.outsiders, k), election, dts.comparisons, votes, rng):
            return first, second(dts, first, rng.random() * dts.stray[first], rng)
        return regulars[0], regulars[0]
    draw_disturbed(dts, rng.random() * disturbed, rng)
    cast_deciding_votes(election, votes, -1.0, rng)
    first = lead(dts, rng)
    for k in range(regulars[arms]):
        if regulars[k] == first:
            if not dts.disturbed[first]:
                return first, first
            return first, second(dts, first, rng.random() * dts.stray[first], rng)
    return first, second(dts, first, -1.0, rng)


@rare_kernel
def reconsider(state: DtsPlusState) -> None:
    """Set outsiders apart, or others than before; or else do as before."""
    forecast = state.dts.forecast
    limit = NEGLIGIBLE * forecast[ROUND]
    if set_outsiders_apart(state, limit, forecast[ROUND] / 2.0):
        state.limit[0] = limit
        state.vain[PATIENT] *= 4
        return
    state.vain[APART] = 0
    look_ahead(state.dts)
    if state.limit[0] > 0.0:
        set_outsiders_apart(state, state.limit[0], LARGEST_DEVIATION)


@kernel
def select_plus(state: DtsPlusState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are quiet."""
    dts = state.dts
    if advance(dts.comparisons, t):
        dts.flags[CURRENT] = False
    if not dts.flags[CURRENT]:
        state.vain[APART] = 0
        state.vain[ROUNDS] = 0
        state.vain[PATIENT] = PATIENCE
        state.limit[0] = 0.0
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
    regret_order = Dts.regret_order
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
            limit=np.zeros(1),
        )

    def overlook(self, state: DtsPlusState, alike: Flags) -> None:
        """Hold for several leaders if they are alike."""
        state.dts.alike[:] = alike
