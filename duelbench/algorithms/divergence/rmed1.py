"""RMED1, RMED2, RMED2FH: relative minimum empirical divergence.

The next list is built after each round of the current one, from the counts of that moment; ``select`` does it at the
start of the following round, when the outcome is known.

Hold. When the list is {i*}, nobody has won half of its duels against i* (O_{i*} is empty, so I* = 0) and no other
arm has I_j − I* ≤ log t + f(K), the round is (i*, i*), teaches nothing, and leaves the list {i*}. Only log t moves, so
this repeats up to and including the first round t at which some j satisfies the inequality: the list that is
built after that round is longer. Nothing is drawn: the path is the very one of stepping.

RMED2 and RMED2FH choose other opponents, but O_{i*} empty leaves all three the same choice (i*, i*). RMED2 moreover
duels pairs with n < α log log t before anything else, so its hold ends before the first round at which α log log t
exceeds the number of duels that every pair has.

Readings. The COLT paper's listing tests n < α log log t at the start of each pass over a list, its text in every
round; here it is every round, and the first such pair in lexicographic order. RMED2FH duels all pairs in turn, in
⌈α log log T⌉ passes (at least one), and fixes each b*(i) after them. Where b* is undefined, because p̂[i, j] < 1/2 for
no j, the opponent is RMED1's. The numerator of b* may be negative.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.extremes import least_place
from duelbench.kernels.thresholds import first_round_beyond_log_log, first_round_reaching

# Places in RmedState.cursor.
FIRST, SECOND, POSITION, LENGTH, NEXT_LENGTH, PENDING = range(6)
# Places in Rmed2State.quota.
PASSES, CHOSEN, LEVEL, RISE, ROW, COLUMN = range(6)


class RmedState(NamedTuple):
    """Counts, divergences and the two lists.

    ``rate[i, j]`` is p̂_ij, 1/2 for a pair never duelled, 1 for i = j. ``divergence[i, j] = n kl(p̂_ij, 1/2)`` where
    j ∈ O_i, else 0; ``indices[i]`` is I_i, its sum over j. ``current`` and ``upcoming`` hold LC and the next list in
    order; ``remaining`` is LR; ``listed`` marks the next list. ``cursor``: the pair of the initial phase, the place in
    LC, the lengths of both lists, and whether the last round was of the loop and its candidates are still to be added.
    """

    f: float
    wins: Ints
    rate: Floats
    divergence: Floats
    indices: Floats
    current: Ints
    upcoming: Ints
    remaining: Flags
    listed: Flags
    cursor: Ints


@kernel
def start_list(state: RmedState) -> None:
    """Make the upcoming list the current one: LC = LR = the next list."""
    length = state.cursor[NEXT_LENGTH]
    for k in range(length):
        state.current[k] = state.upcoming[k]
    for j in range(state.indices.shape[0]):
        state.remaining[j] = state.listed[j]
        state.listed[j] = False
    state.cursor[POSITION] = 0
    state.cursor[LENGTH] = length
    state.cursor[NEXT_LENGTH] = 0


@kernel
def add_candidates(state: RmedState, best: int, t: int) -> None:
    """After round t of the loop: list every arm outside LR whose index is within log t + f(K) of that of i*."""
    limit = math.log(t) + state.f
    smallest = state.indices[best]
    for j in range(state.indices.shape[0]):
        if not state.remaining[j] and not state.listed[j] and state.indices[j] - smallest <= limit:
            state.upcoming[state.cursor[NEXT_LENGTH]] = j
            state.listed[j] = True
            state.cursor[NEXT_LENGTH] += 1
    if state.cursor[POSITION] == state.cursor[LENGTH]:
        start_list(state)


@kernel
def opponent(state: RmedState, arm: int, best: int) -> int:
    """Return m(l): i* where it is not beaten by ``arm`` or nobody else is unbeaten, else the hardest opponent."""
    rate = state.rate
    if rate[arm, best] <= 0.5:
        return best
    hardest = 0
    for j in range(1, rate.shape[0]):
        if rate[arm, j] < rate[arm, hardest]:
            hardest = j
    return hardest if rate[arm, hardest] <= 0.5 else best


@kernel
def hold(state: RmedState, best: int, t: int, last: int) -> int:
    """Return for how many rounds (best, best) repeats; the caller knows that it is the choice of round t."""
    if state.cursor[LENGTH] != 1:
        return 1
    nearest = np.inf
    for j in range(state.indices.shape[0]):
        if j != best:
            nearest = min(nearest, state.indices[j] - state.indices[best])
    return max(t, min(last, first_round_reaching(nearest, 1.0, state.f))) - t + 1


@kernel
def first_duel(state: RmedState) -> tuple[int, int, int]:
    """Return the next pair of the initial phase, in lexicographic order."""
    cursor = state.cursor
    i, j = cursor[FIRST], cursor[SECOND]
    cursor[SECOND] += 1
    if cursor[SECOND] == state.indices.shape[0]:
        cursor[FIRST] += 1
        cursor[SECOND] = cursor[FIRST] + 1
    return i, j, 1


@kernel
def next_arm(state: RmedState) -> int:
    """Take the next arm of the current list; the round is of the loop."""
    arm = state.current[state.cursor[POSITION]]
    state.cursor[POSITION] += 1
    state.cursor[PENDING] = 1
    state.remaining[arm] = False
    return int(arm)


@kernel
def select(state: RmedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel every pair once, then the arms of the current list, each against its opponent."""
    cursor = state.cursor
    if cursor[FIRST] < state.indices.shape[0] - 1:
        return first_duel(state)
    best = least_place(state.indices)
    if cursor[PENDING]:
        add_candidates(state, best, t - 1)
    arm = next_arm(state)
    m = opponent(state, arm, best)
    if arm == m:
        return arm, arm, hold(state, best, t, last)
    return arm, m, 1


