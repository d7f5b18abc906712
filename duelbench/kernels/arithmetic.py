"""Bernoulli divergences in nats, the first round at which a logarithmic function reaches a value, argmin and argmax.

The last two are plain loops, since numba's reductions would allocate memory (see ``jit.kernel``).
"""

import math

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel

NEVER = 1 << 62
"""A round after every horizon."""


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


@kernel(inline=False)
def first_round_reaching(value: float, scale: float, offset: float) -> int:
    """Return the smallest integer t ≥ 1 with ``value <= scale * log(t) + offset``, as computed in floats.

    ``scale`` > 0. The exponential gives a first guess; the condition itself, computed as in a loop over rounds, decides
    between neighbouring rounds. The result is NEVER if t would exceed e^42, which is beyond every horizon.
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


@kernel
def least_place(values: Floats | Ints) -> int:
    """Return the index of the smallest entry, the first one in a tie."""
    place = 0
    for k in range(1, values.shape[0]):
        if values[k] < values[place]:
            place = k
    return place


@kernel
def most_place(values: Floats | Ints) -> int:
    """Return the index of the largest entry, the first one in a tie."""
    place = 0
    for k in range(1, values.shape[0]):
        if values[k] > values[place]:
            place = k
    return place
