"""Bernoulli divergences in nats, for the index of the RMED family and the intervals of SCB."""

from __future__ import annotations

import math

from duelbench.compiling.jit import kernel


@kernel
def kl_from_half(p: float) -> float:
    """Return ``kl(p, 1/2)`` for 0 ≤ p ≤ 1, with ``0 log 0 = 0``."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(2 * p)
    if p < 1.0:
        divergence += (1 - p) * math.log(2 * (1 - p))
    return divergence


@kernel
def kl(p: float, q: float) -> float:
    """Return ``kl(p, q)`` for 0 ≤ p ≤ 1 and 0 < q < 1, with ``0 log 0 = 0``."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(p / q)
    if p < 1.0:
        divergence += (1 - p) * math.log((1 - p) / (1 - q))
    return divergence
