"""How unlikely the losses of an arm are if it is the Condorcet winner: I_i, by which RMED1 and RMED2 choose arms.

I_i adds up n kl(p̂_ij, 1/2) over O_i, the arms that i does not beat in their estimates. i*, the arm with the least I, is
the empirical winner. RMED1's opponent m(l), to which RMED2 falls back, follows from the same estimates.

The rounds that RMED1 and RMED2 share are every pair once, then lists of arms, each built while the last one is played.

The next list is built after each round of the current one, from the counts of that moment; ``select`` does it at the
start of the following round, when the outcome is known.

Hold. When the list is {i*}, nobody has won half of its duels against i* (O_{i*} is empty, so I* = 0) and no other arm
has I_j − I* ≤ log t + f(K), the round is (i*, i*), teaches nothing, and leaves the list {i*}. Only log t moves, so this
repeats up to and including the first round t at which some j satisfies the inequality: the list that is built after
that round is longer. Nothing is drawn: the path is the same as with stepping.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import first_round_reaching, kl_from_half, least_place


class Divergences(NamedTuple):
    """Counts of duels between K arms, and the divergences that follow from them.

    ``wins[i, j]``: duels of i against j that i won. ``rate[i, j]`` is p̂_ij, 1/2 for a pair never duelled, 1 for i = j.
    ``divergence[i, j] = n kl(p̂_ij, 1/2)`` where j ∈ O_i, else 0; ``indices[i]`` is I_i, its sum over j.
    ``news``: ``best``, the first arm with the least index, −1 where it must be looked for; how many ``outcomes`` have
    been counted since somebody set that to 0, and the pair ``first``, ``second`` of the latest.
    """

    wins: Ints
    rate: Floats
    divergence: Floats
    indices: Floats
    news: Record


def new_divergences(arms: int) -> Divergences:
    """Return the state before the first duel."""
    rate = np.full((arms, arms), 0.5)
    np.fill_diagonal(rate, 1.0)
    return Divergences(
        wins=np.zeros((arms, arms), np.int64),
        rate=rate,
        divergence=np.zeros((arms, arms)),
        indices=np.zeros(arms),
        news=record(best=-1, outcomes=0, first=0, second=0),
    )


@kernel
def count_duels(state: Divergences, first: int, second: int, wins: int, count: int) -> None:
    """Count duels, ``wins`` of which ``first`` won, and renew the indices of both arms; self-duels teach nothing."""
    news = state.news[0]
    news.outcomes += 1
    news.first, news.second = first, second
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
        _renew_index(state, i, total)


@kernel
def _renew_index(state: Divergences, i: int, index: float) -> None:
    """Set I_i. To look through all arms for the least takes long where there are many, and is seldom needed."""
    news, indices = state.news[0], state.indices
    if i == news.best:
        if index > indices[i]:
            news.best = -1
    elif news.best >= 0 and (index < indices[news.best] or (index == indices[news.best] and i < news.best)):
        news.best = i
    indices[i] = index


@kernel
def champion(state: Divergences) -> int:
    """Return i*, the first arm with the least index."""
    news = state.news[0]
    if news.best < 0:
        news.best = least_place(state.indices)
    return int(news.best)


@kernel
def opponent(state: Divergences, arm: int, best: int) -> int:
    """Return m(l): i* where it is not beaten by ``arm`` or nobody else is unbeaten, else the hardest opponent."""
    rate = state.rate
    if rate[arm, best] <= 0.5:
        return best
    hardest = 0
    for j in range(1, rate.shape[0]):
        if rate[arm, j] < rate[arm, hardest]:
            hardest = j
    return hardest if rate[arm, hardest] <= 0.5 else best


class ArmLists(NamedTuple):
    """The initial phase and the two lists of arms.

    ``f``: f(K). ``current`` and ``upcoming`` hold LC and the next list in order; ``remaining`` is LR; ``listed`` marks
    the next list. ``cursor[0]`` has ``first`` and ``second``, the next pair of the initial phase (first = K − 1: it is
    over); ``position``, the place in LC; ``length`` and ``next_length``, of LC and of the next list; ``pending``,
    whether the last round was of the loop and its candidates are still to be added; and ``nearest``: no arm outside LR
    that was not listed had a smaller index when they were last added.
    """

    f: float
    current: Ints
    upcoming: Ints
    remaining: Flags
    listed: Flags
    cursor: Record


def all_arms(arms: int, f: float) -> ArmLists:
    """Return the lists before the first round, for the value ``f`` of f(K); the first list holds every arm."""
    return ArmLists(
        f=f,
        current=np.arange(arms),
        upcoming=np.zeros(arms, np.int64),
        remaining=np.ones(arms, np.bool_),
        listed=np.zeros(arms, np.bool_),
        cursor=record(first=0, second=1, position=0, length=arms, next_length=0, pending=False, nearest=-np.inf),
    )


@kernel
def first_duel(lists: ArmLists) -> tuple[int, int, int]:
    """Return the next pair of the initial phase, in lexicographic order."""
    cursor = lists.cursor[0]
    i, j = cursor.first, cursor.second
    cursor.second += 1
    if cursor.second == lists.current.shape[0]:
        cursor.first += 1
        cursor.second = cursor.first + 1
    return i, j, 1


@kernel
def next_arm(lists: ArmLists) -> int:
    """Take the next arm of the current list; the round is of the loop."""
    cursor = lists.cursor[0]
    arm = lists.current[cursor.position]
    cursor.position += 1
    cursor.pending = True
    lists.remaining[arm] = False
    return int(arm)


@kernel
def add_candidates(lists: ArmLists, indices: Floats, best: int, t: int, news: Record) -> None:
    """After round t of the loop: list every arm outside LR whose index is within log t + f(K) of that of i*.

    That is mostly the arm of this round alone. So only that arm and those of the outcome that ``news`` tells of are
    looked at where the least index of the others does not come near.
    """
    cursor, latest = lists.cursor[0], news[0]
    limit = math.log(t) + lists.f
    smallest = indices[best]
    few = latest.outcomes <= 1 and cursor.nearest - smallest > limit
    count, found = 0, -1
    if few:
        for j in (lists.current[cursor.position - 1], latest.first, latest.second):
            if j == found or not _is_waiting(lists, j):
                continue
            if indices[j] - smallest <= limit:
                count += 1
                found = j
            else:
                cursor.nearest = min(cursor.nearest, indices[j])
    if few and count <= 1:
        if count == 1:
            _enlist(lists, found)
    else:
        cursor.nearest = np.inf
        for j in range(indices.shape[0]):
            if _is_waiting(lists, j):
                if indices[j] - smallest <= limit:
                    _enlist(lists, j)
                else:
                    cursor.nearest = min(cursor.nearest, indices[j])
    latest.outcomes = 0
    if cursor.position == cursor.length:
        _start_list(lists)


@kernel
def _is_waiting(lists: ArmLists, j: int) -> bool:
    """Return whether j is outside LR and not listed."""
    return not lists.remaining[j] and not lists.listed[j]


@kernel
def _enlist(lists: ArmLists, j: int) -> None:
    """Put an arm on the next list."""
    cursor = lists.cursor[0]
    lists.upcoming[cursor.next_length] = j
    lists.listed[j] = True
    cursor.next_length += 1


@kernel
def _start_list(lists: ArmLists) -> None:
    """Make the upcoming list the current one: LC = LR = the next list."""
    cursor = lists.cursor[0]
    for k in range(cursor.next_length):
        lists.current[k] = lists.upcoming[k]
    for j in range(lists.current.shape[0]):
        lists.remaining[j] = lists.listed[j]
        lists.listed[j] = False
    cursor.nearest = -np.inf
    cursor.position = 0
    cursor.length = cursor.next_length
    cursor.next_length = 0


@kernel
def hold(lists: ArmLists, indices: Floats, best: int, t: int, last: int) -> int:
    """Return for how many rounds (best, best) repeats; the caller knows that it is the choice of round t."""
    if lists.cursor[0].length != 1:
        return 1
    nearest = np.inf
    for j in range(indices.shape[0]):
        if j != best:
            nearest = min(nearest, indices[j] - indices[best])
    return max(t, min(last, first_round_reaching(nearest, 1.0, lists.f))) - t + 1
