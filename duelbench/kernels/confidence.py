"""Counts of comparisons and the pairs that they decide: the confidence bounds of RUCB, RCS, CCB and D-TS.

With ``u = p̂ + sqrt(α log t / n)`` and ``l = p̂ − sqrt(α log t / n)`` a pair is *undecided* at t exactly when ``n = 0``
or ``(w_ij − w_ji)² / (4n) ≤ α log t``, that is ``l ≤ 1/2 ≤ u`` seen from either arm. Every set in these algorithms
follows from this predicate, so its value is stored and evaluated only on a change: a duel changes one pair, and the
growth of t can only make decided pairs undecided, at a round that is known in advance. A round therefore needs no
logarithm and no square root unless one of the two happens.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, Signs, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.extremes import least_place
from duelbench.kernels.thresholds import NEVER, first_round_reaching


class Comparisons(NamedTuple):
    """The counts of every pair of K arms, and which pairs are decided with confidence parameter α.

    ``wins[i, j]``: duels of i against j that i won. ``sign[i, j]``: +1 if i beats j with confidence, −1 if it
    loses, 0 if the pair is undecided. ``losses[i]``: arms that beat i with confidence. ``evidence[i, j]`` is
    ``(w_ij − w_ji)² / (4n)`` of a decided pair; ``weakest[i]`` a lower bound on it over the decided pairs of i.
    ``clock[0]`` has ``now``, the last round seen; ``level``, α log of that round or of an earlier one; ``expiry``, the
    first round at which some decided pair may be undecided again; ``expiry_level``, α log of that. ``expired[i]``:
    whether a pair of i became undecided in the last ``advance`` that returned True.
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
def set_sign(comparisons: Comparisons, i: int, j: int, sign: int) -> None:
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
def expire(comparisons: Comparisons, evidence: float) -> None:
    """Set the expiry to the round at which a pair with this evidence, the smallest of all, is undecided again."""
    clock = comparisons.clock[0]
    clock.expiry = first_round_reaching(evidence, comparisons.alpha, 0.0)
    clock.expiry_level = comparisons.alpha * math.log(clock.expiry)


@kernel
def count_duels(comparisons: Comparisons, i: int, j: int, wins: int, count: int) -> None:
    """Add ``count`` duels of i against j ≠ i, of which i won ``wins``.

    The sign of the pair is that at the round of the last ``advance``; the next ``advance`` updates it to the current
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
            set_sign(comparisons, i, j, 0)
        return
    sign = 1 if difference > 0 else -1
    if comparisons.sign[i, j] != sign:
        set_sign(comparisons, i, j, sign)
    comparisons.evidence[i, j] = evidence
    comparisons.evidence[j, i] = evidence
    comparisons.weakest[i] = min(comparisons.weakest[i], evidence)
    comparisons.weakest[j] = min(comparisons.weakest[j], evidence)
    if evidence <= clock.expiry_level:
        expire(comparisons, evidence)


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
                    set_sign(comparisons, i, j, 0)
                    comparisons.expired[i] = True
                    comparisons.expired[j] = True
                    changed = True
                else:
                    weakest = min(weakest, comparisons.evidence[i, j])
        comparisons.weakest[i] = weakest
    expire(comparisons, comparisons.weakest[least_place(comparisons.weakest)])
    return changed


@kernel
def upper_bound(comparisons: Comparisons, i: int, j: int, t: int) -> float:
    """Return ``u[i, j]`` at round t for i ≠ j; 2 for a pair never compared."""
    n = comparisons.wins[i, j] + comparisons.wins[j, i]
    if n == 0:
        return 2.0
    return comparisons.wins[i, j] / n + math.sqrt(comparisons.alpha * math.log(t) / n)  # type: ignore[no-any-return]
