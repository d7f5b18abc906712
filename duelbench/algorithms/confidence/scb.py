"""SCB: scalable Copeland bandits.

SCB eliminates arms by their Copeland scores. ``select`` returns the next pair, with several duels at once while these
cannot decide the pair. The steps are in ``tests/reference/ccb.py``.

Round r has ``T_r = 2^(2^r)`` duels and failure probability ``δ = log(T_r) / T_r``, and forgets all earlier outcomes. It
runs KL arm elimination on a bandit whose reward for arm i is whether i beats a random other arm; the two are duelled
until this is known. The arm that is found duels itself until the round ends.

Readings. The paper's Algorithm 4 is in its supplement, and implementations differ. Both intervals here are the
Kullback–Leibler interval ``{q : m kl(p̂, q) ≤ limit}``, where ``limit = log(4m/x) + 2 log log m`` for a failure
probability x, and the last term counts as 0 while it is negative. *Elimination*: m is the number of rewards, which is
the same for all remaining arms, and x = δ/K. After each pass over the remaining arms, the arms whose upper end is below
the best lower end are dropped. *Pairs*: the winner is known when 1/2 is outside the interval of m duels at x = δ/K².
The probability that the wrong arm ever becomes the known winner is below Σ_m exp(−log(4m/x) − 2 log log m) < 0.65 x.
Within the round, the reward of a known pair costs no duel. *Stop*: when one arm remains, or when all pairs of all
remaining arms are known; then the arm with the most wins is found, with ties broken at random. A pass takes the arms in
increasing order. A reward that is not known when the round ends is discarded.

Limits of the experiments (``alpha``). The paper's experiments cannot have used the limits above. On its five rankers,
the pairs (2, 3) and (3, 4), with gaps of 0.0045 and 0.0033, are decided before an arm is dropped. In the round from
t = 65,813 on, δ = log(2³²) / 2³². A rule that errs with probability at most δ/K², whatever the gap, then needs
log(K²/δ) / kl(p, 1/2) duels of each pair: 1.5e6 in the paper's unit. But its Fig. 1 ends at 1.2e6 and, according to the
paper, cuts off only RUCB's curve. With ``alpha`` = 0.51, the factor of other radii in its experiments,
``limit = α (log 4tK + 2 max(1, log log t))``. For pairs, t is the number of the duel within the round; for elimination,
T_r replaces the first t. Wu and Liu (NIPS 2016), the authors of D-TS, do the same, with rounds of 1000, 10⁶, 10¹², …
duels (``first_round``). This fits the axis, but no theorem covers it: α < 1, and there is no union bound over pairs.

Hold. Once an arm is found, nothing is learned or drawn until the round ends, so the rest of the round is one answer.
Before that, the outcomes of a pair matter only when its winner becomes known. This takes at least as many duels as if
the arm in the lead won all of them. If it wins the next d duels, the test's ``n kl(p̂, 1/2) − limit`` is a convex
function of d, not positive at d = 0. If it is not positive at some d > 0 either, the winner cannot become known within
d duels, whatever their outcomes. (With ``alpha`` the limit grows with t; its value before the d duels is on the safe
side.) So d duels are one answer: the number of wins has the same distribution as with stepping. Rewards of known pairs
are free, so ``select`` draws opponents until a pair is unknown or an arm is found, which happens with probability 1.

Agreement. ``tests/test_catalogue.py`` checks that the path equals the path of the reference implementation, draw for
draw; it compares blocks of duels with stepping in distribution.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Ints, Record, Signs, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER, kl, kl_from_half
from duelbench.kernels.draws import below, pick


class ScbState(NamedTuple):
    """The state of a round.

    ``alpha`` scales the limits of the experiments; 0 selects the limits of the pseudo-code. ``sign[i, j]``: +1 if i is
    known to beat j, −1 if it is known to lose, else 0; ``unknown[i]`` counts the arms whose pair with i is unknown.
    ``rewards[i]`` is the sum of arm i's rewards, and ``remaining[i]`` says whether it remains. ``budget[0]`` has
    ``duels``, T_r, and ``delta``, δ. ``cursor[0]`` has ``end``, the last duel of the round; ``winner``, the arm found
    (−1: none yet); ``first`` and ``second``, the pair that decides the current reward (second −1: not drawn yet);
    ``passes``, the number of the pass; ``n_remaining``, how many arms remain; ``block``, how many duels to ask for at
    once; and ``duels``, the number of duels in the round whose outcomes are known. ``found`` is a buffer for a list.
    """

    alpha: float
    wins: Ints
    sign: Signs
    unknown: Ints
    rewards: Ints
    remaining: Flags
    budget: Record
    cursor: Record
    found: Ints


@kernel
def exploration(m: int, level: float) -> float:
    """Return ``log(4m/x) + 2 log log m`` for the failure probability x = ``level``."""
    limit = math.log(4 * m / level)
    return limit + 2 * math.log(math.log(m)) if m > 2 else limit


@kernel
def in_experiments(alpha: float, bandits: float, t: int) -> float:
    """Return ``α (log 4b + 2 max(1, log log t))``; b = ``bandits`` is t K for pairs, T_r K for elimination."""
    return alpha * (math.log(4 * bandits) + 2 * max(1.0, math.log(math.log(t)) if t > 1 else 0.0))


@kernel
def _limit_of_pairs(state: ScbState, n: int) -> float:
    """Return what ``n kl`` must exceed for the winner of a pair with n duels to be known."""
    arms = state.unknown.shape[0]
    if state.alpha > 0:
        t = state.cursor[0].duels
        return in_experiments(state.alpha, float(t * arms), t)
    return exploration(n, state.budget[0].delta / arms**2)


@kernel
def _limit_of_passes(state: ScbState, m: int) -> float:
    """Return the largest ``m kl`` inside the interval of an arm with m rewards."""
    arms = state.unknown.shape[0]
    if state.alpha > 0:
        return in_experiments(state.alpha, state.budget[0].duels * arms, state.cursor[0].duels)
    return exploration(m, state.budget[0].delta / arms)


@kernel
def _idle_duels(state: ScbState, lead: int, n: int, limit: float) -> int:
    """Return a number of duels, at least 1, of which only the last can make the winner of a pair known.

    The arm in the lead has won ``lead`` of n duels, and ``n kl`` is at most ``limit = _limit_of_pairs(state, n)``. The
    number tried is 3/4 of what follows from ``kl(p, 1/2) ≈ 2 (p − 1/2)²`` and a constant limit.
    """
    difference = 2 * lead - n
    duels = int(min(0.75 * (limit + math.sqrt(limit**2 + 2 * limit * (n - difference)) - difference), 2.0**61))
    m = n + duels
    if duels < 8 or m * kl_from_half((lead + duels) / m) > _limit_of_pairs(state, m):
        return 1
    return duels


@kernel(inline=False)
def _start_round(state: ScbState, t: int) -> None:
    """Forget everything; each round after the first has the square of the last round's number of duels."""
    arms = state.unknown.shape[0]
    for i in range(arms):
        for j in range(arms):
            state.wins[i, j] = 0
            state.sign[i, j] = 0
        state.unknown[i] = arms - 1
        state.rewards[i] = 0
        state.remaining[i] = True
    budget, cursor = state.budget[0], state.cursor[0]
    duels = budget.duels**2 if cursor.end > 0 else budget.duels
    budget.duels = duels
    budget.delta = math.log(duels) / duels
    cursor.end = t - 1 + int(duels) if duels < NEVER else NEVER
    cursor.winner = -1
    cursor.first = 0
    cursor.second = -1
    cursor.passes = 1
    cursor.n_remaining = arms
    cursor.block = 1
    cursor.duels = 0


