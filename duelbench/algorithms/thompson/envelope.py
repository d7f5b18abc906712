"""An envelope above the posterior density of θ > 1/2: exponentials, cell by cell, for rejection sampling.

The log density of θ ~ Beta(w + 1, l + 1) is concave, so it lies below each of its tangents, and the density below the
exponential of one (Gilks & Wild, Adaptive rejection sampling, 1992). Cells of ``WIDTH`` posterior standard deviations
cut the side θ > 1/2, each with a tangent of its own. A value is proposed by choosing a cell with the integral of its
exponential for weight and drawing from that exponential; it is accepted with the chance density / exponential. So every
θ is accepted with its density, and in all 1 in (sum of the integrals) / P(θ > 1/2) is, hardly less than 1.

What is kept of θ is the gap θ − 1/2, which keeps its digits where the arms are nearly equal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.thompson.votes import log_density
from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel, rare_kernel
from duelbench.kernels.divergence import kl_from_half

CELLS, WIDTH = 20, 0.42
LOWEST = -4.0
"""The second cell begins so many standard deviations from the mean, or at θ = 1/2 if that is higher."""


class Envelope(NamedTuple):
    """Cells of sides of posteriors, whose places are the first axes of all arrays.

    Cell b reaches from gap ``edge[…, b]`` to the next one; ``mass[…, b]`` is the integral of its exponential;
    ``inverse[…, b]`` is 1 / kl(θ, 1/2) at the edge, which falls from one edge to the next.
    """

    edge: Floats
    mass: Floats
    inverse: Floats


def no_envelope(shape: tuple[int, ...]) -> Envelope:
    """Return the room for envelopes at places of this shape."""
    return Envelope(np.zeros((*shape, CELLS + 1)), np.zeros((*shape, CELLS)), np.zeros((*shape, CELLS + 1)))


@kernel
def envelope_at(envelope: Envelope, i: int, j: int) -> Envelope:
    """Return the envelope at a place of the first two axes."""
    return Envelope(envelope.edge[i, j], envelope.mass[i, j], envelope.inverse[i, j])


@kernel
def touch_of(envelope: Envelope, b: int) -> float:
    """Return the gap at which the tangent of cell b touches: where most of its mass is."""
    if b == 0:
        return envelope.edge[1]  # type: ignore[no-any-return]
    if b == CELLS - 1:
        return envelope.edge[b]  # type: ignore[no-any-return]
    return 0.5 * (envelope.edge[b] + envelope.edge[b + 1])  # type: ignore[no-any-return]


@kernel
def slope_at(gap: float, won: int, lost: int) -> float:
    """Return the derivative of the log density."""
    return won / (0.5 + gap) - lost / (0.5 - gap)


@kernel
def height_at(gap: float, won: int, lost: int) -> float:
    """Return the log density relative to θ = 1/2."""
    return won * math.log1p(2.0 * gap) + lost * math.log1p(-2.0 * gap)


@kernel
def inverse_divergence(gap: float) -> float:
    """Return 1 / kl(1/2 + gap, 1/2); infinite at 0, and so near it that the divergence is rounded to nothing."""
    divergence = kl_from_half(0.5 + gap)
    return 1.0 / divergence if divergence > 0.0 else np.inf


@rare_kernel
def set_envelope(envelope: Envelope, won: int, lost: int, mass: float, given: float) -> None:
    """Cut the side of a pair on which the one who ``won`` so often is above 1/2; ``mass = g(won, lost)``.

    Integrals are divided by ``given``, the chance of what is known already.
    """
    edge = envelope.edge
    duels = won + lost
    mean = 0.5 * (won - lost) / (duels + 2.0)
    deviation = math.sqrt((won + 1.0) * (lost + 1.0) / (duels + 3.0)) / (duels + 2.0)
    start = max(0.0, mean + LOWEST * deviation)
    edge[0], edge[CELLS] = 0.0, 0.5
    for b in range(1, CELLS):
        edge[b] = min(0.5, start + (b - 1) * WIDTH * deviation)
    for b in range(CELLS + 1):
        envelope.inverse[b] = inverse_divergence(edge[b])
    at_half = log_density(won, lost, mass, 0.0) - math.log(given)
    for b in range(CELLS):
        length = edge[b + 1] - edge[b]
        if length <= 0.0:
            envelope.mass[b] = 0.0
            continue
        touch = touch_of(envelope, b)
        slope = slope_at(touch, won, lost)
        highest = edge[b + 1] if slope > 0.0 else edge[b]
        top = math.exp(at_half + height_at(touch, won, lost) + slope * (highest - touch))
        envelope.mass[b] = top * (-math.expm1(-abs(slope) * length) / abs(slope) if slope != 0.0 else length)


@rare_kernel
def propose_gap(envelope: Envelope, b: int, won: int, lost: int, rng: np.random.Generator) -> float:
    """Draw a gap from the exponential of cell b; 0 if it is not accepted."""
    touch = touch_of(envelope, b)
    slope = slope_at(touch, won, lost)
    length = envelope.edge[b + 1] - envelope.edge[b]
    u = rng.random()
    down = -math.log1p(u * math.expm1(-abs(slope) * length)) / abs(slope) if slope != 0.0 else u * length
    gap = envelope.edge[b + 1] - down if slope > 0.0 else envelope.edge[b] + down
    if not 0.0 < gap < 0.5:
        return 0.0
    below = height_at(gap, won, lost) - height_at(touch, won, lost) - slope * (gap - touch)
    return gap if rng.random() < math.exp(below) else 0.0
