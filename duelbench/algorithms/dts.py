"""D-TS and D-TS+: double Thompson sampling.

The first candidate needs only the side of 1/2 on which each θ¹ falls, and the second is the first itself unless some
θ² exceeds 1/2. So what is drawn are votes (``kernels/votes.py``), and values of θ, given their side, only where two
arms exceed 1/2 in the second phase or D-TS+ breaks a tie. With a single contender in C its votes cannot matter and are
not drawn.

Hold. If every vote of the first phase falls on its likely side, the leaders W are elected (ties are broken uniformly;
W = C when |C| = 1). A few *deciding* votes already force that: the leaders' own, and for every other contender enough
votes that it loses. Call a round *quiet* when the deciding votes fall on their likely sides and in the second phase
nobody exceeds 1/2 against the leader that was picked. A quiet round is a self-duel of a leader and changes nothing.
Rounds are independent while the counts and the confidence sets stand still, so the number of quiet rounds is
geometric with

    P(quiet) = Π(1 − ε) · mean over a in W of Π(1 − ε_a),

drawn without looking at how many rounds are left and cut where a decided pair turns undecided (after a cut it is
drawn again: the geometric distribution has no memory). Given quiet, the leader is a with probability proportional to
Π(1 − ε_a), so several leaders share the rounds of a hold multinomially. The round that ends the hold has at least one
deviating vote: it falls into the first phase with its conditional probability, and within a phase the first deviating
vote is drawn by its conditional probability, the later ones and those that decide nothing freely. For D-TS+ ties
depend on the values of θ, so it holds only for a single leader.
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
    cast_ballots,
    cast_deviating_ballots,
    cast_likely_ballots,
    cheapest_leader,
    elect_leaders,
    find_contenders,
    find_deciding_votes,
    no_election,
)
from duelbench.kernels.jit import kernel, rare_kernel
from duelbench.kernels.shared_hold import pay, share
from duelbench.kernels.votes import Votes, no_votes, value_above_half, vote_results

LARGEST_DEVIATION = 0.5
"""Above this chance of a deviating round, rounds are played one by one."""

# Places in DtsState.forecast.
FIRST_PHASE, ROUND = range(2)
# Places in DtsState.flags.
CURRENT, DUE = range(2)


class DtsState(NamedTuple):
    """Counts, votes, and what follows from them until the next informative duel.

    ``forecast`` has the chance that the first phase deviates and that the round does (1 when rounds are played one by
    one); ``stray[a]`` that the second phase deviates when a leads. ``flags``: whether all this is current, and whether
    the round to come is known to deviate. ``owed[a]`` self-duels of a are left of a shared hold. ``found`` is room to
    work in.
    """

    plus: bool
    comparisons: Comparisons
    votes: Votes
    election: Election
    forecast: Floats
    stray: Floats
    flags: Flags
    owed: Ints
    found: Ints


@kernel
def may_be_second(state: DtsState, i: int, first: int) -> bool:
    """Line 14: i is not the first and does not beat it with confidence."""
    return i != first and state.comparisons.sign[i, first] <= 0


@rare_kernel
def look_ahead(state: DtsState) -> None:
    """Work out who leads if every vote falls on its likely side, and how likely a round is to deviate."""
    state.flags[CURRENT] = True
    state.forecast[ROUND] = 1.0
    arms = state.comparisons.losses.shape[0]
    chance = state.votes.chance
    log_quiet = 0.0
    if find_contenders(state.election, state.comparisons.losses) == 1:
        state.election.leaders[0] = state.election.contenders[0]
        state.election.leaders[arms] = 1
    else:
        cast_likely_ballots(state.election, state.comparisons.losses, state.votes)
        elect_leaders(state.election)
        if state.plus and state.election.leaders[arms] > 1:
            return
        if not find_deciding_votes(state.election, state.votes, 2 * LARGEST_DEVIATION):
            return
        for i in range(arms):
            for j in range(i + 1, arms):
                if state.election.deciding[i, j]:
                    log_quiet += math.log1p(-min(chance[i, j], chance[j, i]))
    first_phase = -math.expm1(log_quiet)
    second_phase = 0.0
    leaders = state.election.leaders[arms]
    for k in range(leaders):
        a = state.election.leaders[k]
        log_quiet = 0.0
        for i in range(arms):
            if may_be_second(state, i, a):
                if chance[i, a] > LARGEST_DEVIATION:
                    return
                log_quiet += math.log1p(-chance[i, a])
        state.stray[a] = -math.expm1(log_quiet)
        second_phase += state.stray[a] / leaders
    deviation = first_phase + (1.0 - first_phase) * second_phase
    if deviation <= LARGEST_DEVIATION:
        state.forecast[FIRST_PHASE] = first_phase
        state.forecast[ROUND] = deviation


@kernel
def lead(state: DtsState, rng: np.random.Generator) -> int:
    """Line 11: the first candidate, by the votes in ``ballots``."""
    elect_leaders(state.election)
    count = state.election.leaders[state.comparisons.losses.shape[0]]
    if count > 1 and state.plus:
        return cheapest_leader(state.election, state.comparisons, state.votes, rng)
    return pick(state.election.leaders, int(count), rng)


@kernel
def free_first(state: DtsState, rng: np.random.Generator) -> int:
    """Lines 4–11: the first candidate of an unconditioned round."""
    if state.election.contenders[state.comparisons.losses.shape[0]] == 1:
        return int(state.election.contenders[0])
    cast_ballots(state.election, state.comparisons.losses, state.votes, False, rng)
    return lead(state, rng)


@kernel
def second(state: DtsState, first: int, left: float, rng: np.random.Generator) -> int:
    """Lines 13–14: the candidate with the largest θ² against ``first``, the first itself at 1/2.

    With ``left`` ≥ 0 the votes are drawn given that someone exceeds 1/2: ``left`` is uniform below the chance of that.
    """
    arms = state.comparisons.losses.shape[0]
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


@rare_kernel
def deviating_round(state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Play a round in which some vote is known to fall on its unlikely side."""
    arms = state.comparisons.losses.shape[0]
    first_phase = state.forecast[FIRST_PHASE]
    if rng.random() * state.forecast[ROUND] < first_phase:
        cast_deviating_ballots(state.election, state.comparisons.losses, state.votes, first_phase, rng)
        first = lead(state, rng)
        state.flags[CURRENT] = False  # the leaders are now this round's, not the likely ones
        return first, second(state, first, -1.0, rng)
    leaders = state.election.leaders[arms]
    first = state.election.leaders[0]
    if leaders > 1:
        total = 0.0
        for k in range(leaders):
            total += state.stray[state.election.leaders[k]]
        left = rng.random() * total
        for k in range(leaders):
            first = state.election.leaders[k]
            left -= state.stray[first]
            if left < 0.0:
                break
    return first, second(state, first, rng.random() * state.stray[first], rng)