@kernel
def _everything_known(state: ScbState) -> bool:
    """Return whether all pairs of all remaining arms are known."""
    unknown = 0
    for i in range(state.unknown.shape[0]):
        if state.remaining[i]:
            unknown += state.unknown[i]
    return unknown == 0


@kernel(inline=False)
def _best_score(state: ScbState, rng: np.random.Generator) -> int:
    """Return the remaining arm that is known to beat the most arms, ties at random."""
    arms = state.unknown.shape[0]
    highest = -1
    count = 0
    for i in range(arms):
        if not state.remaining[i]:
            continue
        score = 0
        for j in range(arms):
            if state.sign[i, j] > 0:
                score += 1
        if score > highest:
            highest = score
            count = 0
        if score == highest:
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel(inline=False)
def _eliminate(state: ScbState) -> None:
    """Drop the arms whose upper end is below the best lower end.

    The arm with the largest mean reward has the best lower end. The upper end of a mean below q is itself below q
    exactly when ``m kl(mean, q)`` exceeds the limit.
    """
    arms = state.unknown.shape[0]
    m = state.cursor[0].passes
    limit = _limit_of_passes(state, m)
    most = 0
    for i in range(arms):
        if state.remaining[i]:
            most = max(most, state.rewards[i])
    if most == 0:
        return
    low, high = 0.0, most / m
    while True:  # the lower end is in (low, high]
        middle = (low + high) / 2
        if middle <= low or middle >= high:
            break
        if m * kl(most / m, middle) <= limit:
            high = middle
        else:
            low = middle
    for i in range(arms):
        mean = state.rewards[i] / m
        if state.remaining[i] and mean < high and high < 1.0 and m * kl(mean, high) > limit:
            state.remaining[i] = False
            state.cursor[0].n_remaining -= 1


