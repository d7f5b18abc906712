"""The order of the arms from the top down: what duels decide, what follows by transitivity, and which pairs are open.

An arm is unbeaten if no unranked arm is known to beat it. A single unbeaten arm is the best of the unranked ones and
next in the order; as long as there are several, the open pairs are the undecided ones of which an arm is unbeaten.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenRank
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel


class Inference(NamedTuple):
    """``beats[i, j]``: it is known that i is better than j; closed under transitivity.

    ``order``: first the ranked arms, best first, then the others in the order in which they are looked at; of each pair
    that is the first arm. ``unbeaten``: of the unranked arms, those that no other is known to beat. ``pairs``: the open
    pairs, one in a row. ``size[0]``: how many arms are ``ranked``, how many ``pairs`` there are.
    """

    beats: Flags
    order: Ints
    unbeaten: Flags
    pairs: Ints
    size: Record


def nothing_inferred(arms: int) -> Inference:
    """Return what is known before the first duel."""
    return Inference(
        beats=np.zeros((arms, arms), np.bool_),
        order=np.arange(arms),
        unbeaten=np.ones(arms, np.bool_),
        pairs=np.zeros((arms * (arms - 1) // 2, 2), np.int64),
        size=record(ranked=0, pairs=0),
    )


@kernel(inline=False)
def infer(known: Inference, i: int, j: int) -> None:
    """Add that i is better than j and what follows, unless the opposite is known."""
    beats = known.beats
    if beats[i, j] or beats[j, i]:
        return
    for a in range(beats.shape[0]):
        if a == i or beats[a, i]:
            for b in range(beats.shape[0]):
                if b == j or beats[j, b]:
                    beats[a, b] = True


@kernel
def find_unbeaten(known: Inference) -> tuple[int, int]:
    """Find the unbeaten arms; return their number and the place of the last one."""
    order, ranked = known.order, known.size[0].ranked
    count, last = 0, -1
    for place in range(ranked, order.shape[0]):
        unbeaten = True
        for other in range(ranked, order.shape[0]):
            unbeaten = unbeaten and not known.beats[order[other], order[place]]
        known.unbeaten[order[place]] = unbeaten
        if unbeaten:
            count += 1
            last = place
    return count, last


@kernel(inline=False)
def rank_and_open(known: Inference) -> bool:
    """Rank single unbeaten arms, one after the other, and list the pairs that are open then; tell whether any is."""
    order, size = known.order, known.size[0]
    size.pairs = 0
    while size.ranked < order.shape[0]:
        count, place = find_unbeaten(known)
        if count > 1:
            break
        best = order[place]
        for later in range(place, size.ranked, -1):
            order[later] = order[later - 1]
        order[size.ranked] = best
        size.ranked += 1
    for a in range(size.ranked, order.shape[0]):
        for b in range(a + 1, order.shape[0]):
            i, j = order[a], order[b]
            if (known.unbeaten[i] or known.unbeaten[j]) and not (known.beats[i, j] or known.beats[j, i]):
                known.pairs[size.pairs] = i, j
                size.pairs += 1
    return size.pairs > 0  # type: ignore[no-any-return]


class TopDown(ExploreThenRank):
    """What both algorithms that rank from the top down have in common; their states have ``known``, an Inference."""

    assumes = "total order, no ties"
    regret_order = "no bound"
    uses_horizon = False

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another order than that of the arms")

    def recommendation(self, state: Any) -> int | None:
        """Return the best arm once it is known."""
        return int(state.known.order[0]) if state.known.size[0].ranked else None
