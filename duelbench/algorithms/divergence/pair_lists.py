"""The lists of pairs of ECW-RMED and CW-RMED, and the pairs that line 4 wants before each list.

``next_duels`` takes the lists and the results so far and returns the next pair. Line numbers are those of Algorithm 1
of Komiyama, Honda and Nakagawa (ICML 2016). A pair (i, j), i ≤ j, is stored as the number ``i K + j``; i = j is a
self-duel. Lists keep the order of insertion.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.divergence.tournament import Tournament, count_results, last_round_of, least_cost, slack
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import first_round_beyond_root_log


class PairLists(NamedTuple):
    """``current`` and ``upcoming`` are L_C and L_N; ``remaining`` is L_R, and ``listed`` marks what is in L_N.

    ``cursor[0]`` has ``position``, the place in L_C; ``length`` and ``next_length``, the lengths of L_C and L_N; and
    ``pending``, whether the last round took a pair of L_C whose candidates have not been listed yet.
    """

    current: Ints
    upcoming: Ints
    remaining: Flags
    listed: Flags
    cursor: Record


def all_pairs(arms: int) -> PairLists:
    """Return the lists before the first round: every pair of different arms, in lexicographic order."""
    room = arms * (arms + 1) // 2
    pairs = [i * arms + j for i in range(arms) for j in range(i + 1, arms)]
    current = np.zeros(room, np.int64)
    current[: len(pairs)] = pairs
    remaining = np.zeros(arms * arms, np.bool_)
    remaining[pairs] = True
    return PairLists(
        current=current,
        upcoming=np.zeros(room, np.int64),
        remaining=remaining,
        listed=np.zeros(arms * arms, np.bool_),
        cursor=record(position=0, length=len(pairs), next_length=0, pending=False),
    )


@kernel
def add_pair(lists: PairLists, arms: int, a: int, b: int) -> None:
    """List the pair of ``a`` and ``b`` for the next pass, unless it is listed or still to come in this pass."""
    pair = min(a, b) * arms + max(a, b)
    if not lists.remaining[pair] and not lists.listed[pair]:
        lists.upcoming[lists.cursor[0].next_length] = pair
        lists.listed[pair] = True
        lists.cursor[0].next_length += 1


@kernel
def add_if_lacking(lists: PairLists, tournament: Tournament, a: int, b: int, q: float, log_t: float) -> None:
    """List the pair if it has fewer than ``q log t`` duels."""
    n = tournament.wins[a, b] + tournament.wins[b, a]
    if q > n / log_t:
        add_pair(lists, tournament.losses.shape[0], a, b)


@kernel
def add_optimum(lists: PairLists, tournament: Tournament, winner: int, log_t: float) -> None:
    """List the pairs that have fewer duels than ECW-RMED's optimum for ``winner`` asks for.

    In order of arms: an arm's pair with the winner, if the winner beats it, then its pairs with superiors by cost.
    """
    kl = tournament.kl
    for loser in range(tournament.losses.shape[0]):
        if loser == winner:
            continue
        if tournament.sign[winner, loser] > 0:
            add_if_lacking(lists, tournament, winner, loser, 1.0 / kl[winner, loser], log_t)
        k = slack(tournament, winner, loser)
        if k >= 0:
            least_cost(tournament, winner, loser)
            depth = tournament.depth[winner, loser]
            left, place = depth, 0
            while left > 0:
                j = tournament.cheapest[loser, place]
                place += 1
                if j != winner:
                    left -= 1
                    add_if_lacking(lists, tournament, j, loser, 1.0 / ((depth - k) * kl[j, loser]), log_t)


@kernel
def _begin_pass(lists: PairLists) -> bool:
    """If the last pass over a list is over, make L_N the new L_C and L_R; return whether a pass begins."""
    cursor = lists.cursor[0]
    if cursor.position == cursor.length:
        for k in range(cursor.next_length):
            pair = lists.upcoming[k]
            lists.current[k] = pair
            lists.remaining[pair] = True
            lists.listed[pair] = False
        cursor.position, cursor.length, cursor.next_length = 0, cursor.next_length, 0
    return cursor.position == 0  # type: ignore[no-any-return]


@kernel
def _take_pair(lists: PairLists) -> int:
    """Take the next pair of L_C and remove it from L_R; its candidates are then pending."""
    cursor = lists.cursor[0]
    pair = lists.current[cursor.position]
    cursor.position += 1
    cursor.pending = True
    lists.remaining[pair] = False
    return int(pair)


class Demands(NamedTuple):
    """The pairs that line 4 wants: ``n < α sqrt(log t)`` or ``|p̂ − 1/2| < β / log log t``.

    ``close``: the pairs with n > 0 and |p̂ − 1/2| < β, in any order. Only these can satisfy the second condition, since
    log log t is taken to be at least 1. ``place``: the place of each pair in ``close``, −1 for other pairs.
    ``quota[0]`` has ``duels``, the number of duels that every pair must have by now (at least 1 if β > 0, since an
    unseen pair has p̂ = 1/2); ``rise``, the round at which that number rises; ``row`` and ``column``, the first pair
    that may have fewer; ``n_close``, the number of close pairs; and ``floor``, a pair below which nothing has been
    wanted since the last list ended.
    """

    alpha: float
    beta: float
    close: Ints
    place: Ints
    quota: Record


def new_demands(arms: int, alpha: float, beta: float) -> Demands:
    """Return the state before the first duel."""
    return Demands(
        alpha=alpha,
        beta=beta,
        close=np.zeros(arms * (arms - 1) // 2, np.int64),
        place=np.full(arms * arms, -1),
        quota=record(duels=int(beta > 0), rise=0, row=0, column=1, n_close=0, floor=0),
    )


@kernel
def _watch(demands: Demands, wins: Ints, first: int, second: int) -> None:
    """Update whether the pair, whose arms differ and have met, is in ``close``."""
    arms = wins.shape[0]
    pair = min(first, second) * arms + max(first, second)
    place, count = demands.place[pair], demands.quota[0].n_close
    if _within(wins, pair, demands.beta):
        if place < 0:
            demands.close[count] = pair
            demands.place[pair] = count
            demands.quota[0].n_close = count + 1
    elif place >= 0:
        moved = demands.close[count - 1]
        demands.close[place] = moved
        demands.place[moved] = place
        demands.place[pair] = -1
        demands.quota[0].n_close = count - 1


@kernel
def learn_duels(demands: Demands, tournament: Tournament, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes of duels; self-duels are ignored."""
    if first != second:
        count_results(tournament, first, second, wins, count)
        _watch(demands, tournament.wins, first, second)


