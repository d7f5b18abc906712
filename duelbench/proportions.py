"""Confidence intervals of proportions."""

from __future__ import annotations

import math

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a probability, from the ``share`` of successes in ``trials`` > 0."""
    middle = (share + NORMAL**2 / (2 * trials)) / (1 + NORMAL**2 / trials)
    half = NORMAL / (1 + NORMAL**2 / trials) * math.sqrt(share * (1 - share) / trials + NORMAL**2 / (4 * trials**2))
    # The interval contains the share; rounding must not exclude it where they coincide, at 0 and 1.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
