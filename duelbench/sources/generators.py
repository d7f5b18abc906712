"""Generators of preference matrices, and the base class of other distributions over matrices.

A generator is a class that registers itself. It has a name, parameters, and a method that makes the matrix. Random
generators draw a new matrix for every run or, with a ``seed``, one for all runs. A class with ``follows`` derives the
next matrix of a sequence from the previous matrix or from the round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.parameters import Parameters, Whole
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.versions.record import Subject

Arms = Annotated[Whole, Field(ge=2, le=10_000, description="Number of arms, K.")]
_Seed = Annotated[
    Annotated[Whole, Field(ge=0, lt=2**63)] | None,
    Field(description="Draw the same matrix for every run, from this seed; without it each run draws a new one."),
]


class Distribution(ABC):
    """A distribution over preference matrices, from which each run draws one: a generator, or a posterior."""

    @classmethod
    @abstractmethod
    def subject(cls) -> Subject:
        """Return the class as a subject with a version."""

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> tuple[PreferenceMatrix, dict[str, Any]]:
        """Return the matrix of a run, and its random parameters by name."""

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the matrix of a run."""
        return self.drawn(rng)[0]

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Return everything that determines the matrices, as JSON data."""

    if TYPE_CHECKING:  # a field of generators

        @property
        def arms(self) -> int:
            """The number of arms, K."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the arms, None if they have none."""
        return None

    @property
    def known(self) -> PairCounts | None:
        """The votes that algorithms learn before their first round, if any."""
        return None

    @property
    def has_ties(self) -> bool:
        """Whether a duel may end in a tie."""
        return False


GENERATORS: dict[str, type[Generator]] = {}
"""The generators by name, in the order of their definition."""


