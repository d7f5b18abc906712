"""Random choices from the policy stream, which draw only if there is more than one candidate.

The references in ``duelbench/reference`` follow the same convention, so their paths equal ours draw for draw.
"""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel


@kernel
def below(n: int, rng: np.random.Generator) -> int:
    """Return a uniform integer in 0 … n − 1, n ≤ 10⁶.

    Draws one double: eight times faster than ``rng.integers`` in a kernel, with a bias of less than n · 2⁻⁵³.
    """
    return int(rng.random() * n)


@kernel
def pick(candidates: Ints, count: int, rng: np.random.Generator) -> int:
    """Return one of the first ``count`` ≥ 1 entries of ``candidates``, uniformly."""
    if count == 1:
        return candidates[0]  # type: ignore[no-any-return]
    return candidates[below(count, rng)]  # type: ignore[no-any-return]


@kernel
def pick_weighted(weights: Floats, count: int, rng: np.random.Generator) -> int:
    """Return an index among the first ``count`` ≥ 1 with probability proportional to its weight."""
    left = 0.0
    for k in range(count):
        left += weights[k]
    left *= rng.random()
    k = 0
    while k < count - 1 and left >= weights[k]:
        left -= weights[k]
        k += 1
    return k
