"""PL-PAC-AMPR: budgeted quicksorts of the arms whose ranks are not clear yet, for the Plackett–Luce model.

In that model the marginals of the orders that quicksort yields, even if it is cut short, are the probabilities of
duels, so that each sort counts for every two arms that it puts in different classes. Outside of the model the declared
order can be wrong however small δ is. The pseudo-code, step by step, is ``duelbench/reference/plackett_luce.py``;
``tests/test_catalogue.py`` checks that the paths are equal. On a pair at exactly 1/2, with ε = 0, it goes on to the end
of the run.

Hold. Every answer is a single duel until the order is declared; the rest of the run is the self-duel of its first arm,
in one block, and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenRank, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class PlpacAmprState(NamedTuple):
    """``met[i, j]`` orders of i and j are known, ``won[i, j]`` with i before j; a radius is
    ``sqrt(log(scale met²) / (2 met))``.

    ``queue``: the arms in random order. Arm i surely beats ``beaten[i]`` others, and possibly up to ``reach[i]``. Arms
    whose intervals overlap are in one component, ``component[i]``: components lie one after the other in ``line``.
    ``sorts[0]`` has the ``end`` there of the component that is sorted now and the ``budget`` left for it; ``low``,
    ``high`` and ``pivot`` of the current list, a part of it, and the ``place`` of the pivot's next opponent. The ends
    of the lists still to be sorted are in the first ``lists`` rows of ``stack``. ``ahead[i]``: whether i has beaten the
    pivot. ``first[k]``: whether a class begins at place k of the line. ``spare`` is for partitions. ``order``,
    ``declared``: see ``declaration``.
    """

    epsilon: float
    scale: float
    met: Ints
    won: Ints
    queue: Ints
    beaten: Ints
    reach: Ints
    component: Ints
    line: Ints
    first: Flags
    ahead: Flags
    spare: Ints
    stack: Ints
    sorts: Record
    order: Ints
    declared: Record


@kernel
def bounds(state: PlpacAmprState, i: int, j: int) -> tuple[float, float]:
    """Return the ends of the interval for how likely i beats j."""
    n = state.met[i, j]
    if n == 0:
        return -0.5, 1.5
    mean, radius = state.won[i, j] / n, math.sqrt(math.log(state.scale * n * n) / (2.0 * n))
    return mean - radius, mean + radius


@kernel(inline=False)
def bound_ranks(state: PlpacAmprState) -> None:
    """Count for every arm those that it surely, and possibly, beats."""
    arms = state.queue.shape[0]
    for i in range(arms):
        state.beaten[i] = 0
        state.reach[i] = 0
        for j in range(arms):
            if i != j:
                low, high = bounds(state, i, j)
                state.beaten[i] += low > 0.5
                state.reach[i] += high >= 0.5


@kernel(inline=False)
def is_clear(state: PlpacAmprState) -> bool:
    """Return whether any two arms whose intervals of ranks overlap differ by less than ε, with confidence."""
    arms = state.queue.shape[0]
    for i in range(arms):
        for j in range(arms):
            if i != j and state.beaten[i] <= state.reach[j] and state.beaten[j] <= state.reach[i]:
                low, high = bounds(state, i, j)
                if not (low > 0.5 - state.epsilon and high < 0.5 + state.epsilon):
                    return False
    return True


@kernel(inline=False)
def find_components(state: PlpacAmprState) -> None:
    """Number the components by their ranks and put them one after the other."""
    arms = state.queue.shape[0]
    number, until, placed = -1, -1, 0
    for rank in range(arms):
        top = -1
        for i in range(arms):
            if state.beaten[i] == rank:
                top = max(top, state.reach[i])
        if top >= 0 and rank > until:
            number += 1
        until = max(until, top)
        for i in range(arms):
            if state.beaten[i] == rank:
                state.component[i] = number
    for each in range(number + 1):
        for k in range(arms):
            if state.component[state.queue[k]] == each:
                state.line[placed] = state.queue[k]
                placed += 1


@kernel
def push(state: PlpacAmprState, low: int, high: int) -> None:
    """Note a list that is still to be sorted."""
    sorts = state.sorts[0]
    state.stack[sorts.lists, 0] = low
    state.stack[sorts.lists, 1] = high
    sorts.lists += 1


@kernel(inline=False)
def partition(state: PlpacAmprState) -> None:
    """Put the winners before the pivot and the losers behind it, as lists still to be sorted."""
    sorts, line, spare = state.sorts[0], state.line, state.spare
    filled = sorts.low
    for k in range(sorts.low, sorts.high):
        if line[k] != sorts.pivot and state.ahead[line[k]]:
            spare[filled] = line[k]
            filled += 1
    middle = filled
    spare[filled] = sorts.pivot
    filled += 1
    for k in range(sorts.low, sorts.high):
        if line[k] != sorts.pivot and not state.ahead[line[k]]:
            spare[filled] = line[k]
            filled += 1
    for k in range(sorts.low, sorts.high):
        line[k] = spare[k]
    state.first[middle] = True
    if middle + 1 < sorts.high:
        state.first[middle + 1] = True
    push(state, middle + 1, sorts.high)
    push(state, sorts.low, middle)


@kernel(inline=False)
def count_orders(state: PlpacAmprState, low: int, high: int) -> None:
    """Count the orders of any two arms in different classes of a component."""
    for a in range(low, high):
        other_class = False
        for b in range(a + 1, high):
            other_class = other_class or state.first[b]
            if other_class:
                i, j = state.line[a], state.line[b]
                state.met[i, j] += 1
                state.met[j, i] += 1
                state.won[i, j] += 1


@kernel(inline=False)
def next_component(state: PlpacAmprState) -> bool:
    """Begin to sort the next component of at least two arms; tell whether there is one."""
    sorts, line = state.sorts[0], state.line
    while sorts.end < line.shape[0]:
        low = sorts.end
        while sorts.end < line.shape[0] and state.component[line[sorts.end]] == state.component[line[low]]:
            state.first[sorts.end] = False
            sorts.end += 1
        size = sorts.end - low
        if size > 1:
            sorts.start = low
            sorts.budget = int(3.0 * (size + 1.0) * math.log(size)) + 1
            push(state, low, sorts.end)
            return True
    return False


@kernel(inline=False)
def next_list(state: PlpacAmprState, rng: np.random.Generator) -> bool:
    """Draw the pivot of the next list that the budget suffices for; tell whether there is one."""
    sorts = state.sorts[0]
    while sorts.lists > 0:
        sorts.lists -= 1
        low, high = state.stack[sorts.lists]
        if 2 <= high - low <= sorts.budget + 1:
            sorts.budget -= high - low - 1
            sorts.low = low
            sorts.high = high
            sorts.place = low
            sorts.pivot = state.line[low + int(rng.random() * (high - low))]
            return True
    return False


@kernel(inline=False)
def sort_by_wins(state: PlpacAmprState) -> None:
    """Order the arms by how many they surely beat, equal ones as in the queue."""
    arms = state.queue.shape[0]
    for a in range(arms):
        place = 0
        for b in range(arms):
            more = state.beaten[state.queue[b]] - state.beaten[state.queue[a]]
            if more > 0 or (more == 0 and b < a):
                place += 1
        state.order[place] = state.queue[a]


@kernel(inline=False)
def proceed(state: PlpacAmprState, t: int, rng: np.random.Generator) -> None:
    """Partition the list; go on to the next one, of the next component, after new counts, or declare the order."""
    sorts, queue = state.sorts[0], state.queue
    if sorts.pivot < 0:
        shuffle(queue, queue.shape[0], rng)
    else:
        partition(state)
        if next_list(state, rng):
            return
        count_orders(state, sorts.start, sorts.end)
        if next_component(state) and next_list(state, rng):
            return
        bound_ranks(state)
        if is_clear(state):
            shuffle(queue, queue.shape[0], rng)
            sort_by_wins(state)
            declare(state.declared, state.order[0], t)
            return
    find_components(state)
    sorts.end = 0
    next_component(state)
    next_list(state, rng)


@kernel
def skip_pivot(state: PlpacAmprState) -> None:
    """Go on to the next opponent: the pivot is none."""
    sorts = state.sorts[0]
    if sorts.place < sorts.high and state.line[sorts.place] == sorts.pivot:
        sorts.place += 1


@kernel
def select(state: PlpacAmprState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pivot against its next opponent, or the first arm of the order against itself."""
    sorts, declared = state.sorts[0], state.declared[0]
    if declared.winner < 0:
        skip_pivot(state)
        if sorts.place == sorts.high:
            proceed(state, t, rng)
            skip_pivot(state)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    sorts.place += 1
    return sorts.pivot, state.line[sorts.place - 1], 1


