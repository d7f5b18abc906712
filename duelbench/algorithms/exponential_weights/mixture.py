"""Exponential weights mixed with uniform exploration."""

from __future__ import annotations

import math

from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel


@kernel
def mix(scores: Floats, rate: float, gamma: float, p: Floats) -> None:
    """Write ``(1 − γ) exp(rate · scores[i]) / Σ exp(rate · scores) + γ/K`` into ``p``; the rate is not negative.

    Scores of any size: the largest is subtracted first, so nothing overflows, and what underflows is less than 10⁻³⁰⁰.
    """
    K = scores.shape[0]
    largest = scores[0]
    for arm in range(1, K):
        largest = max(largest, scores[arm])
    total = 0.0
    for arm in range(K):
        p[arm] = math.exp(rate * (scores[arm] - largest))
        total += p[arm]
    share, uniform = (1.0 - gamma) / total, gamma / K
    for arm in range(K):
        p[arm] = share * p[arm] + uniform
