"""RMED1, RMED2 and RMED2FH: relative minimum empirical divergence for Condorcet winners.

All three duel every pair first and then play lists of arms; each list is built while the previous one is played.
``select`` returns the next pair, or a hold while only i* is listed. The steps are in ``tests/reference/rmed.py``.

The index I_i, by which the algorithms choose arms, measures how unlikely the losses of arm i are if it is the Condorcet
winner. It is the sum of n kl(p̂_ij, 1/2) over O_i, the arms that i does not beat according to the estimates. The arm i*
with the least I is the empirical winner. RMED1's opponent m(l), which is also RMED2's fallback, follows from the same
estimates.

After each round of the current list, arms are added to the next list according to the counts at that time. ``select``
does this at the start of the following round, when the outcome is known.

Hold of RMED1. Suppose that the list is {i*}, that no arm has won half or more of its duels against i* (O_{i*} is empty,
so I* = 0), and that no other arm has I_j − I* ≤ log t + f(K). Then the round is (i*, i*), adds no information, and
leaves the list {i*}. Only log t changes, so this repeats up to and including the first round t in which some j
satisfies the inequality; the list built after that round is longer. Nothing is drawn, so the path is the same as with
stepping.

RMED2. Hold: as in RMED1. RMED2 and RMED2FH choose other opponents, but if O_{i*} is empty, all three choose (i*, i*).
RMED2 also duels pairs with n < α log log t before anything else, so its hold ends before the first round in which
α log log t exceeds the number of duels that every pair has. Readings: the listing in the COLT paper tests
n < α log log t at the start of each pass over a list, its text in every round. Here it is tested in every round, and
the first such pair in lexicographic order is duelled. If b* is undefined because no j has p̂[i, j] < 1/2, the opponent
is RMED1's. The numerator of b* may be negative.

RMED2FH is RMED2 for a known horizon, with the same kernels. All pairs are duelled in turn, in ⌈α log log T⌉ passes (at
least one); then each b*(i) is fixed, and no pair is duelled for its own sake later. Hold: as in RMED1; no required
number of duels can end it.

Agreement. ``tests/test_catalogue.py`` checks that the paths equal the paths of the reference implementations; nothing
is drawn from the policy stream.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import first_round_beyond_log_log, first_round_reaching, kl_from_half, least_place


class Divergences(NamedTuple):
    """Counts of duels between K arms, and the divergences that follow from them.

    ``wins[i, j]``: duels of i against j that i won. ``rate[i, j]`` is p̂_ij, 1/2 for a pair never duelled, 1 for i = j.
    ``divergence[i, j] = n kl(p̂_ij, 1/2)`` where j ∈ O_i, else 0; ``indices[i]`` is I_i, its sum over j. ``news[0]``
    has ``best``, the first arm with the least index (−1: to be searched for); ``outcomes``, the number of outcomes
    counted since ``add_candidates`` last ran; and ``first`` and ``second``, the pair of the latest one.
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
    """Count duels, of which ``first`` won ``wins``, and update the indices of both arms; self-duels are not counted."""
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
    """Set I_i and update ``best``. The search for the least index is put off until it is needed, since it is slow."""
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
    """Return m(l): i* if ``arm`` beats all others or does not beat i*, else the arm that ``arm`` does worst against."""
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
    the next list. ``cursor[0]`` has ``first`` and ``second``, the next pair of the initial phase, which is over if
    first = K − 1; ``position``, the place in LC; ``length`` and ``next_length``, the lengths of LC and of the next
    list; ``pending``, whether the last round took an arm of LC whose candidates have not been added yet; and
    ``nearest``, a lower bound on the index of the arms that were outside LR and not listed when candidates were last
    added.
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
    """Take the next arm of the current list and remove it from LR; its candidates are then pending."""
    cursor = lists.cursor[0]
    arm = lists.current[cursor.position]
    cursor.position += 1
    cursor.pending = True
    lists.remaining[arm] = False
    return int(arm)


