"""The first round at which a function that grows like log t reaches a constant."""

from __future__ import annotations

import math

from duelbench.compiling.jit import kernel

NEVER = 1 << 62
"""A round after every horizon."""


@kernel(inline=False)
def first_round_reaching(value: float, scale: float, offset: float) -> int:
    """Return the smallest integer t ≥ 1 with ``value <= scale * log(t) + offset``, in this floating-point arithmetic.

    ``scale`` > 0. The exponential gives a first guess; the predicate, evaluated as in a loop over rounds, decides
    between neighbouring rounds. NEVER if t would exceed e^42, which is more than any horizon.
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
    """Return the smallest integer t ≥ 3 with ``scale * log(log(t)) > value``, as computed in floats; scale > 0."""
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
    """Return the smallest integer t ≥ 1 with ``log(t) > value``, as computed in floats."""
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
    """Return the smallest integer t ≥ 1 with ``scale * sqrt(log(t)) > value``, as computed in floats; value ≥ 0."""
    exponent = (value / scale) ** 2
    if exponent > 42.0:
        return NEVER
    t = max(1, math.ceil(math.exp(exponent)))
    while t > 1 and scale * math.sqrt(math.log(t - 1)) > value:
        t -= 1
    while scale * math.sqrt(math.log(t)) <= value:
        t += 1
    return t
