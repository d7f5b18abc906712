"""IF: interleaved filter, explore then exploit, with the pruning of its second version (IF2).

Hold. Once no opponent is left the incumbent is the winner and the rest of the run is its self-duel, in one block;
nothing is drawn any more. Every other answer is a single duel: the path is the very one of stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.elimination.declaration import declaration_of, declare, nothing_declared
from duelbench.arrays import Flags, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below

# Places in InterleavedFilterState.cursor.
INCUMBENT, NEXT = range(2)


class InterleavedFilterState(NamedTuple):
    """``won[b]``, ``lost[b]``: duels that the incumbent won and lost against b since it is the incumbent.

    ``opponents`` marks the set W. ``cursor`` is [the incumbent or −1, where the round robin goes on].
    """

    log_inverse_delta: float
    opponents: Flags
    won: Ints
    lost: Ints
    cursor: Ints
    declared: Ints


@kernel
def next_opponent(state: InterleavedFilterState) -> int:
    """Return the next opponent of this round robin, −1 after the last."""
    for b in range(state.cursor[NEXT], state.opponents.shape[0]):
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
    state.cursor[NEXT] = 0
    if successor < 0:
        return
    state.cursor[INCUMBENT] = successor
    for b in range(state.opponents.shape[0]):
        if b == successor or state.won[b] > state.lost[b]:
            state.opponents[b] = False
        state.won[b] = 0
        state.lost[b] = 0


@kernel
def select(state: InterleavedFilterState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the incumbent against its opponents in turn, or commit to it when none is left."""
    cursor, declared = state.cursor, state.declared
    if declared[0] >= 0:
        return declared[0], declared[0], last - t + 1
    if cursor[INCUMBENT] < 0:
        cursor[INCUMBENT] = below(state.opponents.shape[0], rng)
        state.opponents[cursor[INCUMBENT]] = False
    opponent = next_opponent(state)
    if opponent < 0:
        judge(state)
        opponent = next_opponent(state)
        if opponent < 0:
            declare(declared, cursor[INCUMBENT], t)
            return declared[0], declared[0], last - t + 1
    cursor[NEXT] = opponent + 1
    return cursor[INCUMBENT], opponent, 1


@kernel
def update(state: InterleavedFilterState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome, unless it comes late and belongs to a former incumbent."""
    if first != second and first == state.cursor[INCUMBENT]:
        state.won[second] += wins
        state.lost[second] += count - wins


class InterleavedFilter(Algorithm):
    """Duel an incumbent against all others, until one of them replaces it or none is left."""

    name = "if"
    citation = (
        "Yue, Broder, Kleinberg, Joachims. The K-armed Dueling Bandits Problem. "
        "Journal of Computer and System Sciences 2012, IF2"
    )
    assumes = "total order, SST, STI"
    regret_order = "K log T"
    uses_horizon = True
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
            cursor=np.array([-1, 0], np.int64),
            declared=nothing_declared(),
        )

    def declaration(self, state: InterleavedFilterState) -> tuple[int, int] | None:
        """Return the last incumbent once no opponent is left."""
        return declaration_of(state.declared)
