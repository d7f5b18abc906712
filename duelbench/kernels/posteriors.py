"""Thompson sampling of the side of 1/2 on which a posterior sample falls, without drawing the sample itself.

``θ_ij ~ Beta(a + 1, b + 1)`` with a = w_ij and b = w_ji. Whether θ_ij exceeds 1/2 is a Bernoulli draw with
``P(θ_ij > 1/2) = P(Bin(a + b + 1, 1/2) ≤ a)``: θ_ij is the (a + 1)-th smallest of a + b + 1 uniforms. A win of i adds
``g(a + 1, b) / 2`` to this probability and a loss subtracts ``g(a, b + 1) / 2``, where
``g(a, b) = C(a + b, a) / 2^(a + b)``. The smaller of the two tails, which belongs to the arm with fewer wins, is
stored, and the other one as its complement. Subtractions reduce its relative accuracy, so when they have halved it, it
is summed again from the largest term down.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel

TINY = 1e-290
"""Products below this may be inaccurate, so the mass is computed directly."""


class Posteriors(NamedTuple):
    """Posterior probabilities of every pair.

    ``chance[i, j] = P(θ_ij > 1/2)``, 1/2 for i = j; ``ahead[i]`` is the number of arms j with ``chance[i, j] > 1/2``,
    which have fewer wins than i in their pair; ``mass[i, j] = g(w_ij, w_ji)``; ``fresh[i, j]`` is the largest value of
    the smaller tail since it was last summed in full. ``mass`` and ``fresh`` are symmetric.
    """

    chance: Floats
    ahead: Ints
    mass: Floats
    fresh: Floats


def new_posteriors(arms: int) -> Posteriors:
    """Return the uniform prior on every pair."""
    shape = (arms, arms)
    return Posteriors(
        chance=np.full(shape, 0.5), ahead=np.zeros(arms, np.int64), mass=np.ones(shape), fresh=np.full(shape, 0.5)
    )


@kernel(inline=False)
def _smaller_tail(fewer: int, more: int, mass: float) -> float:
    """Return ``P(Bin(m, 1/2) ≤ fewer)``, m = fewer + more + 1, given ``mass = g(fewer, more)``."""
    m = fewer + more + 1
    term = mass * m / (more + 1) / 2.0
    total = term
    for k in range(fewer, 0, -1):
        term *= k / (m - k + 1)
        total += term
        if term <= 1e-17 * total:  # also when both have underflowed
            break
    return total


@kernel(inline=False)
def _log_mass_of(a: int, b: int) -> float:
    """Return ``log g(a, b)``, computed directly."""
    return math.lgamma(a + b + 1.0) - math.lgamma(a + 1.0) - math.lgamma(b + 1.0) - (a + b) * math.log(2.0)


@kernel(inline=False)
def mass_of(a: int, b: int) -> float:
    """Return ``g(a, b)``, computed directly."""
    return math.exp(_log_mass_of(a, b))


@kernel
def is_negligible(a: int, b: int) -> bool:
    """Return True only if ``g(a, b)`` is far below ``TINY``.

    By Hoeffding's inequality, ``g(a, b) ≤ exp(-(a - b)² / (2 (a + b)))``, here at most e⁻⁷⁰⁰. This avoids logarithms
    for the decided pairs of a long run.
    """
    return (a - b) ** 2 > 1400 * (a + b)


@kernel
def add_win(posteriors: Posteriors, winner: int, loser: int, a: int, b: int) -> None:
    """Add a win of ``winner``, which had won a duels of this pair and lost b.

    The winner is hard to predict, so the code selects values instead of branching.
    """
    mass = posteriors.mass[winner, loser] * (a + b + 1) / (2.0 * (a + 1))
    if mass < TINY:
        if is_negligible(a + 1, b):
            mass = 0.0
        elif a < b:  # it underflowed when the pair was more one-sided: compute it directly
            mass = mass_of(a + 1, b)
    posteriors.mass[winner, loser] = mass
    posteriors.mass[loser, winner] = mass
    underdog, favourite = (winner, loser) if a < b else (loser, winner)
    if a + 1 == b:
        posteriors.ahead[loser] -= 1
        small = fresh = 0.5
    else:
        if a == b:
            posteriors.ahead[winner] += 1
        small = posteriors.chance[underdog, favourite] + (mass / 2.0 if a < b else -mass / 2.0)
        fresh = posteriors.fresh[winner, loser]
        if small < fresh / 2.0:  # after many wins of the favourite
            small = _smaller_tail(b, a + 1, mass)
            fresh = small
        fresh = max(fresh, small)
    posteriors.chance[underdog, favourite] = small
    posteriors.chance[favourite, underdog] = 1.0 - small
    posteriors.fresh[winner, loser] = fresh
    posteriors.fresh[loser, winner] = fresh


@kernel
def add_results(posteriors: Posteriors, i: int, j: int, a: int, b: int, wins: int, losses: int) -> None:
    """Add ``wins`` and ``losses`` of i against j to a pair that stood at a : b."""
    for k in range(wins + losses):
        if k < wins:
            winner, loser, won, lost = i, j, a + k, b
        else:
            winner, loser, won, lost = j, i, b + k - wins, a + wins
        add_win(posteriors, winner, loser, won, lost)


@kernel
def log_density(a: int, b: int, mass: float, gap: float) -> float:
    """Return the logarithm of the density of ``Beta(a + 1, b + 1)`` at 1/2 + ``gap``; ``mass = g(a, b)``."""
    log_mass = _log_mass_of(a, b) if mass < TINY else math.log(mass)
    return math.log(a + b + 1.0) + log_mass + a * math.log1p(2.0 * gap) + b * math.log1p(-2.0 * gap)


@kernel(inline=False)
def value_above_half(a: int, b: int, chance: float, mass: float, rng: np.random.Generator) -> float:
    """Draw ``θ ~ Beta(a + 1, b + 1)`` given θ > 1/2, an event of probability ``chance``; ``mass = g(a, b)``.

    If this event is likely, θ is drawn by rejection. Otherwise N, the number of the a + b + 1 uniforms that fall below
    1/2, is drawn given N ≤ a by walking down from its largest term. Then θ is the (a + 1 − N)-th smallest of the
    others, which are uniform on (1/2, 1).
    """
    if chance > 0.1:
        while True:
            theta = rng.beta(a + 1.0, b + 1.0)
            if theta > 0.5:
                return theta
    m = a + b + 1
    below = a
    term = mass * m / (b + 1) / 2.0
    left = rng.random() * chance - term
    while left > 0.0 and below > 0:
        term *= below / (m - below + 1)
        below -= 1
        left -= term
    return 0.5 + 0.5 * rng.beta(a + 1.0 - below, b + 1.0)
