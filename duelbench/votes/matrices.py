"""Make matrices from votes: the shares of votes won, or a posterior sample for each run.

The version of this module is part of the key of runs. The code that reads votes is not, because the counts are.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.scores import fit
from duelbench.sources.generators import Distribution
from duelbench.versions.record import Subject

VOTES = Subject("generators", "votes", 1, (__name__,))
"""Increase its version if an edit deliberately changes which matrices are sampled."""

DRAWS = 10_000
"""The largest number of matrices to draw until one has a Condorcet winner."""


@dataclass(frozen=True, eq=False)
class Voted(Distribution):
    """Matrices drawn from the posterior given votes; with ``condorcet``, only those with a Condorcet winner.

    With ``continues``, algorithms learn the votes before their first round.
    """

    posterior: Posterior
    condorcet: bool = False
    continues: bool = False

    @classmethod
    def subject(cls) -> Subject:
        """Return the versioned subject of the code that draws."""
        return VOTES

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arms."""
        return self.posterior.counts.names

    @property
    def known(self) -> PairCounts | None:
        """The votes that algorithms learn before their first round."""
        return self.posterior.counts if self.continues else None

    @property
    def has_ties(self) -> bool:
        """Whether a duel may end in a tie."""
        return self.posterior.ties == "model"

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return self.posterior.counts.arms

    def drawn(self, rng: np.random.Generator) -> tuple[PreferenceMatrix, dict[str, Any]]:
        """Draw the matrix of a run. Raises UserError if none of ``DRAWS`` matrices has a required Condorcet winner."""
        for _ in range(DRAWS):
            matrix = self._draw(rng)
            if not self.condorcet or matrix.condorcet_winner() is not None:
                return matrix, {}
        raise UserError(
            f"none of {DRAWS:,} matrices drawn from these votes has a Condorcet winner: look for Copeland winners"
        )

    def _draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        if self.posterior.ties == "half":
            return self.posterior.draw(rng)
        ((W,), (T,)) = next(self.posterior.outcomes(rng, 1))
        return PreferenceMatrix(W + T / 2, "a matrix drawn after the votes", self.posterior.counts.names, T)

    def identity(self) -> dict[str, Any]:
        """Return everything that determines the matrices (the counts, not the file), ready for JSON."""
        strength = self.posterior.strength
        return {
            "votes": self.posterior.counts.digest(),
            "strength": "infinite" if strength is not None and math.isinf(strength) else strength,
            **({"ties": "model"} if self.posterior.ties == "model" else {}),
            **({"condorcet": True} if self.condorcet else {}),
            **({"continue": True} if self.continues else {}),
        }


def shares(
    counts: PairCounts, unseen: Literal["half", "bradley-terry"] | None, source: str, ties: bool = False
) -> PreferenceMatrix:
    """Return the matrix of the shares of votes won, with ties as half wins; ``unseen`` fills pairs without votes.

    With ``ties``, it also has the shares of ties, which are 0 for pairs without votes.

    Raises UserError if a pair has no votes and ``unseen`` is None.
    """
    missing = (counts.votes == 0) & ~np.eye(counts.arms, dtype=bool)
    if missing.any() and unseen is None:
        first, second = (counts.names[arm] for arm in np.argwhere(missing)[0])
        more = int(missing.sum()) // 2 - 1
        others = f", nor on {more} other pairs" if more > 1 else ", nor on one other pair" if more else ""
        raise UserError(
            f"there are no votes on {first} and {second}{others}: fill them in from a model of the others, by unseen "
            "(--unseen) bradley-terry, or with 1/2, by half; keep fewer arms (--arms); or, in a spec, draw: posterior",
            source=source,
        )
    P = np.divide(counts.halved(), counts.votes, out=np.full(missing.shape, 0.5), where=counts.votes > 0)
    if unseen == "bradley-terry":
        P[missing] = _model(counts)[missing]
    T = np.divide(counts.ties, counts.votes, out=np.zeros(missing.shape), where=counts.votes > 0)
    return PreferenceMatrix(P, source, counts.names, T if ties else None)


def _model(counts: PairCounts) -> NDArray[np.float64]:
    strength = fit(counts)
    odds: NDArray[np.float64] = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    return odds
