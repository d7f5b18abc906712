"""PBR for the k highest Copeland scores: passes over all pairs that are open, until the best k arms are known.

A pair is decided, and never sampled again, when its interval leaves 1/2 out. An arm is selected when, whatever the open
pairs say, it has more wins than all but k − 1 others, and discarded when k others have more wins; pairs of two such
arms are not sampled either. The printed conditions hold later, or never (k = 1). Unlike ``pbr``, it does not know the
horizon: the radius is valid for all numbers of duels.

The pseudo-code, step by step, is ``duelbench/reference/pbr.py``; ``tests/test_catalogue.py`` checks that the
paths are equal. On a pair at exactly 1/2 that matters it goes on to the end of the run. A tie is half a win for both.

Hold. Every answer is a single duel until the declaration; the rest of the run is the self-duel of the first arm, in one
block, and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.declaration import declare, nothing_declared
from duelbench.algorithms.ranking.top_k import TopK
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle

SELECTED, OPEN, DISCARDED = 2, 1, 0


class PbrCopelandState(NamedTuple):
    """``won[i]``, ``lost[i]``: in so many decided pairs arm i is the better one, or the worse.

    ``ties`` are of either order. A radius is ``sqrt((log_scale + 2 log n) / (2n))``. ``status[i]``: SELECTED, OPEN or
    DISCARDED. The open pairs are the first ``cursor[0].length`` rows of ``pairs``, −1 before the first pass;
    ``cursor[0].position`` is the place of the next. ``order``: the arms in random order, and then what is declared.
    ``declared``: see ``declaration``.
    """

    top: int
    log_scale: float
    wins: Ints
    ties: Ints
    won: Ints
    lost: Ints
    status: Ints
    pairs: Ints
    cursor: Record
    order: Ints
    declared: Record


@kernel(inline=False)
def begin(state: PbrCopelandState, rng: np.random.Generator) -> None:
    """List all pairs of the arms in random order."""
    arms, length = state.order.shape[0], 0
    shuffle(state.order, arms, rng)
    for a in range(arms):
        for b in range(a + 1, arms):
            state.pairs[length] = state.order[a], state.order[b]
            length += 1
    state.cursor[0].length = length


@kernel(inline=False)
def decide_pairs(state: PbrCopelandState) -> bool:
    """Drop the pairs whose interval leaves 1/2 out; return whether there was one."""
    kept, length = 0, state.cursor[0].length
    for k in range(length):
        i, j = state.pairs[k]
        difference = state.wins[i, j] - state.wins[j, i]
        n = state.wins[i, j] + state.wins[j, i] + state.ties[i, j]
        if n > 0 and difference * difference > 2.0 * n * (state.log_scale + 2.0 * math.log(n)):
            state.won[i if difference > 0 else j] += 1
            state.lost[j if difference > 0 else i] += 1
        else:
            state.pairs[kept] = i, j
            kept += 1
    state.cursor[0].length = kept
    return kept < length  # type: ignore[no-any-return]


@kernel(inline=False)
def settle(state: PbrCopelandState) -> bool:
    """Select and discard arms; return whether the best are known."""
    arms, selected, discarded = state.order.shape[0], 0, 0
    for i in range(arms):
        worse, better = 0, 0
        for j in range(arms):
            worse += j != i and arms - 1 - state.lost[j] < state.won[i]
            better += j != i and arms - 1 - state.lost[i] < state.won[j]
        if worse >= arms - state.top:
            state.status[i] = SELECTED
            selected += 1
        elif better >= state.top:
            state.status[i] = DISCARDED
            discarded += 1
    return selected == state.top or discarded == arms - state.top


@kernel(inline=False)
def finish_pass(state: PbrCopelandState) -> bool:
    """Drop what need not be sampled any more; return whether the best arms are known."""
    cursor, status = state.cursor[0], state.status
    cursor.position = 0
    if not decide_pairs(state):
        return False
    if settle(state):
        return True
    kept = 0
    for k in range(cursor.length):
        i, j = state.pairs[k]
        if status[i] == OPEN or status[j] == OPEN:
            state.pairs[kept] = i, j
            kept += 1
    cursor.length = kept
    return kept == 0


@kernel
def is_before(state: PbrCopelandState, i: int, j: int) -> bool:
    """Return whether arm i is declared before arm j for its status or its wins."""
    if state.status[i] != state.status[j]:
        return state.status[i] > state.status[j]  # type: ignore[no-any-return]
    return state.won[i] > state.won[j]  # type: ignore[no-any-return]


@kernel(inline=False)
def put_in_order(state: PbrCopelandState) -> None:
    """Sort the arms by their status and wins, equal ones in the random order."""
    order = state.order
    for a in range(1, order.shape[0]):
        arm, b = order[a], a
        while b > 0 and is_before(state, arm, order[b - 1]):
            order[b] = order[b - 1]
            b -= 1
        order[b] = arm


@kernel
def select(state: PbrCopelandState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next open pair, or the first of the best arms against itself."""
    cursor, declared = state.cursor[0], state.declared[0]
    if cursor.length < 0:
        begin(state, rng)
    if declared.winner < 0 and cursor.position == cursor.length and finish_pass(state):
        put_in_order(state)
        declare(state.declared, state.order[0], t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    i, j = state.pairs[cursor.position]
    cursor.position += 1
    return i, j, 1


@kernel
def update(state: PbrCopelandState, first: int, second: int, wins: int, ties: int, count: int) -> None:
    """Count the outcome."""
    if first != second:
        state.wins[first, second] += wins
        state.wins[second, first] += count - wins - ties
        state.ties[first, second] += ties
        state.ties[second, first] += ties


class PbrCopeland(TopK):
    """Find the k highest Copeland scores: sample the pairs that may still matter, in turn."""

    name = "pbr-copeland"
    title = "PBR-Copeland"
    citation = (
        "Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier. Top-k Selection based on Adaptive Sampling of Noisy "
        "Preferences. ICML 2013, Copeland ranking"
    )
    assumes = "no pair at 1/2"
    takes_ties = True
    State = PbrCopelandState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> PbrCopelandState:
        """Return the state before the first round."""
        self.sizes(arms)
        return PbrCopelandState(
            top=self.top,
            log_scale=math.log(math.pi**2 * arms**2 / self.delta),
            wins=np.zeros((arms, arms), np.int64),
            ties=np.zeros((arms, arms), np.int64),
            won=np.zeros(arms, np.int64),
            lost=np.zeros(arms, np.int64),
            status=np.full(arms, OPEN),
            pairs=np.zeros((arms * (arms - 1) // 2, 2), np.int64),
            cursor=record(length=-1, position=0),
            order=np.arange(arms),
            declared=nothing_declared(),
        )
