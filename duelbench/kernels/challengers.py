"""The opponent of a champion c: the arm with the largest ``u[j, c]``, as in RUCB, RCS and CCB.

``u[c, c] = 1/2``, and ties are broken against c. So c is its own opponent only if no other arm has ``u[j, c] ≥ 1/2``,
that is, if every pair of c is decided in favour of c.

With many arms, most pairs have met a few times or never, so the rivals of c have few different records against c: about
20 for 1,000 arms after a million duels. Arms with the same record have the same bound at every t. A duel moves one arm
to another record in each of two rows, and a choice compares records instead of arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Comparisons, upper_bound
from duelbench.kernels.draws import below, pick

CLEAR = 1e-12
"""The order of two bounds that differ by more than this (on a scale of 1) does not depend on rounding."""
UNMET, OWN = 0, 1
"""The first groups in a row: the arms that c has never met, if any, and c itself."""


class Bounds(NamedTuple):
    """The parts of ``u[j, c] = p̂_jc + sqrt(α log t) / sqrt(n_jc)``: a round needs one square root for all arms.

    ``group[c, j]`` is the group of j in the row of c. Groups are numbered from 0 to ``used[c]`` − 1: ``rate[c, g]`` is
    p̂_jc of its arms and ``width[c, g]`` is ``1 / sqrt(n_jc)``; 2 and 0 of ``UNMET``, 1/2 and 0 of ``OWN``, −1 and 0 of
    a group without arms. ``size[c, g]``: its arms; ``places[c, g]``: the sum of their numbers, the number itself of a
    single arm. ``found`` is a buffer for a list of arms.
    """

    group: NDArray[np.uint16]
    used: Ints
    rate: Floats
    width: Floats
    size: NDArray[np.int32]
    places: NDArray[np.int32]
    found: Ints


def new_bounds(arms: int) -> Bounds:
    """Return the bounds before the first duel."""
    shape = (arms, arms)
    bounds = Bounds(
        group=np.zeros(shape, np.uint16),
        used=np.full(arms, 2),
        rate=np.zeros(shape),
        width=np.zeros(shape),
        size=np.zeros(shape, np.int32),
        places=np.zeros(shape, np.int32),
        found=np.zeros(arms, np.int64),
    )
    numbers = np.arange(arms)
    bounds.group[numbers, numbers] = OWN
    bounds.rate[:, UNMET] = 2.0
    bounds.rate[:, OWN] = 0.5
    bounds.size[:, UNMET] = arms - 1
    bounds.size[:, OWN] = 1
    bounds.places[:, UNMET] = arms * (arms - 1) // 2 - numbers
    bounds.places[:, OWN] = numbers
    return bounds


@kernel
def renew_bounds(bounds: Bounds, comparisons: Comparisons, i: int, j: int) -> None:
    """Update the bounds of the pair after a duel."""
    share = 1.0 / (comparisons.wins[i, j] + comparisons.wins[j, i])
    width = math.sqrt(share)
    regroup(bounds, i, j, comparisons.wins[j, i] * share, width)
    regroup(bounds, j, i, comparisons.wins[i, j] * share, width)


@kernel
def regroup(bounds: Bounds, c: int, j: int, rate: float, width: float) -> None:
    """Give j this record in the row of c.

    If most arms have a unique record, an arm that is alone in its group stays alone: a group with its new record is
    unlikely.
    """
    old = bounds.group[c, j]
    if bounds.size[c, old] == 1 and 4 * bounds.used[c] > 3 * bounds.found.shape[0]:
        bounds.rate[c, old] = rate
        bounds.width[c, old] = width
    else:
        join(bounds, c, j, rate, width)


@kernel(inline=False)
def join(bounds: Bounds, c: int, j: int, rate: float, width: float) -> None:
    """Move j to the group with this record in the row of c."""
    old, used = bounds.group[c, j], bounds.used[c]
    alone = bounds.size[c, old] == 1
    new = 0
    spare = used
    while new < used and (bounds.rate[c, new] != rate or bounds.width[c, new] != width):
        if bounds.size[c, new] == 0:
            spare = new
        new += 1
    if new == used:
        new = old if alone else spare
        bounds.rate[c, new] = rate
        bounds.width[c, new] = width
        if new == used:
            bounds.used[c] += 1
    if new == old:
        return
    bounds.group[c, j] = new
    bounds.size[c, new] += 1
    bounds.places[c, new] += j
    bounds.size[c, old] -= 1
    bounds.places[c, old] -= j
    if alone:
        bounds.rate[c, old] = -1.0
        bounds.width[c, old] = 0.0


@kernel
def member(bounds: Bounds, c: int, g: int, rng: np.random.Generator) -> int:
    """Return a random arm of group g of c, without a draw if it has a single arm."""
    if bounds.size[c, g] == 1:
        return int(bounds.places[c, g])
    return nth_member(bounds, c, g, below(bounds.size[c, g], rng))


@kernel(inline=False)
def nth_member(bounds: Bounds, c: int, g: int, n: int) -> int:
    """Return the n-th arm, from 0, of group g of c."""
    j = -1
    while n >= 0:
        j += 1
        n -= bounds.group[c, j] == g
    return j


@kernel
def bound_of(bounds: Bounds, c: int, g: int, factor: float, undecided: bool) -> float:
    """Return ``u[j, c]`` of the arms of group g; with ``undecided``, −1 if c has lost its pairs with them.

    A pair is undecided if ``l[j, c] ≤ 1/2 ≤ u[j, c]``; for the largest bound only the first inequality can fail.
    """
    rate, radius = bounds.rate[c, g], factor * bounds.width[c, g]
    return -1.0 if undecided and rate - radius > 0.5 + CLEAR and rate < 2.0 else rate + radius


@kernel
def challenger(
    bounds: Bounds, comparisons: Comparisons, c: int, t: int, undecided: bool, rng: np.random.Generator
) -> int:
    """Return the challenger at round t among all arms, or among those whose pairs with c are ``undecided``.

    Before the two largest bounds are known, no branch depends on the group, since that would be hard to predict.
    """
    factor = math.sqrt(comparisons.alpha * math.log(t))
    best, second = -1.0, -1.0
    place = 0
    for g in range(bounds.used[c]):
        bound = bound_of(bounds, c, g, factor, undecided)
        place = g if bound > best else place
        second = max(second, min(best, bound))
        best = max(best, bound)
    rate, width = bounds.rate[c, place], bounds.width[c, place]
    if best - second > CLEAR and not (undecided and rate - factor * width > 0.5 - CLEAR and rate < 2.0):
        return member(bounds, c, place, rng)
    return close_challenger(bounds, comparisons, c, t, 0 if undecided else -1, rng)


@kernel(inline=False)
def close_challenger(
    bounds: Bounds, comparisons: Comparisons, c: int, t: int, least: int, rng: np.random.Generator
) -> int:
    """Return the challenger if bounds are nearly equal: among undecided pairs or, with ``least`` −1, also lost ones."""
    found = bounds.found
    count = 0
    for j in range(found.shape[0]):
        if j != c and least <= comparisons.sign[c, j] <= 0:
            found[count] = j
            count += 1
    return c if count == 0 else highest_bound(comparisons, c, t, found, count, rng)


@kernel
def highest_bound(comparisons: Comparisons, c: int, t: int, rivals: Ints, count: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest ``u[j, c]`` among the first ``count`` ≥ 1 rivals, ties at random.

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
