"""The opponent of a champion c: the arm with the largest ``u[j, c]``, as RUCB, RCS and CCB choose it.

``u[c, c] = 1/2``, and c is not allowed to win a tie against another arm. So c is its own opponent only when nobody
else reaches 1/2, that is when every pair of c is decided in its favour.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.confidence import Comparisons, upper_bound
from duelbench.kernels.draws import pick

CLEAR = 1e-12
"""Bounds that differ by more, on a scale of 1, are in the right order however they were rounded."""


class Bounds(NamedTuple):
    """What ``u[j, c] = p̂_jc + sqrt(α log t) / sqrt(n_jc)`` is made of, so that a round costs one root for all arms.

    ``rate[c, j]`` is p̂_jc and ``width[c, j]`` is ``1 / sqrt(n_jc)``, 2 and 0 for a pair never compared, 1/2 and 0 for
    j = c. ``found`` is room for a list of arms.
    """

    rate: Floats
    width: Floats
    found: Ints


def no_bounds(arms: int) -> Bounds:
    """Return the bounds before the first duel."""
    rate = np.full((arms, arms), 2.0)
    np.fill_diagonal(rate, 0.5)
    return Bounds(rate, np.zeros((arms, arms)), np.zeros(arms, np.int64))


@kernel
def renew_bounds(bounds: Bounds, comparisons: Comparisons, i: int, j: int) -> None:
    """Follow the counts of the pair after a duel."""
    share = 1.0 / (comparisons.wins[i, j] + comparisons.wins[j, i])
    width = math.sqrt(share)
    bounds.rate[i, j] = comparisons.wins[j, i] * share
    bounds.rate[j, i] = comparisons.wins[i, j] * share
    bounds.width[i, j] = width
    bounds.width[j, i] = width


@kernel
def challenger(bounds: Bounds, comparisons: Comparisons, c: int, t: int, rng: np.random.Generator) -> int:
    """Return the challenger among all arms at round t.

    No branch depends on which arm it is, which would be hard to predict, until the two largest bounds are known.
    """
    factor = math.sqrt(comparisons.alpha * math.log(t))
    best, second = -1.0, -1.0
    place = 0
    for j in range(bounds.found.shape[0]):
        bound = bounds.rate[c, j] + factor * bounds.width[c, j]
        place = j if bound > best else place
        second = max(second, min(best, bound))
        best = max(best, bound)
    if best - second > CLEAR and place != c:
        return place
    return close_challenger(bounds, comparisons, c, t, rng)


@rare_kernel
def close_challenger(bounds: Bounds, comparisons: Comparisons, c: int, t: int, rng: np.random.Generator) -> int:
    """Return the challenger where bounds are nearly equal, or where it may be c itself."""
    found = bounds.found
    count = 0
    for j in range(found.shape[0]):
        if j != c and comparisons.sign[c, j] <= 0:
            found[count] = j
            count += 1
    return c if count == 0 else highest_bound(comparisons, c, t, found, count, rng)


@kernel
def highest_bound(comparisons: Comparisons, c: int, t: int, rivals: Ints, count: int, rng: np.random.Generator) -> int:
    """Return the one of the first ``count`` ≥ 1 rivals with the largest ``u[j, c]``, ties at random.

    ``rivals`` is overwritten.
    """
    if count == 1:
        return rivals[0]  # type: ignore[no-any-return]
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