@kernel
def select(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are quiet."""
    first, other, count = pay(state.owed, last - t + 1)
    if count > 0:
        return first, other, count
    if advance(state.comparisons, t):
        state.flags[CURRENT] = False
    if not state.flags[CURRENT]:
        look_ahead(state)
    deviation = state.forecast[ROUND]
    if not state.flags[DUE]:
        if deviation == 1.0:
            first = free_first(state, rng)
            return first, second(state, first, -1.0, rng), 1
        longest = min(last, state.comparisons.clock[1] - 1) - t + 1
        quiet = math.log(1.0 - rng.random()) / math.log1p(-deviation) if deviation > 0.0 else np.inf
        if quiet >= 1.0:
            state.flags[DUE] = quiet < longest
            count = int(quiet) if quiet < longest else longest
            leaders = state.election.leaders[state.election.leaders.shape[0] - 1]
            if leaders == 1:
                return state.election.leaders[0], state.election.leaders[0], count
            share(state.owed, state.election.leaders, leaders, state.stray, count, rng)
            return pay(state.owed, count)
    state.flags[DUE] = False
    first, other = deviating_round(state, rng)
    return first, other, 1


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


class DtsPlus(Algorithm):
    """D-TS with ties for the first arm broken by the smallest estimated regret."""

    name = "d-ts+"
    citation = "Wu, Liu. Double Thompson Sampling for Dueling Bandits. NIPS 2016, section 4.3"
    regret_order = Dts.regret_order
    State = DtsState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(0.51, gt=0, description="confidence constant α of the bounds")

    def start(self, arms: int, horizon: int) -> DtsState:
        """Return the state before the first round."""
        return start(arms, self.alpha, plus=True)


def start(arms: int, alpha: float, plus: bool) -> DtsState:
    """Return the state of D-TS or D-TS+ before the first round."""
    return DtsState(
        plus=plus,
        comparisons=no_comparisons(arms, alpha),
        votes=no_votes(arms),
        election=no_election(arms),
        forecast=np.ones(2),
        stray=np.zeros(arms),
        flags=np.zeros(2, np.bool_),
        owed=np.zeros(arms, np.int64),
        found=np.zeros(arms, np.int64),
    )
