"""D-TS: double Thompson sampling. D-TS+ shares its rounds and holds.

The first candidate wins a vote of posterior draws; the second has the largest draw against the first. ``select``
returns this pair, or a hold.

The code is faster than the pseudo-code in ``tests/reference/dts.py`` and equal to it in distribution, as argued below.
``tests/test_thompson_runs.py`` compares whole runs with it, ``tests/test_thompson.py`` compares single rounds with the
exact distribution of their choice. Line numbers: Algorithm 1 of Wu & Liu (2016).

Free rounds (``free_round``). The first candidate depends only on the side of 1/2 on which each θ¹ falls, and the second
is the first itself unless some θ² exceeds 1/2. So only the sides, the votes, are drawn (``kernels/posteriors.py``), and
only as many as determine the leaders (``election.py``). Values of θ, given their side, are drawn only if several arms
exceed 1/2 in the second phase, or if D-TS+ breaks a tie. If C has one contender, no votes are needed or drawn.

Conditions of a hold (``look_ahead``). Let G be the contenders with the most votes if every vote falls on its likely
side. G must be a single arm or, in D-TS+, arms whose self-duels are indistinguishable (``merge_equal_self_duels``); it
may include other arms equal to them. If a few *deciding* votes fall on their likely sides, only arms of G can lead.
These are the votes that one arm of G is likely to win and, for every contender outside G, as many likely losses as put
it behind. Imagine that every round has second votes against *all* arms of G, although only the votes against the first
candidate are used. A round is *uninformative* if the deciding votes fall on their likely sides and nobody exceeds 1/2
against any arm of G. It is then a self-duel of some arm of G and changes nothing. (An informative round may turn out to
be a self-duel, too.) While the counts and the confidence sets do not change, rounds are independent, so the number of
uninformative rounds in a row is geometric, with

    P(uninformative) = Π(1 − ε) · Π over a in G of (1 − ε_a),

    ε: a deciding vote falls on its unlikely side,      ε_a: someone exceeds 1/2 against a.

Looking ahead costs as much as a few rounds, so after an attempt that gives no hold, some rounds are played before the
next attempt. Their number does not depend on future draws.

The length of a hold (``hold``) is drawn independently of how many rounds are left and is cut where a decided pair
becomes undecided. After a cut it is drawn again, since the geometric distribution is memoryless.

The round that ends a hold (``deviating_round``). There are two cases, with their conditional probabilities. Either a
deciding vote deviates: the first one that does is drawn by its conditional probability, and later deciding votes and
all other votes are drawn freely. Or all deciding votes fall on their likely sides, and S, the set of *challenged* arms
of G, against which someone exceeds 1/2, is not empty. S is drawn given that it is not empty. Then the first candidate
is elected independently of the second votes. If it is in S, someone exceeds 1/2 against it; otherwise the round is a
self-duel of an arm of G after all. So if no leader is in S, it does not matter which of them D-TS+ prefers.

Shared holds. If several arms tie for the most votes on likely sides, D-TS, which breaks ties uniformly, holds
differently. All votes of these arms are deciding, so they are elected together, and each has a share of the
uninformative rounds. So the path of D-TS does not depend on the cost of self-duels. Now
``P(uninformative) = Π(1 − ε) · mean of (1 − ε_a)``, and the first candidate of an uninformative round is arm a with
probability proportional to 1 − ε_a, so the rounds of a hold are divided multinomially. In the round that ends it, if no
deciding vote deviates, the first candidate is arm a with probability proportional to ε_a.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.thompson.election import (
    Election,
    cast_deciding_votes,
    cheapest_leader,
    count_votes,
    failure_bound_of_losses,
    find_contenders,
    find_deciding_votes,
    find_likely_leaders,
    forget_values,
    new_election,
    open_poll,
)
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import allocate, new_shares
from duelbench.kernels.confidence import Comparisons, advance, count_duels, new_comparisons
from duelbench.kernels.draws import pick
from duelbench.kernels.posteriors import Posteriors, add_results, new_posteriors, value_above_half

_LARGEST_P_INFORMATIVE = 0.8
"""If a round is informative with a larger probability, rounds are played one by one."""
_LONGEST_REST = 15
"""The largest number of rounds to play before the next look ahead, if the last ones found no hold."""


class DtsState(NamedTuple):
    """Counts, votes, and what follows from them until the next informative duel.

    ``forecast[0]`` has ``p_vote``, the probability that a deciding vote falls on its unlikely side; ``p_rival``, the
    probability that someone exceeds 1/2 in the second phase if no deciding vote does so; ``p_informative``, the
    probability of either (1 when rounds are played one by one); and ``log_uninformative``, log(1 − p_informative).
    ``p_informative[a]`` is ε_a for arms that may lead in a hold. ``status[0]`` says whether all this is ``current``,
    whether the next round is known to end a hold (``due``), and whether several leaders share the hold (``shared``).
    ``rest[0]`` has ``left``, how many rounds are left until the next look ahead, and ``length``, the number when this
    rest began. ``equal[i, j]``: self-duels of i and j are indistinguishable (never in D-TS). ``challenged[a]``: a is in
    S. ``shares``: the rounds of each arm in a shared hold, see ``blocks``. ``found`` is a buffer.
    """

    plus: bool
    comparisons: Comparisons
    posteriors: Posteriors
    election: Election
    forecast: Record
    p_informative: Floats
    status: Record
    rest: Record
    equal: Flags
    challenged: Flags
    shares: Ints
    found: Ints


# Conditions of a hold.


@kernel
def _may_be_second(comparisons: Comparisons, i: int, first: int) -> bool:
    """Line 14: return whether i is not the first and does not beat it with confidence."""
    return i != first and comparisons.sign[i, first] <= 0


@kernel
def chance_of_rival(comparisons: Comparisons, posteriors: Posteriors, first: int) -> float:
    """Return the probability that someone exceeds 1/2 in the second phase."""
    chance = 0.0
    for i in range(posteriors.ahead.shape[0]):
        if _may_be_second(comparisons, i, first):
            chance += (1.0 - chance) * posteriors.chance[i, first]
    return chance


@kernel
def _count_in_equal(election: Election, comparisons: Comparisons, posteriors: Posteriors, equal: Flags) -> None:
    """Add contenders that are equal to the likely leaders if this makes fewer rounds informative."""
    likely = election.likely
    arms = posteriors.ahead.shape[0]
    most = posteriors.ahead[likely[0]]
    for k in range(election.lengths[0].contenders):
        i = election.contenders[k]
        if posteriors.ahead[i] < most and equal[i, likely[0]]:
            chance = chance_of_rival(comparisons, posteriors, i)
            if chance < _LARGEST_P_INFORMATIVE and chance < failure_bound_of_losses(posteriors, i, arms - most):
                likely[election.lengths[0].likely] = i
                election.lengths[0].likely += 1


@kernel(inline=False)
def look_ahead(state: DtsState) -> None:
    """Find the leaders if votes fall on their likely sides, and the probability that a round is informative."""
    state.status[0].current = True
    state.forecast[0].p_informative = 1.0
    election = state.election
    find_contenders(election, state.comparisons.losses)
    leaders = find_likely_leaders(election, state.posteriors)
    shared = False
    for k in range(1, leaders):
        shared = shared or not state.equal[election.likely[0], election.likely[k]]
    if shared and state.plus:
        return
    p_vote = 0.0
    if election.lengths[0].contenders > 1:
        if not shared:
            _count_in_equal(election, state.comparisons, state.posteriors, state.equal)
        p_vote = find_deciding_votes(election, state.posteriors, shared, _LARGEST_P_INFORMATIVE)
        if p_vote > _LARGEST_P_INFORMATIVE:
            return
    p_rival = 0.0
    for k in range(election.lengths[0].likely):
        a = election.likely[k]
        chance = chance_of_rival(state.comparisons, state.posteriors, a)
        state.p_informative[a] = chance
        p_rival += chance / leaders if shared else (1.0 - p_rival) * chance
        if p_rival > _LARGEST_P_INFORMATIVE:
            return
    if p_vote + (1.0 - p_vote) * p_rival <= _LARGEST_P_INFORMATIVE:
        state.status[0].shared = shared
        foresee(state.forecast, p_vote, p_rival)


@kernel
def foresee(forecasts: Record, p_vote: float, p_rival: float) -> None:
    """Store the probability that a round is informative."""
    forecast = forecasts[0]
    forecast.p_vote = p_vote
    forecast.p_rival = p_rival
    forecast.p_informative = p_vote + (1.0 - p_vote) * p_rival
    forecast.log_uninformative = math.log1p(-forecast.p_informative)


# Free rounds.


@kernel
def is_free(forecast: Record) -> bool:
    """Return whether rounds are played one by one."""
    return forecast[0].p_informative == 1.0  # type: ignore[no-any-return]


@kernel
def _preferred_leader(
    plus: bool, election: Election, comparisons: Comparisons, posteriors: Posteriors, rng: np.random.Generator
) -> int:
    """Line 11: break the tie between the leaders."""
    count = election.lengths[0].leaders
    if count > 1 and plus:
        forget_values(election)
        return cheapest_leader(election, comparisons, posteriors, rng)
    return pick(election.leaders, int(count), rng)


@kernel
def _free_first(state: DtsState, rng: np.random.Generator) -> int:
    """Lines 4–11: return the first candidate of an unconditioned round."""
    election, posteriors = state.election, state.posteriors
    if election.lengths[0].contenders == 1:
        return int(election.contenders[0])
    open_poll(election)
    count_votes(election, posteriors, rng)
    return _preferred_leader(state.plus, election, state.comparisons, posteriors, rng)


@kernel
def second(
    comparisons: Comparisons, posteriors: Posteriors, found: Ints, first: int, left: float, rng: np.random.Generator
) -> int:
    """Lines 13–14: return the arm with the largest θ² against ``first``, where ``first`` itself has 1/2.

    If ``left`` ≥ 0, the votes are drawn given that someone exceeds 1/2; ``left`` is uniform between 0 and the
    probability of this. ``found`` is a buffer.
    """
    wins = comparisons.wins
    so_far = 1.0
    count = 0
    for i in range(posteriors.ahead.shape[0]):
        if not _may_be_second(comparisons, i, first):
            continue
        chance = posteriors.chance[i, first]
        if left >= 0.0:
            exceeds = left < so_far * chance
            left = -1.0 if exceeds else left - so_far * chance
            so_far *= 1.0 - chance
        else:
            exceeds = rng.random() < chance
        if exceeds:
            found[count] = i
            count += 1
    if count == 0:
        return first
    if count == 1:
        return int(found[0])
    best, largest = first, 0.5
    for k in range(count):
        i = found[k]
        value = value_above_half(
            wins[i, first], wins[first, i], posteriors.chance[i, first], posteriors.mass[i, first], rng
        )
        if value > largest:
            best, largest = i, value
    return best


@kernel
def free_round(state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Choose both candidates of an unconditioned round; the contenders must be known."""
    first = _free_first(state, rng)
    return first, second(state.comparisons, state.posteriors, state.found, first, -1.0, rng)


