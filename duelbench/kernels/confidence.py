"""The confidence bounds of RUCB, RCS, CCB and D-TS, and UCB bandits for reductions to multi-armed bandits.

With ``u = p̂ + sqrt(α log t / n)`` and ``l = p̂ − sqrt(α log t / n)`` a pair is *undecided* at t exactly when ``n = 0``
or ``(w_ij − w_ji)² / (4n) ≤ α log t``, that is ``l ≤ 1/2 ≤ u`` seen from either arm. Every set in these algorithms
follows from this predicate, so its value is stored and evaluated only when it may change: a duel changes one pair, and
the growth of t can only make decided pairs undecided, at a round that is known in advance. In all other rounds no
logarithm or square root is needed.

The opponent of a champion c in RUCB, RCS and CCB is the arm with the largest ``u[j, c]``. ``u[c, c] = 1/2``, and ties
are broken against c. So c is its own opponent only if no other arm has ``u[j, c] ≥ 1/2``, that is, if every pair of c
is decided in favour of c.

With many arms, most pairs have met a few times or never, so the rivals of c have few different records against c: about
20 for 1,000 arms after a million duels. Arms with the same record have the same bound at every t. A duel moves one arm
to another record in each of two rows, and a choice compares records instead of arms.

The UCB bandits have rewards in {0, 1}. The index of arm k is ``mean + sqrt(a log n / n_k)``, where n is the number of
plays of the bandit and n_k the number of plays of the arm; the index of an arm that was never played is infinite.
``sqrt(a log n)`` is the same for all arms, and ``1 / sqrt(n_k)`` changes only when k is played, so a choice needs one
logarithm and one square root for any number of arms.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Flags, Floats, Ints, Record, Signs, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER, first_round_reaching, least_place
from duelbench.kernels.draws import below, pick


class Bandits(NamedTuple):
    """Several UCB bandits over the same K arms.

    ``won[b, k]`` and ``plays[b, k]``: rewards and plays of arm k in bandit b. ``mean`` is their quotient and ``width``
    is ``1 / sqrt(plays)``; before the first play they are infinite and 0. ``total[b]``: plays of bandit b. ``found`` is
    a buffer for a list of arms.
    """

    alpha: float
    won: Ints
    plays: Ints
    mean: Floats
    width: Floats
    total: Ints
    found: Ints


def unplayed(bandits: int, arms: int, alpha: float) -> Bandits:
    """Return ``bandits`` new bandits with the factor ``alpha`` in their indices."""
    shape = (bandits, arms)
    return Bandits(
        alpha=alpha,
        won=np.zeros(shape, np.int64),
        plays=np.zeros(shape, np.int64),
        mean=np.full(shape, np.inf),
        width=np.zeros(shape),
        total=np.zeros(bandits, np.int64),
        found=np.zeros(arms, np.int64),
    )


@kernel
def forget(bandits: Bandits, b: int) -> None:
    """Reset bandit b."""
    for k in range(bandits.found.shape[0]):
        bandits.won[b, k] = 0
        bandits.plays[b, k] = 0
        bandits.mean[b, k] = np.inf
        bandits.width[b, k] = 0.0
    bandits.total[b] = 0


@kernel
def factor_of(bandits: Bandits, b: int) -> float:
    """Return ``sqrt(a log n)`` of bandit b, which is the same for all its arms."""
    return math.sqrt(bandits.alpha * math.log(max(1, bandits.total[b])))


@kernel
def choose_arm(bandits: Bandits, b: int, factor: float, rng: np.random.Generator) -> int:
    """Return the arm of bandit b with the largest index, ties at random; ``factor`` is ``factor_of`` b.

    There is no branch before the two largest indices are known, since the leading arm is hard to predict.
    """
    best, second = -1.0, -1.0
    place = 0
    for k in range(bandits.found.shape[0]):
        index = bandits.mean[b, k] + factor * bandits.width[b, k]
        place = k if index > best else place
        second = max(second, min(best, index))
        best = max(best, index)
    if second < best:
        return place
    count = 0
    for k in range(bandits.found.shape[0]):
        if bandits.mean[b, k] + factor * bandits.width[b, k] == best:
            bandits.found[count] = k
            count += 1
    return pick(bandits.found, count, rng)


@kernel
def reward(bandits: Bandits, b: int, arm: int, won: int, count: int) -> None:
    """Report ``count`` plays of ``arm`` to bandit b; ``won`` of them had reward 1."""
    bandits.won[b, arm] += won
    bandits.plays[b, arm] += count
    bandits.total[b] += count
    plays = bandits.plays[b, arm]
    bandits.mean[b, arm] = bandits.won[b, arm] / plays
    bandits.width[b, arm] = 1.0 / math.sqrt(plays)


class Comparisons(NamedTuple):
    """The counts of every pair of K arms, and which pairs are decided with confidence parameter α.

    ``wins[i, j]``: duels of i against j that i won. ``sign[i, j]``: +1 if i beats j with confidence, −1 if it loses, 0
    if the pair is undecided. ``losses[i]``: arms that beat i with confidence. ``evidence[i, j]`` is
    ``(w_ij − w_ji)² / (4n)`` of a decided pair; ``weakest[i]`` is a lower bound on it over the decided pairs of i.
    ``clock[0]`` has ``now``, the last round seen; ``level``, α log t of this or an earlier round t; ``expiry``, the
    first round at which some decided pair may be undecided again; ``expiry_level``, α log t of that round.
    ``expired[i]``: whether a pair of i became undecided in the last ``advance`` that returned True.
    """

    alpha: float
    wins: Ints
    sign: Signs
    losses: Ints
    evidence: Floats
    weakest: Floats
    clock: Record
    expired: Flags


def new_comparisons(arms: int, alpha: float) -> Comparisons:
    """Return the state before the first duel."""
    return Comparisons(
        alpha=alpha,
        wins=np.zeros((arms, arms), np.int64),
        sign=np.zeros((arms, arms), np.int8),
        losses=np.zeros(arms, np.int64),
        evidence=np.zeros((arms, arms)),
        weakest=np.full(arms, np.inf),
        clock=record(now=1, level=0.0, expiry=NEVER, expiry_level=alpha * math.log(NEVER)),
        expired=np.zeros(arms, np.bool_),
    )


@kernel
def _set_sign(comparisons: Comparisons, i: int, j: int, sign: int) -> None:
    """Set the pair to won by i (+1), lost by i (−1) or undecided (0)."""
    old = comparisons.sign[i, j]
    if old < 0:
        comparisons.losses[i] -= 1
    elif old > 0:
        comparisons.losses[j] -= 1
    if sign < 0:
        comparisons.losses[i] += 1
    elif sign > 0:
        comparisons.losses[j] += 1
    comparisons.sign[i, j] = sign
    comparisons.sign[j, i] = -sign


@kernel
def _expire(comparisons: Comparisons, evidence: float) -> None:
    """Set the expiry to the round at which a pair with this evidence, the smallest of all, is undecided again."""
    clock = comparisons.clock[0]
    clock.expiry = first_round_reaching(evidence, comparisons.alpha, 0.0)
    clock.expiry_level = comparisons.alpha * math.log(clock.expiry)


@kernel
def count_duels(comparisons: Comparisons, i: int, j: int, wins: int, count: int) -> None:
    """Add ``count`` duels of i against j ≠ i; i won ``wins`` of them.

    The sign of the pair refers to the round of the last ``advance``; the next ``advance`` updates it to the current
    round.
    """
    comparisons.wins[i, j] += wins
    comparisons.wins[j, i] += count - wins
    difference = comparisons.wins[i, j] - comparisons.wins[j, i]
    n = comparisons.wins[i, j] + comparisons.wins[j, i]
    evidence = difference**2 / (4 * n)
    clock = comparisons.clock[0]
    if clock.level < evidence <= clock.expiry_level:  # else the logarithm of this round is not needed
        clock.level = comparisons.alpha * math.log(clock.now)
    if evidence <= clock.level:
        if comparisons.sign[i, j] != 0:
            _set_sign(comparisons, i, j, 0)
        return
    sign = 1 if difference > 0 else -1
    if comparisons.sign[i, j] != sign:
        _set_sign(comparisons, i, j, sign)
    comparisons.evidence[i, j] = evidence
    comparisons.evidence[j, i] = evidence
    comparisons.weakest[i] = min(comparisons.weakest[i], evidence)
    comparisons.weakest[j] = min(comparisons.weakest[j], evidence)
    if evidence <= clock.expiry_level:
        _expire(comparisons, evidence)


@kernel
def advance(comparisons: Comparisons, t: int) -> bool:
    """Move to round t; return whether a pair became undecided meanwhile. Costs nothing before the expiry."""
    clock = comparisons.clock[0]
    clock.now = t
    if t < clock.expiry:
        return False
    changed = False
    threshold = comparisons.alpha * math.log(t)
    arms = comparisons.losses.shape[0]
    for i in range(arms):
        comparisons.expired[i] = False
    for i in range(arms):
        if comparisons.weakest[i] > threshold:
            continue
        weakest = np.inf
        for j in range(arms):
            if comparisons.sign[i, j] != 0:
                if comparisons.evidence[i, j] <= threshold:
                    _set_sign(comparisons, i, j, 0)
                    comparisons.expired[i] = True
                    comparisons.expired[j] = True
                    changed = True
                else:
                    weakest = min(weakest, comparisons.evidence[i, j])
        comparisons.weakest[i] = weakest
    _expire(comparisons, comparisons.weakest[least_place(comparisons.weakest)])
    return changed


@kernel
def upper_bound(comparisons: Comparisons, i: int, j: int, t: int) -> float:
    """Return ``u[i, j]`` at round t for i ≠ j; 2 for a pair never compared."""
    n = comparisons.wins[i, j] + comparisons.wins[j, i]
    if n == 0:
        return 2.0
    return comparisons.wins[i, j] / n + math.sqrt(comparisons.alpha * math.log(t) / n)  # type: ignore[no-any-return]


CLEAR = 1e-12
"""The order of two bounds that differ by more than this (on a scale of 1) does not depend on rounding."""
_UNMET, _OWN = 0, 1
"""The first groups in a row: the arms that c has never met, if any, and c itself."""


class Bounds(NamedTuple):
    """The parts of ``u[j, c] = p̂_jc + sqrt(α log t) / sqrt(n_jc)``: a round needs one square root for all arms.

    ``group[c, j]`` is the group of j in the row of c. Groups are numbered from 0 to ``used[c]`` − 1: ``rate[c, g]`` is
    p̂_jc of its arms and ``width[c, g]`` is ``1 / sqrt(n_jc)``; they are 2 and 0 for ``_UNMET``, 1/2 and 0 for
    ``_OWN``, and −1 and 0 for a group without arms. ``size[c, g]`` is the number of its arms, and ``places[c, g]`` the
    sum of their numbers, which identifies a single arm. ``found`` is a buffer for a list of arms.
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
    bounds.group[numbers, numbers] = _OWN
    bounds.rate[:, _UNMET] = 2.0
    bounds.rate[:, _OWN] = 0.5
    bounds.size[:, _UNMET] = arms - 1
    bounds.size[:, _OWN] = 1
    bounds.places[:, _UNMET] = arms * (arms - 1) // 2 - numbers
    bounds.places[:, _OWN] = numbers
    return bounds


