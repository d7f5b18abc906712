"""The round at which something that grows like log t has caught up with a number that stands still."""

from __future__ import annotations

import math

from duelbench.compiling.jit import kernel

NEVER = 1 << 62
"""A round beyond every horizon."""


@kernel(inline=False)
def first_round_reaching(value: float, scale: float, offset: float) -> int:
    """Return the least integer t ≥ 1 with ``value <= scale * log(t) + offset``, in exactly this arithmetic.

    ``scale`` > 0. The exponential is only a guess: the predicate itself, as a loop over rounds would evaluate it,
    decides between neighbours. NEVER when t would exceed e^42, beyond any horizon.
    """
    exponent = (value - offset) / scale
    if exponent > 42.0:
        return NEVER
    t = max(1, math.ceil(math.exp(max(0.0, exponent))))
    while t > 1 and value <= scale * math.log(t - 1) + offset:
        t -= 1
    while value > scale * math.log(t) + offset:
        t += 1
    return t


@kernel(inline=False)
def first_round_beyond_log_log(value: float, scale: float) -> int:
    """Return the least integer t ≥ 3 with ``scale * log(log(t)) > value``, in exactly this arithmetic; scale > 0."""
    if value / scale > math.log(42.0):
        return NEVER
    t = max(3, math.ceil(math.exp(math.exp(value / scale))))
    while t > 3 and scale * math.log(math.log(t - 1)) > value:
        t -= 1
    while scale * math.log(math.log(t)) <= value:
        t += 1
    return t


@kernel(inline=False)
def first_round_beyond_log(value: float) -> int:
    """Return the least integer t ≥ 1 with ``log(t) > value``, in exactly this arithmetic."""
    if value > 42.0:
        return NEVER
    t = max(1, math.ceil(math.exp(max(0.0, value))))
    while t > 1 and math.log(t - 1) > value:
        t -= 1
    while math.log(t) <= value:
        t += 1
    return t


@kernel(inline=False)
def first_round_beyond_root_log(value: float, scale: float) -> int:
    """Return the least integer t ≥ 1 with ``scale * sqrt(log(t)) > value``, in exactly this arithmetic; value ≥ 0."""
    exponent = (value / scale) ** 2
    if exponent > 42.0:
        return NEVER
    t = max(1, math.ceil(math.exp(exponent)))
    while t > 1 and scale * math.sqrt(math.log(t - 1)) > value:
        t -= 1
    while scale * math.sqrt(math.log(t)) <= value:
        t += 1
    return t
