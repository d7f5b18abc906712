"""The interface of what draws a matrix for each run and is no family of random matrices, such as a posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.versions.record import Subject


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