@kernel
def _demanded(demands: Demands, wins: Ints, t: int) -> int:
    """Return the first pair that line 4 wants in round t, in lexicographic order, or −1 if there is none."""
    quota = demands.quota[0]
    arms = wins.shape[0]
    if t >= quota.rise:
        quota.duels = max(quota.duels, math.ceil(demands.alpha * math.sqrt(math.log(t))))
        quota.rise = first_round_beyond_root_log(quota.duels, demands.alpha)
        quota.row, quota.column = 0, 1
    nobody = arms * arms
    first = nobody
    if quota.n_close > 0:
        distance = demands.beta / max(1.0, math.log(max(1.0, math.log(t))))
        if _within(wins, quota.floor, distance):
            first = quota.floor
        else:
            for k in range(quota.n_close):
                pair = demands.close[k]
                if quota.floor < pair < first and _within(wins, pair, distance):
                    first = pair
    while quota.row < arms - 1:
        i, j = quota.row, quota.column
        if i * arms + j >= first:
            break
        if wins[i, j] + wins[j, i] < quota.duels:
            first = i * arms + j
            break
        quota.column += 1
        if quota.column == arms:
            quota.row += 1
            quota.column = quota.row + 1
    if first == nobody:
        quota.floor = 0
        return -1
    quota.floor = first
    return int(first)


@kernel
def _within(wins: Ints, pair: int, distance: float) -> bool:
    """Return whether a pair of arms has been duelled and ``|p̂ − 1/2| < distance``."""
    i, j = pair // wins.shape[0], pair % wins.shape[0]
    n = wins[i, j] + wins[j, i]
    return n > 0 and abs(wins[i, j] / n - 0.5) < distance  # type: ignore[no-any-return]


@kernel
def next_duels(lists: PairLists, demands: Demands, tournament: Tournament, t: int, last: int) -> tuple[int, int, int]:
    """Return what to duel in round t: a pair that line 4 wants, else the next listed pair or a hold of a self-duel."""
    arms = tournament.losses.shape[0]
    if _begin_pass(lists):
        pair = _demanded(demands, tournament.wins, t)
        if pair >= 0:
            return pair // arms, pair % arms, 1
    pair = _take_pair(lists)
    i, j = pair // arms, pair % arms
    if i != j or lists.cursor[0].length > 1 or t == last:
        return i, j, 1
    return i, i, min(last, demands.quota[0].rise - 1, last_round_of(tournament, i, t)) - t + 1


class ListingRmed(Algorithm):
    """The base class of ECW-RMED and CW-RMED, with the parameters of line 4."""

    citation = (
        "Komiyama, Honda, Nakagawa. Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, "
        "and Computationally Efficient Algorithm. ICML 2016"
    )
    assumes = "no ties"
    learns_off_policy = True

    alpha: float = Field(3.0, gt=0, description="every pair is duelled at least α sqrt(log t) times")
    beta: float = Field(0.01, ge=0, lt=0.5, description="a pair is duelled while |p̂ − 1/2| < β / log log t")
