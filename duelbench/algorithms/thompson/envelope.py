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

from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.votes import log_density

CELLS, WIDTH = 16, 0.52
LOWEST = -4.0
"""The second cell begins so many standard deviations from the mean, or at θ = 1/2 if that is higher."""
FLAT = 1e-300
"""The slope of a tangent without one, for the formulas of a sloping one."""


class Envelope(NamedTuple):
    """Cells of sides of posteriors, whose places are the first axes of all arrays.

    Cell b reaches from gap ``edge[…, b]`` to the next one; ``mass[…, b]`` is the integral of its exponential;
    ``inverse[…, b]`` is 1 / kl(θ, 1/2) at the edge, which falls from one edge to the next.
    """

    edge: Floats
    mass: Floats
    inverse: Floats


def new_envelope(shape: tuple[int, ...]) -> Envelope:
    """Return the buffers for envelopes at places of this shape."""
    return Envelope(np.zeros((*shape, CELLS + 1)), np.zeros((*shape, CELLS)), np.zeros((*shape, CELLS + 1)))


@kernel
def envelope_at(envelope: Envelope, i: int, j: int) -> Envelope:
    """Return the envelope at a place of the first two axes."""
    return Envelope(envelope.edge[i, j], envelope.mass[i, j], envelope.inverse[i, j])


@kernel
def inverse_divergence(gap: float) -> float:
    """Return 1 / kl(1/2 + gap, 1/2); infinite at 0, and so near it that the divergence is rounded to nothing."""
    divergence = kl_from_half(0.5 + gap)
    return np.inf if divergence <= 0.0 else 1.0 / divergence


@kernel
def tangent_of(envelope: Envelope, b: int, won: int, lost: int) -> tuple[float, float, float]:
    """Return where the tangent of cell b touches, its slope, and at which edge it is highest.

    It touches where most of the cell's mass is: in the middle, but of the long first and last cells at the inner edge.
    """
    low, high = envelope.edge[b], envelope.edge[b + 1]
    touch = min(max(0.5 * (low + high), envelope.edge[1]), envelope.edge[CELLS - 1])
    slope = won / (0.5 + touch) - lost / (0.5 - touch)
    return touch, slope, high if slope > 0.0 else low


@kernel(inline=False)
def set_envelope(envelope: Envelope, won: int, lost: int, mass: float, given: float) -> None:
    """Compute the cells for θ > 1/2 of an arm that has ``won`` and ``lost`` duels of a pair; ``mass = g(won, lost)``.

    Integrals are divided by ``given``, the probability of the event that is conditioned on.
    """
    edge = envelope.edge
    duels = won + lost
    deviation = math.sqrt((won + 1.0) * (lost + 1.0) / (duels + 3.0)) / (duels + 2.0)
    start = max(0.0, 0.5 * (won - lost) / (duels + 2.0) + LOWEST * deviation)
    width = min(WIDTH * deviation, (0.5 - start) / CELLS)
    for b in range(1, CELLS + 1):
        edge[b] = start + (b - 1) * width if b < CELLS else 0.5
    for b in range(CELLS + 1):
        envelope.inverse[b] = inverse_divergence(edge[b])
    for b in range(CELLS):
        touch, slope, highest = tangent_of(envelope, b, won, lost)
        steepness = max(abs(slope), FLAT)
        top = math.exp(log_density(won, lost, mass, touch) + slope * (highest - touch)) / given
        envelope.mass[b] = top * -math.expm1(-steepness * (edge[b + 1] - edge[b])) / steepness


@kernel(inline=False)
def propose_gap(envelope: Envelope, b: int, won: int, lost: int, rng: np.random.Generator) -> float:
    """Draw a gap from the exponential of cell b; nan if it is not accepted."""
    touch, slope, highest = tangent_of(envelope, b, won, lost)
    steepness = max(abs(slope), FLAT)
    length = envelope.edge[b + 1] - envelope.edge[b]
    down = -math.log1p(rng.random() * math.expm1(-steepness * length)) / steepness
    gap = highest - down if slope > 0.0 else highest + down
    below = log_density(won, lost, 1.0, gap) - log_density(won, lost, 1.0, touch) - slope * (gap - touch)
    return gap if rng.random() < math.exp(below) else np.nan
