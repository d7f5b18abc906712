"""Families from papers on non-stationary preferences; ``changes:`` in the entry makes a sequence of matrices.

In a family with ``follows``, the next matrix depends on the previous one or on the round. In other families the
matrices are independent.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.parameters import Whole
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.family import Arms, Family, RandomFamily, crown


class Piecewise(RandomFamily):
    """A random arm beats each other with at least ``p_min``, one with exactly that; changes move a pair by ``delta``.

    All other pairs are drawn from U[0, 1]. After a change another arm is the winner, all pairs are drawn again, and one
    probability of the old winner is its old value ± delta.
    """

    name = "piecewise"
    title = "Piecewise stationary"
    citation = "Kolpaczki, Bengs & Hüllermeier, Non-Stationary Dueling Bandits, 2022, as their code draws it"
    follows = True

    arms: Arms = 10
    p_min: float = Field(0.55, gt=0.5, lt=1, description="The least probability with which the winner beats an arm.")
    delta: float = Field(0.3, gt=0, description="How far at least one pair moves at each change, at most p_min.")

    @model_validator(mode="after")
    def _possible(self) -> Piecewise:
        if self.delta > self.p_min:
            raise UserError(f"delta is {self.delta:g}: at most p_min, {self.p_min:g}", key=("delta",))
        return self

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return self._fresh(rng, int(rng.integers(self.arms)))

    def _fresh(self, rng: np.random.Generator, winner: int) -> dict[str, Any]:
        P = rng.random((self.arms, self.arms))
        P = np.triu(P, 1) + np.tril(1 - P.T, -1) + np.eye(self.arms) / 2
        wins = self.p_min + (1 - self.p_min) * rng.random(self.arms)
        wins[_other(rng, self.arms, winner)] = self.p_min
        wins[winner] = 0.5
        return {"P": crown(P, np.int64(winner), wins), "winner": winner}

    def following(self, before: PreferenceMatrix, t: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return the random parameters of the matrix after ``before``."""
        old = before.condorcet_winner()
        if old is None:
            raise UserError(f"{self.name} must follow a matrix with a Condorcet winner, and {before.source} has none")
        new = _other(rng, self.arms, old)
        drawn = self._fresh(rng, new)
        P = drawn["P"]
        while True:
            arm = _other(rng, self.arms, old)
            if arm != new:
                up = rng.random() < 0.5 and before.P[old, arm] + self.delta < 1
                moved = before.P[old, arm] + (self.delta if up else -self.delta)
            elif P[new, old] > self.p_min and before.P[old, new] + self.p_min - 1 <= self.delta:
                moved = before.P[old, new] - self.delta
            elif self.arms > 2:
                continue
            else:  # there is no further pair
                moved = P[old, new]
            P[old, arm], P[arm, old] = moved, 1 - moved
            return {**drawn, "moved": arm}


class GeomBtl(RandomFamily):
    """``P[i, j] = 2^−r(i) / (2^−r(i) + 2^−r(j))`` with r the ranks of a random order."""

    name = "geom-btl"
    title = "Geometric BTL"
    citation = "Suk & Agarwal, When Can We Track Significant Preference Shifts in Dueling Bandits?, NeurIPS 2023, code"

    arms: Arms = 10

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"ranks": rng.permutation(self.arms)}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        ranks = np.asarray(drawn["ranks"], np.float64)
        odds: NDArray[np.float64] = 1 / (1 + 2 ** np.subtract.outer(ranks, ranks))
        return odds


class UniformGap(RandomFamily):
    """``winners`` random arms beat each other arm by ``gap``; all other pairs are at 1/2.

    The paper's code draws later winners outside the first ones: ``winner: not the first`` in the changes.
    """

    name = "uniform-gap"
    title = "Uniform gap"
    citation = "Suk & Agarwal, When Can We Track Significant Preference Shifts in Dueling Bandits?, NeurIPS 2023, code"

    arms: Arms = 10
    winners: Annotated[Whole, Field(ge=1)] = Field(1, description="Number of winning arms, which are equally strong.")
    gap: float = Field(0.1, gt=0, le=0.5, description="Their p − 1/2 against other arms.")

    @model_validator(mode="after")
    def _possible(self) -> UniformGap:
        if self.winners >= self.arms:
            raise UserError(
                f"winners is {self.winners} of {self.arms} arms: at least one arm must lose", key=("winners",)
            )
        return self

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"winners": np.sort(rng.permutation(self.arms)[: self.winners])}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        wins = np.isin(np.arange(self.arms), drawn["winners"]).astype(np.float64)
        return 0.5 + self.gap * np.subtract.outer(wins, wins)


class VanishingGap(Family):
    """In round t arm 0 beats the others by D(t)/2, ``D(t) = min(1/2, sqrt(K ln t / t))``; all other pairs are at 1/2.

    Without changes the matrix is that of round 1, with D = 1/2, since by the formula no arm would be best. In the paper
    the matrix changes in every round; ``changes: {per_decade: 1000}`` has a segment for every 0.23 % of t, with the
    matrix of its middle round.
    """

    name = "vanishing-gap"
    title = "Vanishing gap"
    citation = "Gajane, Urvoy & Clérot, A Relative Exponential Weighing Algorithm, ICML 2015, extended version"
    follows = True

    arms: Arms = 10

    def following(self, before: PreferenceMatrix, t: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return the round whose matrix a segment has."""
        return {"round": t}

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"round": 1}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        t = drawn["round"]
        D = 0.5 if t == 1 else min(0.5, np.sqrt(self.arms * np.log(t) / t))
        return crown(np.full((self.arms, self.arms), 0.5), np.int64(0), np.full(self.arms, 0.5 + D / 2))


class Bvs(Family):
    """Arm 0 beats every other by 0.01, and each other arm always beats all arms after it."""

    name = "bvs"
    title = "BVS"
    citation = "Gajane, Urvoy & Clérot, A Relative Exponential Weighing Algorithm, ICML 2015, extended version"

    arms: Arms = 20

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        P = np.ones((self.arms, self.arms))
        P[0] = 0.51
        return P


class SavageOrder(Family):
    """``P[i, j] = 1/2 + j / (2K)`` for i before j, both counted from 1."""

    name = "savage-order"
    title = "SAVAGE order"
    citation = "Urvoy, Clerot, Féraud & Naamane, ICML 2013, as in the extended version of Gajane et al., ICML 2015"

    arms: Arms = 30

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.tile(0.5 + np.arange(1, self.arms + 1) / (2 * self.arms), (self.arms, 1))


def _other(rng: np.random.Generator, arms: int, arm: int) -> int:
    """Draw one of the other arms."""
    drawn = int(rng.integers(arms - 1))
    return drawn + (drawn >= arm)
