"""Repeated sorting: sort all arms with single duels as comparisons, then sort them again, and so on.

The orders that the sorts find are not kept: the order is read from the counts of all duels. Sorting compares arms of
similar strength more often than random pairs do, at O(1) per duel and without a model. The reference is
``tests/reference/uniform.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

Quicksort compares all arms of a list with a random one of them, the pivot, then sorts the winners and the losers. Merge
sort sorts the first ⌈m/2⌉ of m arms and the rest, and merges the two lists. Both sort a new random order each time and
never ask for a pair twice within a sort.

It explores only: regret is not its aim, and no arm duels itself. Every answer is a single duel, so there is no hold.
With delayed outcomes it repeats the pair until the first outcome arrives, and that outcome decides.
"""

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import count_received
from duelbench.kernels.draws import below, shuffle


class RepeatedSortState(NamedTuple):
    """``order``: the arms, sorted in parts; ``buffer``: work space. The stack of the recursion has ``cursor[0].depth``
    lists, each at the places ``low[k]`` to ``high[k] − 1`` of ``order``; ``parts[k]`` counts its halves that are sorted
    or on the stack.

    ``cursor[0]`` describes the list that is partitioned or merged now. ``left``: the next place to read, when merging
    in the first half, which ends at ``middle``; ``right``: the next place in the second half, which ends at ``end``;
    ``pivot``: the place of a partition's pivot. ``upper``: the number of winners, or of arms merged; ``lower``: the
    number of losers. ``won``: the outcome of the comparison, −1 before it has arrived; ``asked``, ``received``,
    ``start``: see ``kernels.blocks``.
    """

    quick: bool
    order: Ints
    buffer: Ints
    low: Ints
    high: Ints
    parts: Ints
    cursor: Record


@kernel
def _push(state: RepeatedSortState, low: int, high: int) -> None:
    """Put a list on the stack if there is anything to sort."""
    if high - low >= 2:
        depth = state.cursor[0].depth
        state.low[depth] = low
        state.high[depth] = high
        state.parts[depth] = 0
        state.cursor[0].depth = depth + 1


@kernel(inline=False)
def _start_list(state: RepeatedSortState, rng: np.random.Generator) -> None:
    """Take the next list from the stack (in merge sort, after its halves); begin a new sort if the stack is empty."""
    cursor = state.cursor[0]
    if cursor.depth == 0:
        shuffle(state.order, state.order.shape[0], rng)
        _push(state, 0, state.order.shape[0])
    while True:
        top = cursor.depth - 1
        low, high = state.low[top], state.high[top]
        middle = (low + high + 1) // 2
        if state.quick or state.parts[top] == 2:
            break
        state.parts[top] += 1
        if state.parts[top] == 1:
            _push(state, low, middle)
        else:
            _push(state, middle, high)
    cursor.depth = top
    cursor.low, cursor.left, cursor.middle, cursor.end = low, low, middle, high
    cursor.right = low + below(high - low, rng) if state.quick else middle
    cursor.pivot = state.order[cursor.right]
    cursor.upper = 0
    cursor.lower = 0


@kernel
def _open_list(state: RepeatedSortState) -> bool:
    """Return whether the list has a comparison left; skip the pivot."""
    cursor = state.cursor[0]
    if not state.quick:
        return cursor.left < cursor.middle and cursor.right < cursor.end  # type: ignore[no-any-return]
    if cursor.left == cursor.right:
        cursor.left += 1
    return cursor.left < cursor.end  # type: ignore[no-any-return]


@kernel(inline=False)
def _finish_list(state: RepeatedSortState) -> None:
    """Write the merged list, or the winners, the pivot and the losers; put the winners and losers on the stack."""
    cursor, order, buffer = state.cursor[0], state.order, state.buffer
    place = cursor.low + cursor.upper
    if state.quick:
        order[place] = cursor.pivot
        for k in range(cursor.lower):
            order[place + 1 + k] = buffer[k]
        _push(state, place + 1, cursor.end)
        _push(state, cursor.low, place)
        return
    for k in range(cursor.middle - 1, cursor.left - 1, -1):
        order[place + k - cursor.left] = order[k]
    for k in range(cursor.upper):
        order[cursor.low + k] = buffer[k]


@kernel
def advance(state: RepeatedSortState) -> None:
    """Go on to the next comparison of the list, after the outcome of the last one."""
    cursor, order = state.cursor[0], state.order
    arm = order[cursor.left]
    if state.quick and cursor.won:
        order[cursor.low + cursor.upper] = arm
        cursor.upper += 1
        cursor.left += 1
    elif state.quick:
        state.buffer[cursor.lower] = arm
        cursor.lower += 1
        cursor.left += 1
    elif cursor.won:
        state.buffer[cursor.upper] = arm
        cursor.upper += 1
        cursor.left += 1
    else:
        state.buffer[cursor.upper] = order[cursor.right]
        cursor.upper += 1
        cursor.right += 1


@kernel
def select(state: RepeatedSortState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the two arms that the sort compares next."""
    cursor = state.cursor[0]
    if cursor.won >= 0 or cursor.asked == 0:
        if cursor.asked > 0:
            advance(state)
        if not _open_list(state):
            if cursor.asked > 0:
                _finish_list(state)
            _start_list(state, rng)
            _open_list(state)
        cursor.won = -1
        cursor.start = cursor.asked
    cursor.asked += 1
    return state.order[cursor.left], cursor.pivot if state.quick else state.order[cursor.right], 1


@kernel
def update(state: RepeatedSortState, first: int, second: int, wins: int, count: int) -> None:
    """Record the first outcome of the comparison."""
    if first == second:
        return
    cursor = state.cursor[0]
    if count_received(state.cursor, count) and cursor.won < 0:
        cursor.won = int(2 * wins > count)


class RepeatedSort(Algorithm):
    """Sort all arms with single duels, again and again; pure exploration that ignores regret."""

    name = "repeated-sort"
    title = "Repeated sort"
    citation = (
        "Maystre, Grossglauser. Just Sort It! A Simple and Effective Approach to Active Preference Learning. ICML 2017"
    )
    assumes = "Bradley–Terry–Luce model"
    finds_order = True
    regret_order = "not its aim: it only explores"
    State = RepeatedSortState
    select = staticmethod(select)
    update = staticmethod(update)

    sort: Literal["merge", "quick"] = Field("merge", description="how it sorts: merge sort or quicksort")

    def start(self, arms: int, horizon: int) -> RepeatedSortState:
        """Return the state before the first round."""
        return RepeatedSortState(
            quick=self.sort == "quick",
            order=np.arange(arms),
            buffer=np.zeros(arms, np.int64),
            low=np.zeros(arms, np.int64),
            high=np.zeros(arms, np.int64),
            parts=np.zeros(arms, np.int64),
            cursor=record(
                depth=0,
                low=0,
                left=0,
                middle=0,
                right=0,
                end=0,
                pivot=0,
                upper=0,
                lower=0,
                won=-1,
                asked=0,
                received=0,
                start=0,
            ),
        )
