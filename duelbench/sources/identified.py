"""Families from papers on identification of the best arm, for ``generators``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.sources.family import Arms, Family, RandomFamily, crown


class BtlScores(Family):
    """``P[i, j] = v[i] / (v[i] + v[j])`` with given scores v: evenly spaced logarithms, arm 0 first, or a list."""

    name = "btl"
    title = "BTL"
    citation = (
        "Heckel, Shah, Ramchandran & Wainwright, Active Ranking from Pairwise Comparisons, Annals of Statistics 2019, "
        "figures 4 and 5 (step); Sheth & Rajkumar, PARWiS, ICDM 2021 (scores)"
    )

    arms: Arms = 10
    step: float = Field(
        0.3, ge=0, le=50, description="Difference of the log-scores of successive arms: v[i] = exp(−step · i)."
    )
    scores: str | None = Field(
        None, description="The scores v, one for each arm, separated by spaces: '5 3 1'. None: those given by `step`."
    )

    @model_validator(mode="before")
    @classmethod
    def _as_many_arms_as_scores(cls, written: Any) -> Any:
        scores = written.get("scores") if isinstance(written, dict) else None
        if not isinstance(scores, str):
            return written
        found = len(_numbers(scores))
        if "step" in written:
            raise UserError("step and scores both set the scores: remove one of them", key=("step",))
        if written.get("arms", found) != found:
            raise UserError(f"there are {found} scores: remove arms, which follows from them", key=("arms",))
        return {**written, "arms": found}

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        if self.scores is None:
            utilities = -self.step * np.arange(self.arms)
            better: NDArray[np.float64] = 1 / (1 + np.exp(-np.abs(utilities - utilities[:, None])))
            return better  # above the diagonal the better arm is the first
        return _model(np.array(_numbers(self.scores)))


class BtlReversed(RandomFamily):
    """BTL with scores K, …, 2, 1, but in a random ``share`` of the pairs the worse arm wins.

    The better arm of such a pair has ``P[i, j] ~ U(0, 1/2)``. So the order of Borda scores is no longer that of the
    scores, and the matrix is no longer a BTL model.
    """

    name = "btl-reversed"
    title = "BTL, pairs reversed"
    citation = (
        "Heckel, Shah, Ramchandran & Wainwright, Active Ranking from Pairwise Comparisons, Annals of Statistics 2019, "
        "figure 6"
    )

    arms: Arms = 10
    share: float = Field(0.1, ge=0, le=1, description="The share of reversed pairs, rounded to whole pairs.")

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        scores = self.arms - np.arange(self.arms, dtype=float)
        P = _model(scores)
        above = np.triu_indices(self.arms, 1)
        pairs = len(above[0])
        chosen = rng.permutation(pairs)[: round(self.share * pairs)]
        P[above[0][chosen], above[1][chosen]] = rng.random(len(chosen)) / 2
        return P


class FlatOrder(Family):
    """``P[i, j] = 1/2 + gap`` for i < j: a total order, arm 0 first, in which no pair is easier than another."""

    name = "flat-order"
    title = "Flat order"
    citation = (
        "Falahatgar, Orlitsky, Pichapati & Suresh, Maximum Selection and Ranking under Noisy Comparisons, ICML 2017"
    )

    arms: Arms = 10
    gap: float = Field(0.1, gt=0, le=0.5, description="Every |p − 1/2|.")

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.full((self.arms, self.arms), 0.5 + self.gap)


class NeighbourGaps(Family):
    """``P[i, i + 1] = 1/2 + gap`` and, for other i < j, ``P[i, j] = 1/2 + others``: a total order, arm 0 first.

    With ``others`` below ``gap`` the order is not strongly transitive: arms that are far apart are hard to compare.
    """

    name = "neighbour-gaps"
    title = "Neighbour gaps"
    citation = (
        "A construction of this package, for Lou, Jin, Wu, Xu, Gu & Farnoud, Active Ranking without Strong Stochastic "
        "Transitivity, NeurIPS 2022"
    )

    arms: Arms = 10
    gap: float = Field(0.2, gt=0, le=0.5, description="|p − 1/2| of neighbours in the order.")
    others: float = Field(0.02, gt=0, le=0.5, description="|p − 1/2| of all other pairs.")

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        P = np.full((self.arms, self.arms), 0.5 + self.others)
        np.fill_diagonal(P[:, 1:], 0.5 + self.gap)
        return P


class BtlLogUniform(RandomFamily):
    """BTL with independent log-scores ``θ[i] ~ U(0, (K + 1) / density)``."""

    name = "btl-log-uniform"
    title = "BTL-log-uniform"
    citation = (
        "Maystre & Grossglauser, Just Sort It! A Simple and Effective Approach to Active Preference Learning, ICML 2017"
    )

    arms: Arms = 10
    density: float = Field(
        5.0, ge=0.1, le=1000, description="Arms per unit of log-score, λ: neighbours are 1/λ apart on average."
    )

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"utilities": rng.random(self.arms) * (self.arms + 1) / self.density}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        apart = np.subtract.outer(drawn["utilities"], drawn["utilities"])
        P: NDArray[np.float64] = 1 / (1 + np.exp(-apart))
        return P


class RandomTournament(RandomFamily):
    """A random arm of each pair beats the other with ``p ~ U(1/2 + gap, 1/2 + gap + spread)``.

    A Condorcet winner exists with probability ``K / 2^(K − 1)``. With ``condorcet`` a random arm beats all others, with
    probabilities from the same distribution.
    """

    name = "random-tournament"
    title = "Random tournament"
    citation = (
        "Bengs, Haddenhorst & Hüllermeier, Identifying Copeland Winners in Dueling Bandits with Indifferences, AISTATS "
        "2024 (easy: 0.1, 0.4; medium: 0.05, 0.15; hard: 0.01, 0.04); with spread 0 Haddenhorst, Bengs, Brandt & "
        "Hüllermeier, Testification of Condorcet Winners, UAI 2021"
    )

    arms: Arms = 10
    gap: float = Field(0.1, gt=0, le=0.5, description="The least |p − 1/2|.")
    spread: float = Field(0.4, ge=0, le=0.5, description="Difference of the largest and the least |p − 1/2|.")
    condorcet: bool = Field(
        False, description="Let one random arm beat all others, with probabilities from the same distribution."
    )

    @model_validator(mode="after")
    def _at_most_certain(self) -> RandomTournament:
        if self.gap + self.spread > 0.5 + 1e-9:
            raise ValueError("gap + spread is above 1/2: lower one of them")
        return self

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        size = (self.arms, self.arms)
        wins = np.minimum(0.5 + self.gap + self.spread * rng.random(size), 1)
        P = np.where(rng.random(size) < 0.5, wins, 1 - wins)
        if not self.condorcet:
            return P
        winner = rng.integers(self.arms)
        return crown(P, winner, wins[winner])


class CondorcetGap(RandomFamily):
    """``P[i, j] − P[j, i] = ±(h + (1 − h) |u − v| / (u + v))``, ``u, v ~ U(0, 1)`` for each pair, a random sign.

    A random arm has only positive signs: the Condorcet winner. ``h`` is a difference of probabilities: no ``P[i, j]``
    is closer to 1/2 than h/2.
    """

    name = "condorcet-gap"
    title = "Condorcet gap"
    citation = (
        "Haddenhorst, Bengs & Hüllermeier, Identification of the Generalized Condorcet Winner in Multi-dueling "
        "Bandits, NeurIPS 2021, for duels"
    )

    arms: Arms = 10
    h: float = Field(0.1, gt=0, le=1, description="The least |P[i, j] − P[j, i]|.")

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        u, v = rng.random((2, self.arms, self.arms))
        wins = 0.5 + (self.h + (1 - self.h) * np.abs(u - v) / (u + v)) / 2
        P = np.where(rng.random((self.arms, self.arms)) < 0.5, wins, 1 - wins)
        winner = rng.integers(self.arms)
        return crown(P, winner, wins[winner])


def _model(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``P[i, j] = v[i] / (v[i] + v[j])``."""
    P: NDArray[np.float64] = scores[:, None] / np.add.outer(scores, scores)
    return P


def _numbers(scores: str) -> list[float]:
    """Return positive numbers that are separated by spaces. Raises UserError for anything else."""
    found = []
    for word in scores.split():
        try:
            found.append(float(word))
        except ValueError:
            raise UserError(f"{word!r} is not a number: write numbers separated by spaces", key=("scores",)) from None
        if not 0 < found[-1] < 1e12:
            raise UserError(f"a score is {word}: it must be above 0 and below 1e12", key=("scores",))
    if len(found) < 2:
        raise UserError("scores of at least two arms are needed, such as '5 3 1'", key=("scores",))
    return found