# The round that ends a hold.


@kernel
def _pick_informative_leader(election: Election, p_informative: Floats, left: float) -> int:
    """Return an arm that shares a hold; ``left`` is uniform between 0 and the sum of ``p_informative``."""
    likely = election.likely
    last = election.lengths[0].likely - 1
    for k in range(last):
        left -= p_informative[likely[k]]
        if left < 0.0:
            return int(likely[k])
    return int(likely[last])


@kernel
def _draw_challenged(
    challenged: Flags, election: Election, p_informative: Floats, left: float, rng: np.random.Generator
) -> None:
    """Draw S: mark the arms of G against which someone exceeds 1/2, given that there is one.

    ``left`` is uniform between 0 and the probability of this.
    """
    nobody_so_far = 1.0
    for k in range(election.lengths[0].likely):
        a = election.likely[k]
        if left < 0.0:
            challenged[a] = rng.random() < p_informative[a]
        else:
            challenged[a] = left < nobody_so_far * p_informative[a]
            left -= nobody_so_far * p_informative[a]
            nobody_so_far *= 1.0 - p_informative[a]
            if challenged[a]:
                left = -1.0


@kernel
def _put_unchallenged_first(election: Election, challenged: Flags) -> int:
    """Put the unchallenged leaders first, since they often have the smallest regret sums; return their number."""
    count = 0
    for k in range(election.lengths[0].leaders):
        a = election.leaders[k]
        if not challenged[a]:
            election.leaders[k] = election.leaders[count]
            election.leaders[count] = a
            count += 1
    return count


