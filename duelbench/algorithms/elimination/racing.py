"""Copeland races: sample open pairs in turn until the Copeland winner is known. What PBR, RankEl and others share.

They go round a list of pairs, in lexicographic order, and look at the results after each full round: a pair whose
interval ``p̂ ± radius(n)`` leaves 1/2 out is decided. ``lower[i]`` opponents are known to lose to i, ``upper[i]`` may.
When one arm's lower count exceeds every other upper count, or no pair is left, the arm with the highest lower count
wins, ties at random. Where several may win, an arm whose lower count is no less than every other upper count ends it.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import most_place
from duelbench.kernels.draws import pick


class RacingState(NamedTuple):
    """The results, the Copeland counts, and the list of open pairs.

    ``ties`` are of either order, each half a win for both, and only of an algorithm that takes them. A radius is
    ``sqrt((log_scale + log_growth · log n) / (2n))``. ``drops_discarded``: pairs of two arms that cannot
    win are not sampled; ``drops_decided``: nor are decided ones; ``several``: several arms may win. ``pairs`` holds the
    codes i K + j of the open pairs, ``cursor[0].length`` many; ``cursor[0].position`` is the place of the next.
    ``found`` is a buffer for a list of arms. ``declared``: see ``declaration``.
    """

    log_scale: float
    log_growth: float
    drops_discarded: bool
    drops_decided: bool
    several: bool
    wins: Ints
    ties: Ints
    decided: Flags
    lower: Ints
    upper: Ints
    pairs: Ints
    cursor: Record
    found: Ints
    declared: Record


@kernel
def decide_pairs(state: RacingState) -> bool:
    """Decide the open pairs whose interval leaves 1/2 out; return whether there was one."""
    arms = state.lower.shape[0]
    changed = False
    for k in range(state.cursor[0].length):
        i, j = state.pairs[k] // arms, state.pairs[k] % arms
        if state.decided[i, j]:
            continue  # seen a moment ago in the other order
        difference = state.wins[i, j] - state.wins[j, i]
        n = state.wins[i, j] + state.wins[j, i] + state.ties[i, j]
        if n == 0 or difference * difference <= 2.0 * n * (state.log_scale + state.log_growth * math.log(n)):
            continue
        winner, loser = (i, j) if difference > 0 else (j, i)
        state.lower[winner] += 1
        state.upper[loser] -= 1
        state.decided[i, j] = True
        state.decided[j, i] = True
        changed = True
    return changed


@kernel
def rivals(state: RacingState, i: int) -> int:
    """Count the arms that may have more wins than arm i or, unless several may win, as many."""
    count = 0
    for j in range(state.lower.shape[0]):
        if j != i and state.upper[j] + int(not state.several) > state.lower[i]:
            count += 1
    return count


@kernel
def front(state: RacingState) -> int:
    """Return the arm with the highest lower count, and among these with the highest upper count: the first to win."""
    best = most_place(state.lower)
    for i in range(state.lower.shape[0]):
        if state.lower[i] == state.lower[best] and state.upper[i] > state.upper[best]:
            best = i
    return best


@kernel
def finish_round(state: RacingState) -> None:
    """Drop from the list what need not be sampled any more: all of it when the winner is certain."""
    state.cursor[0].position = 0
    if not decide_pairs(state):
        return
    arms = state.lower.shape[0]
    best = front(state)
    kept, undecided = 0, 0
    if rivals(state, best) > 0:
        for k in range(state.cursor[0].length):
            i, j = state.pairs[k] // arms, state.pairs[k] % arms
            hopeless = state.upper[i] < state.lower[best] and state.upper[j] < state.lower[best]
            undecided += int(not state.decided[i, j])
            if not (state.drops_decided and state.decided[i, j]) and not (state.drops_discarded and hopeless):
                state.pairs[kept] = state.pairs[k]
                kept += 1
    state.cursor[0].length = kept if undecided > 0 else 0


@kernel
def elect(state: RacingState, rng: np.random.Generator) -> int:
    """Return the arm with the highest lower count, ties at random; where several may win, of those without rivals."""
    most = state.lower[most_place(state.lower)]
    count = 0
    for i in range(state.lower.shape[0]):
        if state.lower[i] == most and not (state.several and rivals(state, i)):
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel
def select(state: RacingState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair of the list, or commit to the winner."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner < 0 and cursor.position == cursor.length:
        finish_round(state)
        if cursor.length == 0:
            declare(state.declared, elect(state, rng), t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    pair = state.pairs[cursor.position]
    cursor.position += 1
    arms = state.lower.shape[0]
    return pair // arms, pair % arms, 1


@kernel
def update(state: RacingState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first != second:
        state.wins[first, second] += wins
        state.wins[second, first] += count - wins


def start(
    arms: int,
    log_scale: float,
    log_growth: float,
    ordered: bool,
    drops_discarded: bool,
    drops_decided: bool = True,
    several: bool = False,
) -> RacingState:
    """Return the state before the first round, with all ordered or unordered pairs open."""
    square = (arms, arms)
    pairs = [i * arms + j for i in range(arms) for j in range(arms) if i < j or (ordered and i > j)]
    return RacingState(
        log_scale=log_scale,
        log_growth=log_growth,
        drops_discarded=drops_discarded,
        drops_decided=drops_decided,
        several=several,
        wins=np.zeros(square, np.int64),
        ties=np.zeros(square, np.int64),
        decided=np.zeros(square, np.bool_),
        lower=np.zeros(arms, np.int64),
        upper=np.full(arms, arms - 1, np.int64),
        pairs=np.array(pairs, np.int64),
        cursor=record(position=0, length=len(pairs)),
        found=np.zeros(arms, np.int64),
        declared=nothing_declared(),
    )


class Race(ExploreThenExploit):
    """The base class of the races, which differ in the radius and in which pairs stay open."""

    assumes = "no ties"
    regret_order = "K² log T"
    State = RacingState
    select = staticmethod(select)
    update: ClassVar[Any] = staticmethod(update)
