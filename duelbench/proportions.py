"""Confidence intervals of proportions, and how proportions are printed."""

import math

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a probability, from the ``share`` of successes in ``trials`` > 0."""
    middle = (share + NORMAL**2 / (2 * trials)) / (1 + NORMAL**2 / trials)
    half = NORMAL / (1 + NORMAL**2 / trials) * math.sqrt(share * (1 - share) / trials + NORMAL**2 / (4 * trials**2))
    # The interval contains the share; rounding must not exclude it where they coincide, at 0 and 1.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def percent(p: float, draws: int = 0) -> str:
    """Format a probability in per cent, with one more digit near 0 and 1.

    If it is 0 or 1 in a number of ``draws``, show its 95 % bound by the rule of three: < 3 / draws or > 1 − 3 / draws.
    """
    if draws and p in (0, 1):
        return f"{'<' if p == 0 else '>'} {100 * (3 / draws if p == 0 else 1 - 3 / draws):.1f} %"
    if 0 < p < 0.001 or 0.999 < p < 1:
        return "< 0.1 %" if p < 0.5 else "> 99.9 %"
    return f"{100 * p:.1f} %" if 0 < p < 0.0995 or 0.9 < p < 1 else f"{100 * p:.0f} %"


def percent_with_interval(share: float, low: float, high: float) -> str:
    """Return a share and its interval in per cent: ``90 % (77–96)``."""
    return f"{100 * share:.0f} % ({100 * low:.0f}–{100 * high:.0f})"