@kernel
def update(state: PlpacAmprState, first: int, second: int, wins: int, count: int) -> None:
    """Note on which side of the pivot its opponent is."""
    if first != second:
        state.ahead[second] = wins == 0


class PlpacAmpr(ExploreThenRank):
    """Find the order of all arms up to ε, by quicksorts of the arms whose ranks are not clear."""

    name = "plpac-ampr"
    title = "PLPAC-AMPR"
    citation = (
        "Szörényi, Busa-Fekete, Paul, Hüllermeier. Online Rank Elicitation for Plackett-Luce: A Dueling Bandits "
        "Approach. NeurIPS 2015, PLPAC-AMPR"
    )
    assumes = "Plackett–Luce model"
    regret_order = "no bound"
    uses_horizon = False
    supports_delay = False  # the orders of a sort are counted when all its outcomes are there
    State = PlpacAmprState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.0, ge=0, le=0.5, description="slack ε: arms that differ by less may be declared in either order"
    )
    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring an order that is wrong beyond ε")

    def start(self, arms: int, horizon: int) -> PlpacAmprState:
        """Return the state before the first round."""
        each = np.arange(arms)
        return PlpacAmprState(
            epsilon=self.epsilon,
            scale=4 * arms**2 / self.delta,
            met=np.zeros((arms, arms), np.int64),
            won=np.zeros((arms, arms), np.int64),
            queue=each.copy(),
            beaten=np.zeros(arms, np.int64),
            reach=np.full(arms, arms - 1),
            component=np.zeros(arms, np.int64),
            line=each.copy(),
            first=np.zeros(arms, np.bool_),
            ahead=np.zeros(arms, np.bool_),
            spare=each.copy(),
            stack=np.zeros((arms + 1, 2), np.int64),
            sorts=record(start=0, end=0, budget=0, low=0, high=0, pivot=-1, place=0, lists=0),
            order=each.copy(),
            declared=nothing_declared(),
        )