@kernel
def add_candidates(lists: ArmLists, indices: Floats, best: int, t: int, news: Record) -> None:
    """After round t of a list, list every arm outside LR whose index is within log t + f(K) of the index of i*.

    Usually this is only the arm of the round. So if at most one outcome is new and ``nearest`` rules out the other
    arms, only the arm of the round and the two arms of the outcome are checked; all arms are, if two of these qualify.
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
    """Return for how many rounds (best, best) repeats, given that it is the choice of round t."""
    if lists.cursor[0].length != 1:
        return 1
    nearest = np.inf
    for j in range(indices.shape[0]):
        if j != best:
            nearest = min(nearest, indices[j] - indices[best])
    return max(t, min(last, first_round_reaching(nearest, 1.0, lists.f))) - t + 1


class Rmed1State(NamedTuple):
    """The results so far, and the lists."""

    results: Divergences
    lists: ArmLists


@kernel
def select_rmed1(state: Rmed1State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel every pair once, then the arms of the current list, each against its opponent."""
    lists, indices = state.lists, state.results.indices
    if lists.cursor[0].first < indices.shape[0] - 1:
        return first_duel(lists)
    best = champion(state.results)
    if lists.cursor[0].pending:
        add_candidates(lists, indices, best, t - 1, state.results.news)
    arm = next_arm(lists)
    m = opponent(state.results, arm, best)
    if arm == m:
        return arm, arm, hold(lists, indices, best, t, last)
    return arm, m, 1


