"""The opponent of a champion c: the arm with the largest ``u[j, c]``, as RUCB, RCS and CCB choose it.

``u[c, c] = 1/2``, and c is not allowed to win a tie against another arm. So c is its own opponent only when nobody
else reaches 1/2, that is when every pair of c is decided in its favour.
"""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Ints
from duelbench.kernels.confidence import Comparisons, upper_bound
from duelbench.kernels.draws import pick
from duelbench.kernels.jit import kernel


@kernel
def challenger(comparisons: Comparisons, c: int, t: int, found: Ints, rng: np.random.Generator) -> int:
    """Return the challenger among all arms at round t; ``found`` is room for a list of arms."""
    count = 0
    for j in range(comparisons.losses.shape[0]):
        if j != c and comparisons.sign[c, j] <= 0:
            found[count] = j
            count += 1
    return c if count == 0 else highest_bound(comparisons, c, t, found, count, rng)


@kernel
def highest_bound(comparisons: Comparisons, c: int, t: int, rivals: Ints, count: int, rng: np.random.Generator) -> int:
    """Return the one of the first ``count`` ≥ 1 rivals with the largest ``u[j, c]``, ties at random.

    ``rivals`` is overwritten.
    """
    best = -1.0
    ties = 0
    for k in range(count):
        j = rivals[k]
        bound = upper_bound(comparisons, j, c, t)
        if bound > best:
            best = bound
            ties = 0
        if bound == best:
            rivals[ties] = j
            ties += 1
    return pick(rivals, ties, rng)
