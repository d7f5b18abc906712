"""IF: interleaved filter, explore then exploit, with the pruning of its second version (IF2).

The incumbent duels the arms of W in turn; after a full round robin those that it beats with confidence leave W, or one
that beats it takes its place. The pseudo-code, step by step, is ``duelbench/reference/beat_the_mean.py`` (a file
cannot be called ``if``); ``tests/test_catalogue.py`` checks that the paths are equal.

Hold. Once no opponent is left the incumbent is the winner and the rest of the run is its self-duel, in one block;
nothing more is drawn. Every other answer is a single duel: the path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below


class InterleavedFilterState(NamedTuple):
    """``won[b]``, ``lost[b]``: duels that the incumbent won and lost against b since it is the incumbent.

    ``opponents`` marks the set W. ``cursor[0]``: the ``incumbent``, −1 before there is one, and ``position``, the arm
    from which on the round robin looks for its next opponent. ``declared``: see ``declaration``.
    """

    log_inverse_delta: float
    opponents: Flags
    won: Ints
    lost: Ints
    cursor: Record
    declared: Record


@kernel
def next_opponent(state: InterleavedFilterState) -> int:
    """Return the next opponent of this round robin, −1 after the last."""
    for b in range(state.cursor[0].position, state.opponents.shape[0]):
        if state.opponents[b]:
            return b
    return -1


@kernel
def verdict(state: InterleavedFilterState, b: int) -> int:
    """Return +1 if the incumbent beats b with confidence, −1 if it loses, else 0: |p̂ − 1/2| > sqrt(4 log(1/δ) / n)."""
    difference = state.won[b] - state.lost[b]
    n = state.won[b] + state.lost[b]
    if difference * difference <= 16.0 * n * state.log_inverse_delta:
        return 0
    return 1 if difference > 0 else -1


@kernel
def judge(state: InterleavedFilterState) -> None:
    """After a full round robin: drop the arms that the incumbent beats, or replace it by one that beats it."""
    successor = -1
    for b in range(state.opponents.shape[0]):
        if state.opponents[b]:
            sign = verdict(state, b)
            if sign > 0:
                state.opponents[b] = False
            elif sign < 0 and successor < 0:
                successor = b
    state.cursor[0].position = 0
    if successor < 0:
        return
    state.cursor[0].incumbent = successor
    for b in range(state.opponents.shape[0]):
        if b == successor or state.won[b] > state.lost[b]:
            state.opponents[b] = False
        state.won[b] = 0
        state.lost[b] = 0


@kernel
def select(state: InterleavedFilterState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the incumbent against its opponents in turn, or commit to it when none is left."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    if cursor.incumbent < 0:
        cursor.incumbent = below(state.opponents.shape[0], rng)
        state.opponents[cursor.incumbent] = False
    opponent = next_opponent(state)
    if opponent < 0:
        judge(state)
        opponent = next_opponent(state)
        if opponent < 0:
            declare(state.declared, cursor.incumbent, t)
            return cursor.incumbent, cursor.incumbent, last - t + 1
    cursor.position = opponent + 1
    return cursor.incumbent, opponent, 1


@kernel
def update(state: InterleavedFilterState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome, unless it comes late and belongs to a former incumbent."""
    if first != second and first == state.cursor[0].incumbent:
        state.won[second] += wins
        state.lost[second] += count - wins


class InterleavedFilter(ExploreThenExploit):
    """Duel an incumbent against all others, until one of them replaces it or none is left."""

    name = "if"
    title = "Interleaved Filter"
    citation = (
        "Yue, Broder, Kleinberg, Joachims. The K-armed Dueling Bandits Problem. "
        "Journal of Computer and System Sciences 2012, IF2"
    )
    assumes = "total order, SST, STI"
    regret_order = "K log T"
    State = InterleavedFilterState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> InterleavedFilterState:
        """Return the state before the first round, for confidence δ = 1/(TK²)."""
        return InterleavedFilterState(
            log_inverse_delta=math.log(horizon * arms**2),
            opponents=np.ones(arms, np.bool_),
            won=np.zeros(arms, np.int64),
            lost=np.zeros(arms, np.int64),
            cursor=record(incumbent=-1, position=0),
            declared=nothing_declared(),
        )

    def recommendation(self, state: InterleavedFilterState) -> int | None:
        """Return the incumbent, once there is one."""
        incumbent = int(state.cursor[0].incumbent)
        return incumbent if incumbent >= 0 else None