@kernel(inline=False)
def deviating_round(state: DtsState, rng: np.random.Generator) -> tuple[int, int]:
    """Choose both candidates of the round that ends a hold: some vote falls on its unlikely side."""
    election, comparisons, posteriors, forecast = state.election, state.comparisons, state.posteriors, state.forecast[0]
    shared, likely = state.status[0].shared, election.lengths[0].likely
    left = rng.random() * forecast.p_informative
    deviates = left < forecast.p_vote  # a deciding vote does
    first = election.likely[0]
    if deviates or (likely > 1 and not shared):
        if not deviates:
            left = -1.0
            _draw_challenged(state.challenged, election, state.p_informative, rng.random() * forecast.p_rival, rng)
        cast_deciding_votes(election, posteriors, left, rng)
        count_votes(election, posteriors, rng)
        unchallenged = 0 if deviates else _put_unchallenged_first(election, state.challenged)
        first = election.leaders[0]
        if unchallenged < election.lengths[0].leaders:
            first = _preferred_leader(state.plus, election, comparisons, posteriors, rng)
        if not (deviates or state.challenged[first]):
            return first, first
    elif shared:
        first = _pick_informative_leader(election, state.p_informative, rng.random() * forecast.p_rival * likely)
    exceeded = -1.0 if deviates else rng.random() * state.p_informative[first]
    return first, second(comparisons, posteriors, state.found, first, exceeded, rng)


