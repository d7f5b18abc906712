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
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.draws import pick
from duelbench.kernels.extremes import least_place, most_place
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

    ``contenders`` is C and ``leaders`` is W, each with its length in the last place. ``forecast`` has the chance that
    the first phase deviates and that the round does (1 when rounds are played one by one); ``stray[a]`` that the
    second phase deviates when a leads. ``flags``: whether all this is current, and whether the round to come is known
    to deviate. ``owed[a]`` self-duels of a are left of a shared hold. ``ballots[i, j]`` says that θ¹_ij > 1/2 in this
    round, ``deciding[i, j]`` that the hold rests on this vote of the first phase. ``scores``, ``found`` and ``theta``
    are room to work in.
    """

    plus: bool
    comparisons: Comparisons
    votes: Votes
    contenders: Ints
    leaders: Ints
    forecast: Floats
    stray: Floats
    flags: Flags
    owed: Ints
    ballots: Flags
    deciding: Flags
    scores: Ints
    found: Ints
    theta: Floats


@kernel
def find_contenders(state: DtsState) -> int:
    """Lines 4–6: C, the arms with the highest upper confidence bound of their Copeland score."""
    losses = state.comparisons.losses
    arms = losses.shape[0]
    fewest = losses[least_place(losses)]
    count = 0
    for i in range(arms):
        if losses[i] == fewest:
            state.contenders[count] = i
            count += 1
    state.contenders[arms] = count
    return count


@kernel
def touches_contender(state: DtsState, i: int, j: int) -> bool:
    """Tell whether the vote of the pair can matter to the score of a contender."""
    losses = state.comparisons.losses
    fewest = losses[state.contenders[0]]
    return losses[i] == fewest or losses[j] == fewest  # type: ignore[no-any-return]


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
    if find_contenders(state) == 1:
        state.leaders[0] = state.contenders[0]
        state.leaders[arms] = 1
    else:
        cast_likely_ballots(state)
        elect_leaders(state)
        if state.plus and state.leaders[arms] > 1:
            return
        if not find_deciding_votes(state):
            return
        for i in range(arms):
            for j in range(i + 1, arms):
                if state.deciding[i, j]:
                    log_quiet += math.log1p(-min(chance[i, j], chance[j, i]))
    first_phase = -math.expm1(log_quiet)
    second_phase = 0.0
    leaders = state.leaders[arms]
    for k in range(leaders):
        a = state.leaders[k]
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
def find_deciding_votes(state: DtsState) -> bool:
    """Mark votes that force the leaders as long as they fall on their likely sides; False if they are too doubtful.

    All votes of every leader, if there are several; of a single one only those it is likely to win. Any other
    contender must lose one vote more than the leaders: the most certain ones are taken.
    """
    arms = state.comparisons.losses.shape[0]
    chance, deciding = state.votes.chance, state.deciding
    for i in range(arms):
        for j in range(arms):
            deciding[i, j] = False
    leaders = state.leaders[arms]
    allowed = -1  # votes that a leader loses
    doubt = 0.0
    for k in range(leaders):
        a = state.leaders[k]
        allowed = 0
        for j in range(arms):
            if j == a:
                continue
            if not state.ballots[a, j]:
                allowed += 1
                if leaders == 1:
                    continue
            if not deciding[a, j]:
                doubt += min(chance[a, j], chance[j, a])
                deciding[a, j] = True
                deciding[j, a] = True
        if doubt > 2 * LARGEST_DEVIATION:
            return False
    for k in range(state.contenders[arms]):
        j = state.contenders[k]
        leading = False
        for m in range(leaders):
            leading = leading or state.leaders[m] == j
        needed = allowed + 1
        for i in range(arms):
            if i != j and deciding[i, j] and state.ballots[i, j]:
                needed -= 1
        while needed > 0 and not leading:
            surest = -1
            for i in range(arms):
                if (
                    i != j
                    and state.ballots[i, j]
                    and not deciding[i, j]
                    and (surest < 0 or chance[j, i] < chance[j, surest])
                ):
                    surest = i
            if surest < 0:
                return False
            doubt += chance[j, surest]
            if doubt > 2 * LARGEST_DEVIATION:
                return False
            deciding[surest, j] = True
            deciding[j, surest] = True
            needed -= 1
    return True


@kernel
def elect_leaders(state: DtsState) -> None:
    """Line 11: the contenders with most votes in ``ballots``, in order."""
    arms = state.comparisons.losses.shape[0]
    most = -1
    count = 0
    for k in range(state.contenders[arms]):
        i = state.contenders[k]
        score = 0
        for j in range(arms):
            if j != i and state.ballots[i, j]:
                score += 1
        if score > most:
            most = score
            count = 0
        if score == most:
            state.leaders[count] = i
            count += 1
    state.leaders[arms] = count


@kernel
def cast_ballots(state: DtsState, everyone: bool, rng: np.random.Generator) -> None:
    """Lines 7–10: vote on the pairs that touch C, or on all others."""
    arms = state.comparisons.losses.shape[0]
    for i in range(arms):
        for j in range(i + 1, arms):
            if touches_contender(state, i, j) != everyone:
                state.ballots[i, j] = rng.random() < state.votes.chance[i, j]
                state.ballots[j, i] = not state.ballots[i, j]


@kernel
def cast_deviating_ballots(state: DtsState, rng: np.random.Generator) -> None:
    """Vote on the pairs that touch C given that some deciding vote falls on its unlikely side.

    A remainder of rounding, of probability about 1e-16, leaves all of them on their likely sides.
    """
    arms = state.comparisons.losses.shape[0]
    chance = state.votes.chance
    left = rng.random() * state.forecast[FIRST_PHASE]
    so_far = 1.0
    deviated = False
    for i in range(arms):
        for j in range(i + 1, arms):
            if not touches_contender(state, i, j):
                continue
            if deviated or not state.deciding[i, j]:
                state.ballots[i, j] = rng.random() < chance[i, j]
            else:
                likely = chance[i, j] > 0.5
                doubt = min(chance[i, j], chance[j, i])
                deviated = left < so_far * doubt
                left -= so_far * doubt
                so_far *= 1.0 - doubt
                state.ballots[i, j] = likely != deviated
            state.ballots[j, i] = not state.ballots[i, j]


@kernel
def cast_likely_ballots(state: DtsState) -> None:
    """Let every vote that touches C fall on its likely side."""
    arms = state.comparisons.losses.shape[0]
    for i in range(arms):
        for j in range(i + 1, arms):
            if touches_contender(state, i, j):
                state.ballots[i, j] = state.votes.chance[i, j] > 0.5
                state.ballots[j, i] = not state.ballots[i, j]


@rare_kernel
def cheapest_leader(state: DtsState, rng: np.random.Generator) -> int:
    """D-TS+: the leader with the smallest estimated regret ``Σ_j r̃_ij / kl(θ¹_ij)`` of comparing it with all others.

    The scores are those of the same draws of θ¹, so the pairs that no contender touches vote too; values, given
    their sides, are drawn only where r̃ > 0.
    """
    arms = state.comparisons.losses.shape[0]
    wins, votes = state.comparisons.wins, state.votes
    cast_ballots(state, True, rng)
    for i in range(arms):
        state.scores[i] = 0
        for j in range(arms):
            if j != i and state.ballots[i, j]:
                state.scores[i] += 1
    highest = state.scores[most_place(state.scores)]
    for k in range(state.leaders[arms]):
        i = state.leaders[k]
        for j in range(arms):
            state.theta[i, j] = 0.0
            state.theta[j, i] = 0.0
    least = np.inf
    count = 0
    for k in range(state.leaders[arms]):
        i = state.leaders[k]
        regret = 0.0
        for j in range(arms):
            loss = highest - 0.5 * (state.scores[i] + state.scores[j])
            if j == i or loss == 0.0:
                continue
            if state.theta[i, j] == 0.0:
                high, low = (i, j) if state.ballots[i, j] else (j, i)
                value = value_above_half(
                    wins[high, low], wins[low, high], votes.chance[high, low], votes.mass[high, low], rng
                )
                state.theta[high, low] = value
                state.theta[low, high] = value  # kl(θ) = kl(1 − θ)
            regret += loss / kl_from_half(state.theta[i, j])
        if regret < least:
            least = regret
            count = 0
        if regret == least:
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel
def lead(state: DtsState, rng: np.random.Generator) -> int:
    """Line 11: the first candidate, by the votes in ``ballots``."""
    elect_leaders(state)
    count = state.leaders[state.comparisons.losses.shape[0]]
    if count > 1 and state.plus:
        return cheapest_leader(state, rng)
    return pick(state.leaders, int(count), rng)


@kernel
def free_first(state: DtsState, rng: np.random.Generator) -> int:
    """Lines 4–11: the first candidate of an unconditioned round."""
    if state.contenders[state.comparisons.losses.shape[0]] == 1:
        return int(state.contenders[0])
    cast_ballots(state, False, rng)
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
        cast_deviating_ballots(state, rng)
        first = lead(state, rng)
        state.flags[CURRENT] = False  # the leaders are now this round's, not the likely ones
        return first, second(state, first, -1.0, rng)
    leaders = state.leaders[arms]
    first = state.leaders[0]
    if leaders > 1:
        total = 0.0
        for k in range(leaders):
            total += state.stray[state.leaders[k]]
        left = rng.random() * total
        for k in range(leaders):
            first = state.leaders[k]
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
            leaders = state.leaders[state.leaders.shape[0] - 1]
            if leaders == 1:
                return state.leaders[0], state.leaders[0], count
            share(state.owed, state.leaders, leaders, state.stray, count, rng)
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
        contenders=np.zeros(arms + 1, np.int64),
        leaders=np.zeros(arms + 1, np.int64),
        forecast=np.ones(2),
        stray=np.zeros(arms),
        flags=np.zeros(2, np.bool_),
        owed=np.zeros(arms, np.int64),
        ballots=np.zeros((arms, arms), np.bool_),
        deciding=np.zeros((arms, arms), np.bool_),
        scores=np.zeros(arms, np.int64),
        found=np.zeros(arms, np.int64),
        theta=np.zeros((arms, arms)),
    )
