"""Wald's sequential probability ratio test of a pair: duel until one arm is more than a boundary of wins ahead.

Haddenhorst, Bengs, Brandt, Hüllermeier (UAI 2021): for |P − 1/2| > h it errs with probability γ at most.

Blocks. The boundary is the same whatever the number of duels, and a duel changes the lead by one. So with a lead of L
none of the next c − L duels can decide, and c + 1 − L may be drawn in one: if they decide it is by the last of them.
"""

from __future__ import annotations

import math

from duelbench.algorithms.identification.pair import lead
from duelbench.arrays import Record
from duelbench.compiling.jit import kernel


def sprt_boundary(h: float, gamma: float) -> int:
    """Return ``⌈ln((1 − γ)/γ) / ln((1/2 + h)/(1/2 − h))⌉``, 1 at least: the lead that does not decide yet."""
    return math.ceil(math.log((1 - gamma) / gamma) / max(math.log((0.5 + h) / (0.5 - h)), 1e-18))


@kernel
def sprt_decided(pair: Record, boundary: int) -> bool:
    """Return whether one arm is ahead by more than the boundary."""
    return lead(pair) > boundary


@kernel
def sprt_block(pair: Record, boundary: int) -> int:
    """Return the number of duels of an open pair of which none but the last can decide it."""
    return boundary + 1 - lead(pair)
