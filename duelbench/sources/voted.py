"""Matrices from votes: their shares, or what they leave open, drawn for each run anew.

The version of this module is part of the key of runs; how votes are read is not, as the counts are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.preferences.bradley_terry import fit
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.versions.record import Subject

VOTES = Subject("generators", "votes", 1, (__name__,))
"""Its version is to be raised when a change is meant to change which matrices are sampled."""

DRAWS = 10_000
"""How many matrices are tried for a Condorcet winner before giving up."""


@dataclass(frozen=True, eq=False)
class Voted:
    """Matrices drawn after votes; with ``condorcet`` only those that have a Condorcet winner.

    With ``continues`` algorithms learn the votes before their first round.
    """

    posterior: Posterior
    condorcet: bool = False
    continues: bool = False

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return self.posterior.counts.arms

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the matrix of a run.

        Raises:
            UserError: none of many has a Condorcet winner, where one is asked for.
        """
        for _ in range(DRAWS):
            matrix = self.posterior.draw(rng)
            if not self.condorcet or matrix.condorcet_winner() is not None:
                return matrix
        raise UserError(
            f"none of {DRAWS:,} matrices drawn from these votes has a Condorcet winner: look for copeland winners"
        )

    def identity(self) -> dict[str, Any]:
        """Return, ready for JSON, what determines the matrices: the counts, not the file."""
        strength = self.posterior.strength
        return {
            "votes": self.posterior.counts.digest(),
            "strength": "infinite" if strength is not None and math.isinf(strength) else strength,
            **({"condorcet": True} if self.condorcet else {}),
            **({"continue": True} if self.continues else {}),
        }


def shares(counts: PairCounts, unseen: Literal["half", "bradley-terry"] | None, source: str) -> PreferenceMatrix:
    """Return the matrix of the shares of votes, ties half; ``unseen`` says what pairs without votes have.

    Raises:
        UserError: there is such a pair and nothing said about it.
    """
    missing = (counts.votes == 0) & ~np.eye(counts.arms, dtype=bool)
    if missing.any() and unseen is None:
        first, second = (counts.names[arm] for arm in np.argwhere(missing)[0])
        more = int(missing.sum()) // 2 - 1
        others = f" nor on {more} more pairs" if more > 1 else " nor on one more pair" if more else ""
        raise UserError(
            f"nobody has voted on {first} and {second}{others}: write draw: posterior, or "
            "unseen: bradley-terry or half",
            source=source,
        )
    P = np.divide(counts.halved(), counts.votes, out=np.full(missing.shape, 0.5), where=counts.votes > 0)
    if unseen == "bradley-terry":
        P[missing] = _model(counts)[missing]
    return PreferenceMatrix(P, source=source, names=counts.names)


def _model(counts: PairCounts) -> NDArray[np.float64]:
    strength = fit(counts)
    odds: NDArray[np.float64] = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    return odds
