"""The hypotheses of CCB: which arms may be Copeland winners, and which arms beat each other arm (its lines 2–4 and 9).

They change only when a pair becomes decided or undecided. Counts are updated on each such change, so checking whether a
hypothesis is refuted or open costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Comparisons
from duelbench.kernels.draws import below


class Hypotheses(NamedTuple):
    """The sets S and S^i, the number L, and how the decided pairs agree with them.

    ``shortlist[i]``: i ∈ S. ``beaters[i, j]``: j ∈ S^i, and ``size[i]`` is |S^i|. ``victories[i]``: arms that i beats
    with confidence, Cpld⁻(i). Of the arms of S^i ``doubtful[i]`` make undecided pairs with i, and i has beaten
    ``refuted[i]`` with confidence. ``totals[0]`` has ``most_losses``, which is L, and the sums of ``doubtful`` and
    ``refuted``.
    """

    shortlist: Flags
    beaters: Flags
    size: Ints
    victories: Ints
    doubtful: Ints
    refuted: Ints
    totals: Record


def new_hypotheses(arms: int) -> Hypotheses:
    """Return the hypotheses before the first duel."""
    return Hypotheses(
        shortlist=np.ones(arms, np.bool_),
        beaters=np.zeros((arms, arms), np.bool_),
        size=np.zeros(arms, np.int64),
        victories=np.zeros(arms, np.int64),
        doubtful=np.zeros(arms, np.int64),
        refuted=np.zeros(arms, np.int64),
        totals=record(most_losses=arms, doubtful=0, refuted=0),
    )


@kernel
def follow(hypotheses: Hypotheses, i: int, j: int, before: int, now: int) -> None:
    """Update the counts after the sign of the pair, seen from i, has changed from ``before`` to ``now``."""
    hypotheses.victories[i] += int(now > 0) - int(before > 0)
    if hypotheses.beaters[i, j]:
        totals = hypotheses.totals[0]
        doubtful, refuted = int(now == 0) - int(before == 0), int(now > 0) - int(before > 0)
        hypotheses.doubtful[i] += doubtful
        hypotheses.refuted[i] += refuted
        totals.doubtful += doubtful
        totals.refuted += refuted


@kernel(inline=False)
def count_again(hypotheses: Hypotheses, comparisons: Comparisons, i: int) -> None:
    """Update the counts of i after the signs of some of its pairs, or S^i, have changed."""
    sign, beaters = comparisons.sign, hypotheses.beaters
    victories, doubtful, refuted = 0, 0, 0
    for j in range(hypotheses.size.shape[0]):
        victories += int(sign[i, j] > 0)
        doubtful += int(beaters[i, j] and sign[i, j] == 0)
        refuted += int(beaters[i, j] and sign[i, j] > 0)
    totals = hypotheses.totals[0]
    totals.doubtful += doubtful - hypotheses.doubtful[i]
    totals.refuted += refuted - hypotheses.refuted[i]
    hypotheses.victories[i] = victories
    hypotheses.doubtful[i] = doubtful
    hypotheses.refuted[i] = refuted


@kernel
def clear_beaters(hypotheses: Hypotheses, i: int) -> None:
    """Empty S^i."""
    if hypotheses.size[i] == 0:
        return
    for j in range(hypotheses.size.shape[0]):
        hypotheses.beaters[i, j] = False
    hypotheses.size[i] = 0
    hypotheses.totals[0].doubtful -= hypotheses.doubtful[i]
    hypotheses.totals[0].refuted -= hypotheses.refuted[i]
    hypotheses.doubtful[i] = 0
    hypotheses.refuted[i] = 0


@kernel(inline=False)
def reset(hypotheses: Hypotheses) -> None:
    """Lines 2–4: forget all hypotheses."""
    arms = hypotheses.size.shape[0]
    for i in range(arms):
        hypotheses.shortlist[i] = True
        clear_beaters(hypotheses, i)
    hypotheses.totals[0].most_losses = arms


@kernel
def remove_losers(hypotheses: Hypotheses, comparisons: Comparisons) -> bool:
    """Line 9B; tell whether S became empty (and was reset)."""
    losses, sign = comparisons.losses, comparisons.sign
    arms = losses.shape[0]
    surest = 0  # the largest Cpld⁻
    for i in range(arms):
        surest = max(surest, hypotheses.victories[i])
    empty = True
    for i in range(arms):
        if not hypotheses.shortlist[i]:
            continue
        if arms - 1 - losses[i] >= surest:
            empty = False
            continue
        hypotheses.shortlist[i] = False
        if hypotheses.size[i] != hypotheses.totals[0].most_losses + 1:
            clear_beaters(hypotheses, i)
            for j in range(arms):
                hypotheses.beaters[i, j] = sign[i, j] < 0
            hypotheses.size[i] = losses[i]  # none of which is doubtful or refuted
    if empty:
        reset(hypotheses)
    return empty


@kernel
def add_winner(hypotheses: Hypotheses, comparisons: Comparisons, i: int, found: Ints, rng: np.random.Generator) -> None:
    """Line 9C for one arm of C all of whose pairs are decided; ``found`` is a buffer for a list of arms."""
    arms = hypotheses.size.shape[0]
    hypotheses.shortlist[i] = True
    clear_beaters(hypotheses, i)
    hypotheses.totals[0].most_losses = comparisons.losses[i]
    kept = comparisons.losses[i] + 1
    for j in range(arms):
        if j == i or hypotheses.size[j] == kept:
            continue
        if hypotheses.size[j] < kept:
            clear_beaters(hypotheses, j)
            continue
        count = 0
        for k in range(arms):
            if hypotheses.beaters[j, k]:
                found[count] = k
                count += 1
        clear_beaters(hypotheses, j)
        for k in range(kept):
            other = k + below(count - k, rng)
            hypotheses.beaters[j, found[other]] = True
            found[other] = found[k]
        hypotheses.size[j] = kept
        count_again(hypotheses, comparisons, j)


@kernel(inline=False)
def doubtful_pair(hypotheses: Hypotheses, comparisons: Comparisons, rng: np.random.Generator) -> tuple[int, int]:
    """Return an (i, j) at random with j ∈ S^i whose pair is undecided, of which there are some; of one draw nothing."""
    total = int(hypotheses.totals[0].doubtful)
    left = below(total, rng) if total > 1 else 0  # such pairs that come before
    i = 0
    while left >= hypotheses.doubtful[i]:
        left -= hypotheses.doubtful[i]
        i += 1
    j = -1
    while left >= 0:
        j += 1
        left -= int(hypotheses.beaters[i, j] and comparisons.sign[i, j] == 0)
    return i, j