@kernel
def _next_arm(state: ScbState) -> None:
    """Go to the next remaining arm; after the last one, eliminate arms and begin another pass."""
    arms = state.unknown.shape[0]
    i = state.cursor[0].first + 1
    while i < arms and not state.remaining[i]:
        i += 1
    if i == arms:
        _eliminate(state)
        state.cursor[0].passes += 1
        i = 0
        while not state.remaining[i]:
            i += 1
    state.cursor[0].first = i
    state.cursor[0].second = -1


@kernel(inline=False)
def _seek(state: ScbState, rng: np.random.Generator) -> None:
    """Add the rewards of known pairs until the cursor is at an unknown pair or an arm is found."""
    arms = state.unknown.shape[0]
    cursor = state.cursor[0]
    while True:
        i = cursor.first
        if cursor.second < 0:
            j = below(arms - 1, rng) if arms > 2 else 0
            cursor.second = j + 1 if j >= i else j
        known = state.sign[i, cursor.second]
        if known == 0:
            return
        if known > 0:
            state.rewards[i] += 1
        if _everything_known(state):
            cursor.winner = _best_score(state, rng)
            return
        _next_arm(state)
        if cursor.n_remaining == 1:
            cursor.winner = cursor.first
            return


@kernel
def select(state: ScbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the current pair; once an arm is found, hold to the end of the round."""
    cursor = state.cursor[0]
    if t > cursor.end:
        _start_round(state, t)
    if cursor.winner < 0 and (cursor.second < 0 or state.sign[cursor.first, cursor.second] != 0):
        _seek(state, rng)
    if cursor.winner >= 0:
        return cursor.winner, cursor.winner, min(last, cursor.end) - t + 1
    count = min(cursor.block, min(last, cursor.end) - t + 1)
    cursor.block = 1  # until the outcomes are known
    return cursor.first, cursor.second, count


@kernel
def update(state: ScbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome, and check whether the pair's winner is known now."""
    if first == second:
        return
    state.wins[first, second] += wins
    state.wins[second, first] += count - wins
    state.cursor[0].duels += count
    if state.sign[first, second] != 0:
        return
    won, lost = state.wins[first, second], state.wins[second, first]
    n = won + lost
    limit = _limit_of_pairs(state, n)
    if n * kl_from_half(won / n) <= limit:
        state.cursor[0].block = _idle_duels(state, max(won, lost), n, limit)
        return
    state.sign[first, second] = 1 if won > lost else -1
    state.sign[second, first] = -state.sign[first, second]
    state.unknown[first] -= 1
    state.unknown[second] -= 1


class Scb(Algorithm):
    """Eliminate arms by their Copeland scores, duelling each pair until it is decided; suits many arms."""

    name = "scb"
    title = "SCB"
    citation = "Zoghi, Karnin, Whiteson, de Rijke. Copeland Dueling Bandits. NIPS 2015, Algorithms 2–4"
    assumes = "no ties"
    regret_order = "K log K log T"
    in_order = True
    State = ScbState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float | None = Field(
        None, gt=0, description="as in experiments, 0.51: limits α (log 4tK + 2 max(1, log log t)); else those for δ"
    )
    first_round: int = Field(4, ge=2, le=10**12, description="duels of the first round; each other has their square")

    def start(self, arms: int, horizon: int) -> ScbState:
        """Return the state before the first round."""
        return ScbState(
            alpha=self.alpha or 0.0,
            wins=np.zeros((arms, arms), np.int64),
            sign=np.zeros((arms, arms), np.int8),
            unknown=np.zeros(arms, np.int64),
            rewards=np.zeros(arms, np.int64),
            remaining=np.zeros(arms, np.bool_),
            budget=record(duels=float(self.first_round), delta=1.0),
            cursor=record(end=0, winner=0, first=0, second=0, passes=0, n_remaining=0, block=0, duels=0),
            found=np.zeros(arms, np.int64),
        )