# The hold.


@kernel
def hold(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Hold while rounds are uninformative. A count of 0 means that the next round is free or known to end a hold."""
    if advance(state.comparisons, t):
        state.status[0].current = False
    if not state.status[0].current:
        rest = state.rest[0]
        if rest.left > 0:
            rest.left -= 1
            state.forecast[0].p_informative = 1.0
            find_contenders(state.election, state.comparisons.losses)
        else:
            look_ahead(state)
            rest.length = min(_LONGEST_REST, 2 * rest.length + 1) if is_free(state.forecast) else 0
            rest.left = rest.length
    if not state.status[0].due:
        if is_free(state.forecast):
            return 0, 0, 0
        longest = min(last, state.comparisons.clock[0].expiry - 1) - t + 1
        log_uninformative = state.forecast[0].log_uninformative
        rounds = math.log(1.0 - rng.random()) / log_uninformative if log_uninformative < 0.0 else np.inf
        if rounds >= 1.0:
            state.status[0].due = rounds < longest
            count = int(rounds) if rounds < longest else longest
            if state.status[0].shared:
                leaders = state.election.lengths[0].likely
                allocate(state.shares, state.election.likely, leaders, state.p_informative, count, rng)
            return state.election.likely[0], state.election.likely[0], count
    state.status[0].due = False
    return 0, 0, 0


@kernel
def update(state: DtsState, first: int, second: int, wins: int, count: int) -> None:
    """Line 17: count the outcome."""
    if first == second:
        return
    won, lost = state.comparisons.wins[first, second], state.comparisons.wins[second, first]
    add_results(state.posteriors, first, second, won, lost, wins, count - wins)
    count_duels(state.comparisons, first, second, wins, count)
    status = state.status[0]
    status.current = False
    status.due = False  # it was drawn from other counts, if ``select`` did not ask for this duel


def start(arms: int, alpha: float, plus: bool) -> DtsState:
    """Return the state of D-TS or D-TS+ before the first round."""
    return DtsState(
        plus=plus,
        comparisons=new_comparisons(arms, alpha),
        posteriors=new_posteriors(arms),
        election=new_election(arms),
        forecast=record(p_vote=1.0, p_rival=1.0, p_informative=1.0, log_uninformative=1.0),
        p_informative=np.zeros(arms),
        status=record(current=False, due=False, shared=False),
        rest=record(left=0, length=0),
        equal=np.zeros((arms, arms), np.bool_),
        challenged=np.zeros(arms, np.bool_),
        shares=new_shares(arms),
        found=np.zeros(arms, np.int64),
    )


@kernel
def select(state: DtsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both candidates, or hold while rounds are uninformative."""
    first, other, count = hold(state, t, last, rng)
    if count > 0:
        return first, other, count
    first, other = free_round(state, rng) if is_free(state.forecast) else deviating_round(state, rng)
    return first, other, 1


class Dts(Algorithm):
    """Choose both arms by Thompson sampling, among the arms that confidence bounds do not exclude."""

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

    def hold_shares(self, state: DtsState) -> Ints:
        """Return the shares of a hold."""
        return state.shares
