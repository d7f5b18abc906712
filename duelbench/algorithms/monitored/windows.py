"""Change detection on the outcomes of a pair: the newer half of the last w outcomes against the older half."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Signs
from duelbench.compiling.jit import kernel


class Windows(NamedTuple):
    """``length``: w, even. ``outcomes[k]``: the last outcomes of pair k, 0 or 1, each at the place of its number modulo
    w. ``seen[k]``: how many there were. ``newer[k]``, ``older[k]``: the sums of the last w/2 and of the w/2 before.
    """

    length: int
    outcomes: Signs
    seen: Ints
    newer: Ints
    older: Ints


def even(least: float) -> int:
    """Return the least even integer, 2 at least, that is not below a number."""
    return max(2, 2 * math.ceil(math.ceil(least) / 2))


def new_windows(pairs: int, length: int, most: int) -> Windows:
    """Return empty windows for pairs with at most so many outcomes, which limits their size."""
    return Windows(
        length,
        np.zeros((pairs, min(length, most)), np.int8),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
    )


@kernel
def empty(windows: Windows) -> None:
    """Forget all outcomes."""
    for k in range(windows.seen.shape[0]):
        windows.seen[k] = 0
        windows.newer[k] = 0
        windows.older[k] = 0


@kernel
def push(windows: Windows, k: int, outcome: int) -> int:
    """Record an outcome of pair k; return the difference of the sums of both halves, −1 with fewer than w outcomes."""
    w, seen, outcomes = windows.length, windows.seen[k], windows.outcomes[k]
    if seen >= w:
        windows.older[k] -= outcomes[seen % w]
    if seen >= w // 2:
        middle = outcomes[(seen - w // 2) % w]
        windows.newer[k] -= middle
        windows.older[k] += middle
    windows.newer[k] += outcome
    outcomes[seen % w] = outcome
    windows.seen[k] = seen + 1
    return abs(windows.newer[k] - windows.older[k]) if seen + 1 >= w else -1