@kernel
def update_rmed1(state: Rmed1State, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome and renew the indices of both arms."""
    count_duels(state.results, first, second, wins, count)


class Rmed1(Algorithm):
    """Duel the arms whose losses do not yet rule them out as the Condorcet winner."""

    name = "rmed1"
    title = "RMED1"
    citation = (
        "Komiyama, Honda, Kashima, Nakagawa. "
        "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem. COLT 2015"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T + K^(2+ε)"
    learns_off_policy = True
    State = Rmed1State
    select = staticmethod(select_rmed1)
    update = staticmethod(update_rmed1)

    f_scale: float = Field(0.3, ge=0, description="factor of f(K) = f_scale · K^f_power")
    f_power: float = Field(1.01, ge=0, le=4, description="exponent of f(K)")

    def start(self, arms: int, horizon: int) -> Rmed1State:
        """Return the state before the first round; the first list holds every arm."""
        return Rmed1State(new_divergences(arms), all_arms(arms, self.f_scale * arms**self.f_power))


class Rmed2State(NamedTuple):
    """What RMED1 keeps, and what RMED2 and RMED2FH add.

    ``fixed`` is True for RMED2FH. ``kl[i, j]`` = kl(p̂_ij, 1/2) where p̂_ij < 1/2. ``targets`` are RMED2FH's b*, −1
    where undefined. ``quota[0]`` has ``passes``, how many passes of the initial phase are still to come; ``targeted``,
    whether the targets have been chosen; ``duels``, the number of duels that every pair must have by now; ``rise``, the
    round at which that number rises; and ``row`` and ``column``, the first pair that may have fewer.
    """

    results: Divergences
    lists: ArmLists
    alpha: float
    fixed: bool
    kl: Floats
    targets: Ints
    quota: Record


@kernel
def _target(state: Rmed2State, i: int, best: int) -> int:
    """Return b*(i), the opponent that shows at the least regret that ``i`` is not the winner; −1 if no arm beats i."""
    wins = state.results.wins
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
def _informed_opponent(state: Rmed2State, arm: int, best: int, t: int) -> int:
    """Return RMED2's m(l): b*(l) or, now and then, i*, unless ``arm`` beats it; else RMED1's m(l)."""
    wins = state.results.wins
    b = state.targets[arm] if state.fixed else _target(state, arm, best)
    if b < 0:
        return opponent(state.results, arm, best)
    if best != arm and wins[arm, best] <= wins[best, arm]:
        against_best = wins[arm, best] + wins[best, arm]
        if against_best <= (wins[arm, b] + wins[b, arm]) / math.log(math.log(t)):
            return best
    if wins[arm, b] <= wins[b, arm]:
        return int(b)
    return opponent(state.results, arm, best)


@kernel
def _lacks_duels(state: Rmed2State, t: int) -> bool:
    """Return whether some pair has n < α log log t, and set ``row`` and ``column`` to the first one."""
    quota, wins = state.quota[0], state.results.wins
    arms = wins.shape[0]
    if t >= quota.rise:
        quota.duels = max(quota.duels, math.ceil(state.alpha * math.log(math.log(t))))
        quota.rise = first_round_beyond_log_log(quota.duels, state.alpha)
        quota.row, quota.column = 0, 1
    while quota.row < arms - 1:
        i, j = quota.row, quota.column
        if wins[i, j] + wins[j, i] < quota.duels:
            return True
        quota.column += 1
        if quota.column == arms:
            quota.row += 1
            quota.column = quota.row + 1
    return False


@kernel
def select_rmed2(state: Rmed2State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel every pair, then the arms of the current list; RMED2 first duels pairs with too few duels."""
    lists, indices, quota = state.lists, state.results.indices, state.quota[0]
    cursor = lists.cursor[0]
    arms = indices.shape[0]
    if cursor.first == arms - 1 and quota.passes > 0:
        quota.passes -= 1
        cursor.first, cursor.second = 0, 1
    if cursor.first < arms - 1:
        return first_duel(lists)
    if cursor.pending:
        add_candidates(lists, indices, champion(state.results), t - 1, state.results.news)
        cursor.pending = False
    if not state.fixed and _lacks_duels(state, t):
        return quota.row, quota.column, 1
    best = champion(state.results)
    if state.fixed and not quota.targeted:
        for i in range(arms):
            state.targets[i] = _target(state, i, best)
        quota.targeted = True
    arm = next_arm(lists)
    m = _informed_opponent(state, arm, best, t)
    if arm == m:
        return arm, arm, hold(lists, indices, best, t, last if state.fixed else min(last, quota.rise - 1))
    return arm, m, 1


@kernel
def update_rmed2(state: Rmed2State, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome as RMED1 does, and store the loser's divergence."""
    count_duels(state.results, first, second, wins, count)
    won, lost = state.results.wins[first, second], state.results.wins[second, first]
    if won < lost:
        state.kl[first, second] = _kl_of_loser(won, lost)
    elif lost < won:
        state.kl[second, first] = _kl_of_loser(lost, won)


@kernel
def _kl_of_loser(won: int, lost: int) -> float:
    """Return kl(p̂, 1/2), kept positive: rounding may make it 0 after 10⁸ duels of nearly equal arms."""
    return max(1e-300, kl_from_half(won / (won + lost)))


def _new_duels(arms: int, alpha: float, f: float, passes: int, fixed: bool) -> Rmed2State:
    """Return the state before the first round, with the value ``f`` of f(K) and ``passes`` of the initial phase."""
    return Rmed2State(
        results=new_divergences(arms),
        lists=all_arms(arms, f),
        alpha=alpha,
        fixed=fixed,
        kl=np.zeros((arms, arms)),
        targets=np.full(arms, -1),
        quota=record(passes=passes - 1, targeted=False, duels=1, rise=0, row=0, column=1),
    )


class Rmed2(Algorithm):
    """RMED1 with the opponents that show at the least regret that an arm is not the Condorcet winner."""

    name = "rmed2"
    title = "RMED2"
    citation = (
        "Komiyama, Honda, Kashima, Nakagawa. "
        "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem. COLT 2015"
    )
    assumes = "Condorcet winner"
    regret_order = "C* log T, the lower bound with a Condorcet winner"
    learns_off_policy = True
    State = Rmed2State
    select = staticmethod(select_rmed2)
    update = staticmethod(update_rmed2)

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α log log t times")
    f_scale: float = Field(0.3, ge=0, description="factor of f(K) = f_scale · K^f_power")
    f_power: float = Field(1.01, ge=0, le=4, description="exponent of f(K)")

    def start(self, arms: int, horizon: int) -> Rmed2State:
        """Return the state before the first round; the first list holds every arm."""
        return _new_duels(arms, self.alpha, self.f_scale * arms**self.f_power, passes=1, fixed=False)


class Rmed2Fh(Rmed2):
    """RMED2 for a known horizon: its opponents are chosen once, after ⌈α log log T⌉ duels of every pair."""

    name = "rmed2fh"
    title = "RMED2FH"
    uses_horizon = True
    State = Rmed2State

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α log log T times at the start")

    def start(self, arms: int, horizon: int) -> Rmed2State:
        """Return the state before the first round; the first list holds every arm."""
        passes = math.ceil(self.alpha * math.log(math.log(horizon))) if horizon > 2 else 1
        return _new_duels(arms, self.alpha, self.f_scale * arms**self.f_power, max(1, passes), fixed=True)
