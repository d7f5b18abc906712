"""Families of synthetic matrices, with one parameter model each.

Families from papers on identification are in ``identified``, those with changing preferences in ``nonstationary``.
Random families draw a new matrix for every run or, with a ``seed``, the same one for all runs.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from duelbench.sources.family import Arms, Family, RandomFamily, crown
from duelbench.sources.identified import (
    BtlLogUniform,
    BtlReversed,
    BtlScores,
    CondorcetGap,
    FlatOrder,
    NeighbourGaps,
    RandomTournament,
)
from duelbench.sources.nonstationary import Bvs, GeomBtl, Piecewise, SavageOrder, UniformGap, VanishingGap
from duelbench.sources.parameters import Whole


class BtlUniform(RandomFamily):
    """``P[i, j] = w[i] / (w[i] + w[j])`` with independent ``w[i] ~ U(0, 1]``."""

    name = "btl-uniform"
    title = "BTL-uniform"
    citation = "Agarwal, Ghuge & Nagarajan, Batched Dueling Bandits, ICML 2022, section 5 (SYN-BTL)"

    arms: Arms = 100

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"weights": 1 - rng.random(self.arms)}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = drawn["weights"]
        return weights[:, None] / np.add.outer(weights, weights)


class HardInstance(RandomFamily):
    """``P[l, i] = 1/2 + ε`` for a random arm l, every other pair at 1/2; ``ε ~ U(0, 1/2)``, one for all pairs."""

    name = "hard-instance"
    title = "Hard instance"
    citation = "Agarwal, Ghuge & Nagarajan, Batched Dueling Bandits, ICML 2022, section 5 (SYN-CD)"

    arms: Arms = 100

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"winner": rng.integers(self.arms), "wins": _above_half(rng, 1)}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        return crown(np.full((self.arms, self.arms), 0.5), drawn["winner"], drawn["wins"])


class LinearOrder(Family):
    """``P[i, j] = 1/2 + (j − i) / (2K)``: a total order, arm 0 first."""

    name = "linear-order"
    title = "Linear order"
    citation = (
        "Ailon, Karnin & Joachims, Reducing Dueling Bandits to Cardinal Bandits, ICML 2014 "
        "(linear link, evenly spaced utilities)"
    )

    arms: Arms = 10

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return _linear_order(self.arms)


class UniformRandom(RandomFamily):
    """Independent ``P[i, j] ~ U[0, 1)`` for i < j; with ``condorcet`` a random arm's row is redrawn from (1/2, 1)."""

    name = "uniform-random"
    title = "Uniform random"
    citation = "Independent uniform probabilities; a construction of this package"

    arms: Arms = 10
    condorcet: bool = Field(False, description="Redraw the probabilities of one random arm above 1/2.")

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        P = rng.random((self.arms, self.arms))
        if not self.condorcet:
            return {"P": P}
        winner = rng.integers(self.arms)
        return {"P": crown(P, winner, _above_half(rng, self.arms)), "winner": winner}


class BordaVsCondorcet(Family):
    """Arm 0 beats every arm by 0.001; arm 1 loses to it but always beats the rest, which are in linear order.

    The example of section 4.1 of the paper: arm 0 is the Condorcet winner, arm 1 the Borda winner. The paper does not
    define the duels among the other arms; here they are ``1/2 + (j − i) / (2K)``.
    """

    name = "borda-vs-condorcet"
    title = "Borda vs Condorcet"
    citation = "Wu & Liu, Double Thompson Sampling for Dueling Bandits, NIPS 2016, section 4.1"

    arms: Annotated[Whole, Field(ge=3, le=10_000, description="Number of arms, K.")] = 5

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        P = _linear_order(self.arms)
        P[0], P[1] = 0.501, 1
        return P


class ThreeWinners(Family):
    """Arms 0, 1 and 2 beat each other in a cycle and all others, which are in order; every win has 1/2 + ``gap``.

    So for any K there are three Copeland winners, which lose to one arm each, and no Condorcet winner.
    """

    name = "three-winners"
    title = "Three winners"
    citation = "A construction of this package, for the scalability of Copeland algorithms"

    arms: Annotated[Whole, Field(ge=3, le=10_000, description="Number of arms, K.")] = 10
    gap: float = Field(0.1, gt=0, le=0.5, description="Every |p − 1/2|.")

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        P = np.full((self.arms, self.arms), 0.5 + self.gap)
        P[0, 2] = 0.5 - self.gap
        return P


class Bandit(RandomFamily):
    """A multi-armed bandit as preferences: arm i > 0 has the mean ``P[i, 0] = μ[i] ~ U(0, 1)``; arm 0 is the reference.

    For other pairs ``P[i, j] = 1/2 + (μ[i] − μ[j]) / 2``. The means are drawn until the largest is above 1/2, so that
    its arm is also the Condorcet winner. Algorithms must know arm 0, so use ``shuffle_arms: false`` in the spec.
    """

    name = "bandit"
    title = "Bandit"
    citation = "Urvoy, Clerot, Féraud & Naamane, ICML 2013, section 5.1 (the means are ours)"

    arms: Annotated[Whole, Field(ge=2, le=10_000, description="Number of arms, including the reference arm 0.")] = 10

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        means = rng.random(self.arms - 1)
        while means.max() <= 0.5:
            means = rng.random(self.arms - 1)
        return {"means": means}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = drawn["means"]
        P = np.full((self.arms, self.arms), 0.5)
        P[1:, 1:] += (means[:, None] - means) / 2
        P[0, 1:] = 1 - means
        return P


FAMILIES: dict[str, type[Family]] = {
    family.name: family
    for family in (
        BtlUniform,
        HardInstance,
        LinearOrder,
        UniformRandom,
        BordaVsCondorcet,
        ThreeWinners,
        Bandit,
        BtlScores,
        BtlReversed,
        FlatOrder,
        NeighbourGaps,
        BtlLogUniform,
        RandomTournament,
        CondorcetGap,
        Piecewise,
        GeomBtl,
        UniformGap,
        VanishingGap,
        Bvs,
        SavageOrder,
    )
}


def _linear_order(arms: int) -> NDArray[np.float64]:
    k = np.arange(arms)
    return 0.5 + (k - k[:, None]) / (2 * arms)


def _above_half(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Draw from the open interval (1/2, 1), on the grid of floats there, so that rounding never gives a tie."""
    return 0.5 + rng.integers(1, 2**52, size) / 2**53
