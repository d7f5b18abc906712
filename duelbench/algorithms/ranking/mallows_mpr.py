"""MallowsMPR: merge sort, in which each comparison goes on until it is sure which of the two arms is better.

The pseudo-code, step by step, is ``duelbench/reference/mallows.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``). On a pair at exactly 1/2 it goes on to the end of the run.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). Once it has declared an
order, its first arm duels itself for the rest of the run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenRank, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import NO_LIMIT, answer, begin, new_test, update


class MallowsMprState(NamedTuple):
    """``order``: the arms, in sorted parts; ``merged``: the arms of the current merge that are in place already.

    Row k of ``merges``: the k-th merge is of the sorted places ``low`` … ``middle`` − 1 and ``middle`` … ``high`` − 1.
    ``cursor[0]``: the number of the ``merge``, −1 before the first, and the places of its two heads, ``left`` and
    ``right``. ``scale``: ln(4C/δ). ``test``: see ``first_passage``; ``declared``: see ``declaration``.
    """

    scale: float
    order: Ints
    merged: Ints
    merges: Ints
    cursor: Record
    test: Record
    declared: Record


@kernel
def take(state: MallowsMprState, low: int, middle: int, from_left: bool) -> None:
    """Move the head of one of the two parts to the next place."""
    cursor = state.cursor[0]
    place = cursor.left + cursor.right - middle
    if from_left:
        state.merged[place] = state.order[cursor.left]
        cursor.left += 1
    else:
        state.merged[place] = state.order[cursor.right]
        cursor.right += 1


@kernel(inline=False)
def proceed(state: MallowsMprState, t: int, rng: np.random.Generator) -> None:
    """Move the winner; compare the next two heads, of the next merge once this is over, or declare the order."""
    order, cursor = state.order, state.cursor[0]
    if cursor.merge < 0:
        shuffle(order, order.shape[0], rng)
    else:
        low, middle, high = state.merges[cursor.merge]
        take(state, low, middle, state.test[0].verdict > 0)
        if cursor.left < middle and cursor.right < high:
            begin(state.test, order[cursor.left], order[cursor.right], state.scale, NO_LIMIT)
            return
        while cursor.left < middle or cursor.right < high:
            take(state, low, middle, cursor.left < middle)
        for place in range(low, high):
            order[place] = state.merged[place]
    cursor.merge += 1
    if cursor.merge == state.merges.shape[0]:
        declare(state.declared, order[0], t)
        return
    low, middle, high = state.merges[cursor.merge]
    cursor.left = low
    cursor.right = middle
    begin(state.test, order[low], order[middle], state.scale, NO_LIMIT)


@kernel
def select(state: MallowsMprState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the two heads of a merge, or the first arm of the order against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


def merges(low: int, high: int) -> Iterator[tuple[int, int, int]]:
    """Yield the merges that sort the places ``low`` … ``high`` − 1, in turn: (low, middle, high)."""
    if high - low > 1:
        middle = low + (high - low + 1) // 2
        yield from merges(low, middle)
        yield from merges(middle, high)
        yield low, middle, high


class MallowsMpr(ExploreThenRank):
    """Find the order of all arms: merge sort, each comparison until one of the two has won."""

    name = "mallows-mpr"
    title = "MallowsMPR"
    citation = (
        "Busa-Fekete, Hüllermeier, Szörényi. Preference-Based Rank Elicitation using Statistical Models: "
        "The Case of Mallows. ICML 2014, MallowsMPR"
    )
    assumes = "total order, no ties"
    regret_order = "no bound"
    uses_horizon = False
    State = MallowsMprState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another order than that of the arms")

    def start(self, arms: int, horizon: int) -> MallowsMprState:
        """Return the state before the first round."""
        comparisons = math.ceil(arms * math.log2(arms) - 0.91392 * arms + 1)
        return MallowsMprState(
            scale=math.log(4 * comparisons / self.delta),
            order=np.arange(arms),
            merged=np.arange(arms),
            merges=np.array(list(merges(0, arms))),
            cursor=record(merge=-1, left=0, right=0),
            test=new_test(),
            declared=nothing_declared(),
        )