@kernel
def update(state: RmedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome and renew the indices of both arms."""
    if first == second:
        return
    state.wins[first, second] += wins
    state.wins[second, first] += count - wins
    n = state.wins[first, second] + state.wins[second, first]
    for i, j in ((first, second), (second, first)):
        rate = state.wins[i, j] / n
        state.rate[i, j] = rate
        divergence = n * kl_from_half(rate) if rate <= 0.5 else 0.0
        if divergence == state.divergence[i, j]:
            continue
        state.divergence[i, j] = divergence
        total = 0.0
        for k in range(state.indices.shape[0]):
            total += state.divergence[i, k]
        state.indices[i] = total


class Rmed1(Algorithm):
    """Duel the arms whose losses are not yet too unlikely for a Condorcet winner."""

    name = "rmed1"
    citation = (
        "Komiyama, Honda, Kashima, Nakagawa. "
        "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem. COLT 2015"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T + K^(2+ε)"
    State = RmedState
    select = staticmethod(select)
    update = staticmethod(update)

    f_scale: float = Field(0.3, ge=0, description="factor of f(K) = f_scale · K^f_power")
    f_power: float = Field(1.01, ge=0, le=4, description="exponent of f(K)")

    def start(self, arms: int, horizon: int) -> RmedState:
        """Return the state before the first round; the first list holds every arm."""
        return no_duels(arms, self.f_scale * arms**self.f_power)


def no_duels(arms: int, f: float) -> RmedState:
    """Return the state before the first round, with the value ``f`` of f(K)."""
    rate = np.full((arms, arms), 0.5)
    np.fill_diagonal(rate, 1.0)
    return RmedState(
        f=f,
        wins=np.zeros((arms, arms), np.int64),
        rate=rate,
        divergence=np.zeros((arms, arms)),
        indices=np.zeros(arms),
        current=np.arange(arms),
        upcoming=np.zeros(arms, np.int64),
        remaining=np.ones(arms, np.bool_),
        listed=np.zeros(arms, np.bool_),
        cursor=np.array([0, 1, 0, arms, 0, 0], np.int64),
    )


class Rmed2State(NamedTuple):
    """RMED1's state, and what RMED2 and RMED2FH add.

    ``kl[i, j]`` = kl(p̂_ij, 1/2) where p̂_ij < 1/2. ``fixed`` tells RMED2FH, ``targets`` are its b*, −1 where undefined.
    ``quota``: passes of the initial phase to come, whether the targets are chosen, the number of duels that every
    pair must have by now, the round at which that number rises, and the first pair that may lack it.
    """

    rmed: RmedState
    alpha: float
    fixed: bool
    kl: Floats
    targets: Ints
    quota: Ints


@kernel
def target(state: Rmed2State, i: int, best: int) -> int:
    """Return b*(i), the opponent that shows at the least regret that ``i`` is no winner; −1 if none beat it."""
    wins = state.rmed.wins
    place, least = -1, np.inf
    n = wins[best, i] + wins[i, best]
    gap = (wins[best, i] / n if n > 0 else 0.5) - 0.5
    for j in range(wins.shape[0]):
        if wins[i, j] < wins[j, i]:
            n = wins[best, j] + wins[j, best]
            ratio = (gap + ((wins[best, j] / n if n > 0 else 0.5) - 0.5)) / state.kl[i, j]
            if ratio < least:
                place, least = j, ratio
    return place


@kernel
def informed_opponent(state: Rmed2State, arm: int, best: int, t: int) -> int:
    """Return RMED2's m(l): b*(l), or now and then i*, while they are not beaten by ``arm``."""
    wins = state.rmed.wins
    b = state.targets[arm] if state.fixed else target(state, arm, best)
    if b < 0:
        return opponent(state.rmed, arm, best)
    if best != arm and wins[arm, best] <= wins[best, arm]:
        against_best = wins[arm, best] + wins[best, arm]
        if against_best <= (wins[arm, b] + wins[b, arm]) / math.log(math.log(t)):
            return best
    if wins[arm, b] <= wins[b, arm]:
        return int(b)
    return opponent(state.rmed, arm, best)


@kernel
def lacks_duels(state: Rmed2State, t: int) -> bool:
    """Tell whether some pair has n < α log log t, and point at the first one."""
    quota, wins = state.quota, state.rmed.wins
    arms = wins.shape[0]
    if t >= quota[RISE]:
        while quota[LEVEL] < state.alpha * math.log(math.log(t)):
            quota[LEVEL] += 1
        quota[RISE] = first_round_beyond_log_log(quota[LEVEL], state.alpha)
        quota[ROW], quota[COLUMN] = 0, 1
    while quota[ROW] < arms - 1:
        i, j = quota[ROW], quota[COLUMN]
        if wins[i, j] + wins[j, i] < quota[LEVEL]:
            return True
        quota[COLUMN] += 1
        if quota[COLUMN] == arms:
            quota[ROW] += 1
            quota[COLUMN] = quota[ROW] + 1
    return False


@kernel
def select2(state: Rmed2State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel every pair, then the arms of the current list; RMED2 duels pairs that fall behind first."""
    rmed, quota = state.rmed, state.quota
    cursor = rmed.cursor
    arms = rmed.indices.shape[0]
    if cursor[FIRST] == arms - 1 and quota[PASSES] > 0:
        quota[PASSES] -= 1
        cursor[FIRST], cursor[SECOND] = 0, 1
    if cursor[FIRST] < arms - 1:
        return first_duel(rmed)
    if cursor[PENDING]:
        add_candidates(rmed, least_place(rmed.indices), t - 1)
        cursor[PENDING] = 0
    if not state.fixed and lacks_duels(state, t):
        return quota[ROW], quota[COLUMN], 1
    best = least_place(rmed.indices)
    if state.fixed and not quota[CHOSEN]:
        for i in range(arms):
            state.targets[i] = target(state, i, best)
        quota[CHOSEN] = 1
    arm = next_arm(rmed)
    m = informed_opponent(state, arm, best, t)
    if arm == m:
        return arm, arm, hold(rmed, best, t, last if state.fixed else min(last, quota[RISE] - 1))
    return arm, m, 1


@kernel
def update2(state: Rmed2State, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome as RMED1 does, and keep the loser's divergence."""
    update(state.rmed, first, second, wins, count)
    won, lost = state.rmed.wins[first, second], state.rmed.wins[second, first]
    if won < lost:
        state.kl[first, second] = kl_of_loser(won, lost)
    elif lost < won:
        state.kl[second, first] = kl_of_loser(lost, won)


@kernel
def kl_of_loser(won: int, lost: int) -> float:
    """Return kl(p̂, 1/2), kept positive: rounding may lose it after 10⁸ duels of near equals."""
    return max(1e-300, kl_from_half(won / (won + lost)))


class Rmed2(Algorithm):
    """RMED1 with the opponents that show at the least regret that an arm loses."""

    name = "rmed2"
    citation = Rmed1.citation
    assumes = "Condorcet winner"
    regret_order = "C* log T, the lower bound with a Condorcet winner"
    State = Rmed2State
    select = staticmethod(select2)
    update = staticmethod(update2)

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α log log t times")
    f_scale: float = Field(0.3, ge=0, description="factor of f(K) = f_scale · K^f_power")
    f_power: float = Field(1.01, ge=0, le=4, description="exponent of f(K)")

    def start(self, arms: int, horizon: int) -> Rmed2State:
        """Return the state before the first round; the first list holds every arm."""
        return self._start(arms, passes=1, fixed=False)

    def _start(self, arms: int, passes: int, fixed: bool) -> Rmed2State:
        return Rmed2State(
            rmed=no_duels(arms, self.f_scale * arms**self.f_power),
            alpha=self.alpha,
            fixed=fixed,
            kl=np.zeros((arms, arms)),
            targets=np.full(arms, -1),
            quota=np.array([passes - 1, 0, 1, 0, 0, 1], np.int64),
        )


class Rmed2Fh(Rmed2):
    """RMED2 for a known horizon: its opponents are chosen once, after ⌈α log log T⌉ duels of every pair."""

    name = "rmed2fh"
    uses_horizon = True
    State = Rmed2State

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α log log T times at the start")

    def start(self, arms: int, horizon: int) -> Rmed2State:
        """Return the state before the first round; the first list holds every arm."""
        passes = math.ceil(self.alpha * math.log(math.log(horizon))) if horizon > 2 else 1
        return self._start(arms, max(1, passes), fixed=True)
