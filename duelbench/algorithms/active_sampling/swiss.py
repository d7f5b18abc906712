"""Swiss system: rounds in which each arm meets an arm with about as many wins.

A round has ⌊K/2⌋ pairs. The arms are sorted by their wins so far, ties at random, and neighbours meet. If the number of
arms is odd, a random arm rests. Rematches are allowed. So the first round is random, and later ones compare arms of
similar strength, without a model of the strengths. The reference is ``tests/reference/uniform.py``;
``tests/test_catalogue.py`` checks that the paths are equal.

It explores only: regret is not its aim, and no arm duels itself. Every answer is a single duel, so there is no hold.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class SwissState(NamedTuple):
    """``wins`` of each arm; ``order``: the pairs of the round; ``cursor[0].place``: where the next pair is in it."""

    wins: Ints
    order: Ints
    cursor: Record


@kernel(inline=False)
def _start_round(state: SwissState, rng: np.random.Generator) -> None:
    """Sort the arms that play this round by their wins (insertion sort), after a shuffle that breaks ties."""
    order, wins = state.order, state.wins
    shuffle(order, order.shape[0], rng)
    for k in range(1, _playing(order)):
        arm, place = order[k], k
        while place > 0 and wins[order[place - 1]] < wins[arm]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = arm
    state.cursor[0].place = 0


@kernel
def _playing(order: Ints) -> int:
    """Return the number of arms in a round; if K is odd the last arm rests."""
    arms: int = order.shape[0]
    return arms // 2 * 2


@kernel
def select(state: SwissState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair of the round."""
    cursor = state.cursor[0]
    if cursor.place >= _playing(state.order):
        _start_round(state, rng)
    place = cursor.place
    cursor.place += 2
    return state.order[place], state.order[place + 1], 1


@kernel
def update(state: SwissState, first: int, second: int, wins: int, count: int) -> None:
    """Count the wins of both arms."""
    if first != second:
        state.wins[first] += wins
        state.wins[second] += count - wins


class Swiss(Algorithm):
    """Rounds that pair arms with about as many wins, as in chess; pure exploration that ignores regret."""

    name = "swiss"
    title = "Swiss system"
    citation = "baseline"
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = SwissState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> SwissState:
        """Return the state before the first round."""
        return SwissState(np.zeros(arms, np.int64), np.arange(arms), record(place=arms))

    def recommendation(self, state: SwissState) -> int | None:
        """Return the arm with the most wins, the first of several; None without wins."""
        return int(np.argmax(state.wins)) if state.wins.any() else None
