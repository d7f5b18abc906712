"""What draws a matrix for each run: families of synthetic matrices, and other distributions such as a posterior."""

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from duelbench.parameters import Parameters, Whole
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.versions.record import Subject

Arms = Annotated[Whole, Field(ge=2, le=10_000, description="Number of arms, K.")]
_Seed = Annotated[
    Annotated[Whole, Field(ge=0, lt=2**63)] | None,
    Field(description="Draw the same matrix for every run, from this seed; without it each run draws a new one."),
]


class Family(Parameters):
    """A generator of preference matrices; subclasses add their parameters.

    A subclass defines either the entries of the matrix, ``_entries``, or the random parameters, ``_draw``, and the
    entries that follow from them, ``_made_of``.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Increase this when an edit is meant to change matrices; ``make fingerprints`` detects such edits."""

    title: ClassVar[str]
    citation: ClassVar[str]
    random: ClassVar[bool] = False
    follows: ClassVar[bool] = False
    """Whether, with changing preferences, the next matrix depends on the previous one or on the round."""

    arms: Arms

    @classmethod
    def subject(cls) -> Subject:
        """Return the family as a subject with a version."""
        return Subject("generators", cls.name, cls.version, (cls.__module__,))

    @property
    def varies(self) -> bool:
        """Whether every run draws a new matrix."""
        return False

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return a matrix of this family; ``rng`` is used only if it ``varies``."""
        return self.matrix(self.draw_parameters(rng))

    def draw_parameters(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the random parameters, by name: numbers and arrays that determine ``matrix``."""
        return self._draw(rng)

    def following(self, before: PreferenceMatrix, t: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return the random parameters of the matrix after ``before``; ``t`` is a round of its segment."""
        raise NotImplementedError

    def matrix(self, drawn: dict[str, Any]) -> PreferenceMatrix:
        """Return the matrix with these random parameters."""
        upper = np.triu(self._made_of(drawn), 1)
        return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(self.arms) / 2, source=self.name)

    def _draw(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"P": self._entries(rng)}

    def _made_of(self, drawn: dict[str, Any]) -> NDArray[np.float64]:
        entries: NDArray[np.float64] = drawn["P"]
        return entries

    def _entries(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a (K, K) array; only its entries above the diagonal are used."""
        raise NotImplementedError


class RandomFamily(Family):
    """A family whose matrices are drawn at random."""

    random: ClassVar[bool] = True

    seed: _Seed = None

    @property
    def varies(self) -> bool:
        """Whether every run draws a new matrix: if there is no seed."""
        return self.seed is None

    def draw_parameters(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the random parameters, drawn from ``rng`` or, if there is a seed, from that."""
        return self._draw(rng if self.seed is None else np.random.Generator(np.random.PCG64(self.seed)))


def crown(P: NDArray[np.float64], arm: np.int64, wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P changed so that ``arm`` beats the others with these probabilities."""
    P[arm], P[:, arm] = wins, 1 - wins
    return P


class Sampled(ABC):
    """Matrices drawn from a distribution over matrices.

    ``subject`` has the version of the code that draws.
    """

    subject: ClassVar[Subject]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the arms."""

    @property
    @abstractmethod
    def known(self) -> PairCounts | None:
        """The votes that algorithms learn before their first round, if any."""

    @property
    @abstractmethod
    def has_ties(self) -> bool:
        """Whether a duel may end in a tie."""

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self.names)

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the matrix of a run."""

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Return, ready for JSON, everything that determines the matrices."""
