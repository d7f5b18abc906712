"""Cells of one side of a pair's posterior, and values in them, under a normal density times a constant.

Let θ = (1 + sin ψ) / 2 ~ Beta(w + 1, l + 1). The log density of ψ is a constant plus

    h(ψ) = α log(1 + sin ψ) + β log(1 − sin ψ),  α = w + 1/2,  β = l + 1/2,

with h″ = −(α / θ + β / (1 − θ)) / 2 ≤ −c, c = (√α + √β)² / 2. So h(ψ) ≤ h(τ) + h′(τ) (ψ − τ) − c (ψ − τ)² / 2 for
every τ: the logarithm of a normal density, apart from a constant. Its variance is nearly that of ψ, hence the use of ψ.
Here τ is the mode, or 0 if that is below; only ψ > 0, that is θ > 1/2, is looked at, and z = √c (ψ − centre).

Cells cut this side at steps of ``WIDTH`` in z. In each of them a tangent bounds the logarithm of the normal density, so
an exponential bounds the density. Its integral takes the place of the cell's chance, and values are drawn from it and
kept with the chance density / exponential: every θ of the cell is proposed, more often than its density requires, and
kept as often as that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.thompson.votes import log_density
from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel, rare_kernel

CELLS, WIDTH = 20, 0.42
LOWEST = -4.0
"""The first cell lies below this z, or is empty, if the side begins above; the last one reaches to θ = 1."""

LOWER_QUARTIC, UPPER_QUARTIC = 1.0 / 15.0, 2.0 * math.log(2.0) - 7.0 / 6.0
"""kl((1 + s) / 2, 1/2) = s²/2 · (1 + s²/6 + s⁴/15 + …) is at least, at most s²/2 · (1 + s²/6 + this · s⁴)."""

# Places in Cells.side.
CENTRE, SCALE, START, HEIGHT, WON, LOST, GIVEN = range(7)


class Cells(NamedTuple):
    """Cells of sides of posteriors, whose places are the first axes of all arrays.

    ``side`` has the centre, √c, the lowest z of the second cell, and h where the normal density has its maximum, as
    that bounds it; then what the cells were set for. ``mass[…, b]`` is the integral over cell b. ``inverse[…, b]``
    bounds 1 / kl(θ, 1/2) in it.
    """

    side: Floats
    mass: Floats
    inverse: Floats


def no_cells(shape: tuple[int, ...]) -> Cells:
    """Return the room for cells of sides at places of this shape."""
    return Cells(np.zeros((*shape, GIVEN + 1)), np.zeros((*shape, CELLS)), np.zeros((*shape, CELLS)))


@kernel
def cells_at(cells: Cells, place: int) -> Cells:
    """Return the cells at a place of the first axis."""
    return Cells(cells.side[place], cells.mass[place], cells.inverse[place])


@kernel
def touch_of(start: float, b: int) -> float:
    """Return where the tangent of cell b touches; not at 0, which would be a constant."""
    if b == 0:
        return start
    if b == CELLS - 1:
        return start + WIDTH * (CELLS - 2)
    middle = start + WIDTH * (b - 0.5)
    return middle if abs(middle) > 1e-9 else 1e-9


@kernel
def exponential_mass(touch: float, b: int) -> float:
    """Return the integral over cell b of the exponential that touches exp(−z² / 2) there."""
    if b == 0 or b == CELLS - 1:
        return math.exp(-0.5 * touch * touch) / abs(touch)
    return 2.0 * math.exp(-0.5 * touch * touch) * math.sinh(0.5 * WIDTH * touch) / touch


@kernel
def inverse_divergence(sine: float, quartic: float) -> float:
    """Return a bound of 1 / kl((1 + sine) / 2, 1/2)."""
    square = sine * sine
    return 2.0 / (square * (1.0 + square * (1.0 / 6.0 + quartic * square))) if square > 0.0 else np.inf


@rare_kernel
def set_cells(cells: Cells, won: int, lost: int, mass: float, given: float, below: bool) -> bool:
    """Cut the side of a pair on which the one who ``won`` so often is above 1/2; ``mass = g(won, lost)``.

    Masses are divided by ``given``. 1 / kl is bounded from ``below`` or from above. Return whether this differs from
    what was set last.
    """
    side = cells.side
    if side[WON] == won and side[LOST] == lost and side[GIVEN] == (given if below else -given):
        return False
    side[WON], side[LOST], side[GIVEN] = won, lost, given if below else -given
    alpha, beta = won + 0.5, lost + 0.5
    root = math.sqrt(0.5) * (math.sqrt(alpha) + math.sqrt(beta))
    if alpha > beta:
        sine = (alpha - beta) / (alpha + beta)
        centre = math.asin(sine)
        height = alpha * math.log1p(sine) + beta * math.log1p(-sine)
    else:
        centre = (alpha - beta) / (root * root)
        height = 0.5 * (alpha - beta) * centre
    start = max(LOWEST, -centre * root)
    side[CENTRE], side[SCALE], side[START], side[HEIGHT] = centre, root, start, height
    # the density of ψ is that of θ, times cos ψ / 2
    constant = 0.5 * math.exp(log_density(won, lost, mass, 0.0) + height) / root / given
    angle = centre + start / root
    sine, cosine = max(0.0, math.sin(angle)), math.cos(angle)
    step_sine, step_cosine = math.sin(WIDTH / root), math.cos(WIDTH / root)
    before = 0.0
    for b in range(CELLS):
        empty = before == 1.0 or (b == 0 and start > LOWEST)
        cells.mass[b] = 0.0 if empty else constant * exponential_mass(touch_of(start, b), b)
        end = 1.0 if b == CELLS - 1 or cosine <= 0.0 or before == 1.0 else sine
        if below:
            cells.inverse[b] = inverse_divergence(end, UPPER_QUARTIC)
        else:
            cells.inverse[b] = inverse_divergence(before, LOWER_QUARTIC)
        before = end
        sine, cosine = sine * step_cosine + cosine * step_sine, cosine * step_cosine - sine * step_sine
    return True


@rare_kernel
def draw_in_cell(cells: Cells, b: int, won: int, lost: int, rng: np.random.Generator) -> float:
    """Draw θ in cell b; 0 if it is not kept."""
    touch = touch_of(cells.side[START], b)
    u = rng.random()
    if b == 0 or b == CELLS - 1:
        z = touch - math.log1p(-u) / touch
    else:
        z = touch - 0.5 * WIDTH - math.log1p(u * math.expm1(-touch * WIDTH)) / touch
    angle = cells.side[CENTRE] + z / cells.side[SCALE]
    if angle >= 0.5 * math.pi:
        return 0.0
    sine = math.sin(angle)
    theta = 0.5 + 0.5 * sine
    if not 0.5 < theta < 1.0:
        return 0.0
    height = (won + 0.5) * math.log1p(sine) + (lost + 0.5) * math.log1p(-sine)
    return theta if rng.random() < math.exp(height - cells.side[HEIGHT] - touch * (0.5 * touch - z)) else 0.0