class Generator(Parameters, Distribution):
    """A generator of preference matrices; subclasses add their parameters.

    A subclass defines either ``_entries``, the entries of the matrix, or both ``_draw``, the random parameters, and
    ``_made_of``, the entries given these parameters.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Increase this when an edit is meant to change matrices; ``make fingerprints`` detects such edits."""

    title: ClassVar[str]
    citation: ClassVar[str]
    follows: ClassVar[bool] = False
    """Whether, with changing preferences, the next matrix depends on the previous one or on the round."""

    arms: Arms

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "name" in vars(cls):
            GENERATORS[cls.name] = cls

    @classmethod
    def subject(cls) -> Subject:
        """Return the generator as a subject with a version."""
        return Subject("generators", cls.name, cls.version, (cls.__module__,))

    @property
    def varies(self) -> bool:
        """Whether every run draws a new matrix."""
        return False

    def drawn(self, rng: np.random.Generator) -> tuple[PreferenceMatrix, dict[str, Any]]:
        """Return a matrix, and its random parameters by name."""
        parameters = self.draw_parameters(rng)
        return self.matrix(parameters), parameters

    def identity(self) -> dict[str, Any]:
        """Return everything that determines the matrices, as JSON data."""
        return {"generator": self.name, "parameters": self.model_dump(mode="json")}

    def draw_parameters(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the random parameters, by name: numbers and arrays that determine ``matrix``."""
        return self._draw(rng)

    def following(self, before: PreferenceMatrix, t: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return the random parameters of the matrix after ``before``; ``t`` is a round of its segment."""
        raise NotImplementedError

    def matrix(self, drawn: dict[str, Any]) -> PreferenceMatrix:
        """Return the matrix with these random parameters."""
        return PreferenceMatrix(mirrored(self._made_of(drawn)), source=self.name)

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"P": self._entries(rng)}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        entries: NDArray[np.float64] = drawn["P"]
        return entries

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a (K, K) array; only its entries above the diagonal are used."""
        raise NotImplementedError


class RandomGenerator(Generator):
    """A generator whose matrices are drawn at random."""

    seed: _Seed = None

    @property
    def varies(self) -> bool:
        """Whether every run draws a new matrix: if there is no seed."""
        return self.seed is None

    def draw_parameters(self, rng: np.random.Generator) -> dict[str, Any]:
        """Draw the random parameters from the seed if there is one, else from ``rng``."""
        return self._draw(rng if self.seed is None else np.random.Generator(np.random.PCG64(self.seed)))


class BtlUniform(RandomGenerator):
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


class HardInstance(RandomGenerator):
    """``P[l, i] = 1/2 + ε`` for a random arm l, every other pair at 1/2; ``ε ~ U(0, 1/2)``, one for all pairs."""

    name = "hard-instance"
    title = "Hard instance"
    citation = "Agarwal, Ghuge & Nagarajan, Batched Dueling Bandits, ICML 2022, section 5 (SYN-CD)"

    arms: Arms = 100

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"winner": rng.integers(self.arms), "wins": _above_half(rng, 1)}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        return crown(np.full((self.arms, self.arms), 0.5), drawn["winner"], drawn["wins"])


class LinearOrder(Generator):
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


class UniformRandom(RandomGenerator):
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


class BordaVsCondorcet(Generator):
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


class ThreeWinners(Generator):
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


class Bandit(RandomGenerator):
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


class BtlScores(Generator):
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
            return better  # above the diagonal, the first arm is better
        return _model(np.array(_numbers(self.scores)))


class BtlReversed(RandomGenerator):
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


class FlatOrder(Generator):
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


class NeighbourGaps(Generator):
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


class BtlLogUniform(RandomGenerator):
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


class RandomTournament(RandomGenerator):
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


class CondorcetGap(RandomGenerator):
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


class Piecewise(RandomGenerator):
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
        P = mirrored(rng.random((self.arms, self.arms)))
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


class GeomBtl(RandomGenerator):
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


class UniformGap(RandomGenerator):
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


class VanishingGap(Generator):
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
        """Return the round ``t``, whose matrix the segment has."""
        return {"round": t}

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"round": 1}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        t = drawn["round"]
        D = 0.5 if t == 1 else min(0.5, np.sqrt(self.arms * np.log(t) / t))
        return crown(np.full((self.arms, self.arms), 0.5), np.int64(0), np.full(self.arms, 0.5 + D / 2))


class Bvs(Generator):
    """Arm 0 beats every other by 0.01, and each other arm always beats all arms after it."""

    name = "bvs"
    title = "BVS"
    citation = "Gajane, Urvoy & Clérot, A Relative Exponential Weighing Algorithm, ICML 2015, extended version"

    arms: Arms = 20

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        P = np.ones((self.arms, self.arms))
        P[0] = 0.51
        return P


class SavageOrder(Generator):
    """``P[i, j] = 1/2 + j / (2K)`` for i before j, both counted from 1."""

    name = "savage-order"
    title = "SAVAGE order"
    citation = "Urvoy, Clerot, Féraud & Naamane, ICML 2013, as in the extended version of Gajane et al., ICML 2015"

    arms: Arms = 30

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return np.tile(0.5 + np.arange(1, self.arms + 1) / (2 * self.arms), (self.arms, 1))


def mirrored(entries: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a (K, K) array with the same entries above the diagonal, and their complements below it."""
    upper = np.triu(entries, 1)
    P: NDArray[np.float64] = upper + np.tril(1 - upper.T, -1) + np.eye(len(upper)) / 2
    return P


def crown(P: NDArray[np.float64], arm: np.int64, wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P changed so that ``arm`` beats the others with these probabilities."""
    P[arm], P[:, arm] = wins, 1 - wins
    return P


def _linear_order(arms: int) -> NDArray[np.float64]:
    k = np.arange(arms)
    return 0.5 + (k - k[:, None]) / (2 * arms)


def _above_half(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Draw from the open interval (1/2, 1), on the grid of floats there, so that rounding never makes a tie."""
    return 0.5 + rng.integers(1, 2**52, size) / 2**53


def _model(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``P[i, j] = v[i] / (v[i] + v[j])``."""
    P: NDArray[np.float64] = scores[:, None] / np.add.outer(scores, scores)
    return P


def _numbers(scores: str) -> list[float]:
    """Parse positive numbers that are separated by spaces. Raises UserError for anything else."""
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


def _other(rng: np.random.Generator, arms: int, arm: int) -> int:
    """Draw one of the other arms."""
    drawn = int(rng.integers(arms - 1))
    return drawn + (drawn >= arm)