@kernel
def renew_bounds(bounds: Bounds, comparisons: Comparisons, i: int, j: int) -> None:
    """Update the bounds of the pair after a duel."""
    share = 1.0 / (comparisons.wins[i, j] + comparisons.wins[j, i])
    width = math.sqrt(share)
    _regroup(bounds, i, j, comparisons.wins[j, i] * share, width)
    _regroup(bounds, j, i, comparisons.wins[i, j] * share, width)


@kernel
def _regroup(bounds: Bounds, c: int, j: int, rate: float, width: float) -> None:
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
def _member(bounds: Bounds, c: int, g: int, rng: np.random.Generator) -> int:
    """Return a random arm of group g of c, without a draw if it has a single arm."""
    if bounds.size[c, g] == 1:
        return int(bounds.places[c, g])
    return _nth_member(bounds, c, g, below(bounds.size[c, g], rng))


@kernel(inline=False)
def _nth_member(bounds: Bounds, c: int, g: int, n: int) -> int:
    """Return the n-th arm, from 0, of group g of c."""
    j = -1
    while n >= 0:
        j += 1
        n -= bounds.group[c, j] == g
    return j


@kernel
def _bound_of(bounds: Bounds, c: int, g: int, factor: float, undecided: bool) -> float:
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
        bound = _bound_of(bounds, c, g, factor, undecided)
        place = g if bound > best else place
        second = max(second, min(best, bound))
        best = max(best, bound)
    rate, width = bounds.rate[c, place], bounds.width[c, place]
    if best - second > CLEAR and not (undecided and rate - factor * width > 0.5 - CLEAR and rate < 2.0):
        return _member(bounds, c, place, rng)
    return _close_challenger(bounds, comparisons, c, t, 0 if undecided else -1, rng)


@kernel(inline=False)
def _close_challenger(
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
