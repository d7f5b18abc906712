"""Matrices made of votes: the entries ``votes:`` of specs, shares of votes, and samples of the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.scores import fit
from duelbench.sources.family import Sampled
from duelbench.versions.record import Subject
from duelbench.votes.reading.columns import VoteFileOptions
from duelbench.votes.reading.read import read_votes
from duelbench.votes.strengths import design_effect, independent
from duelbench.votes.vote_table import Votes

VOTES = Subject("generators", "votes", 1, (__name__,))
"""Increase its version when an edit is meant to change which matrices are sampled."""
DRAWS = 10_000
"""The largest number of matrices to draw in search of one with a Condorcet winner."""


@dataclass(frozen=True, eq=False)
class Voted(Sampled):
    """Matrices drawn from the posterior given votes; with ``condorcet`` only those with a Condorcet winner.

    With ``continues`` algorithms learn the votes before their first round.
    """

    subject = VOTES
    posterior: Posterior
    condorcet: bool = False
    continues: bool = False

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

    def draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the matrix of a run.

        Raises UserError with ``condorcet`` if no matrix of many has a Condorcet winner.
        """
        for _ in range(DRAWS):
            matrix = self._draw(rng)
            if not self.condorcet or matrix.condorcet_winner() is not None:
                return matrix
        raise UserError(
            f"none of {DRAWS:,} matrices drawn from these votes has a Condorcet winner: look for Copeland winners"
        )

    def _draw(self, rng: np.random.Generator) -> PreferenceMatrix:
        if self.posterior.ties == "half":
            return self.posterior.draw(rng)
        ((W,), (T,)) = next(self.posterior.outcomes(rng, 1))
        return PreferenceMatrix(W + T / 2, "a matrix drawn after the votes", self.posterior.counts.names, T)

    def identity(self) -> dict[str, Any]:
        """Return, ready for JSON, everything that determines the matrices: the counts, not the file."""
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
    """Return the matrix of the shares of votes, ties half; ``unseen`` defines the entries of pairs without votes.

    With ``ties`` it has the shares of ties beside it, 0 for pairs without votes.

    Raises UserError if there is such a pair and ``unseen`` is None.
    """
    missing = (counts.votes == 0) & ~np.eye(counts.arms, dtype=bool)
    if missing.any() and unseen is None:
        first, second = (counts.names[arm] for arm in np.argwhere(missing)[0])
        more = int(missing.sum()) // 2 - 1
        others = f", nor on {more} other pairs" if more > 1 else ", nor on one other pair" if more else ""
        raise UserError(
            f"there are no votes on {first} and {second}{others}: write draw: posterior, or "
            "unseen: bradley-terry or half",
            source=source,
        )
    P = np.divide(counts.halved(), counts.votes, out=np.full(missing.shape, 0.5), where=counts.votes > 0)
    if unseen == "bradley-terry":
        strength = fit(counts)
        P[missing] = (1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None])))[missing]
    T = np.divide(counts.ties, counts.votes, out=np.zeros(missing.shape), where=counts.votes > 0)
    return PreferenceMatrix(P, source, counts.names, T if ties else None)


class VoteEntry(VoteFileOptions):
    """A ``votes:`` entry of a spec: how to read a vote file, and which matrices to make from it.

    Raises UserError for options that contradict each other; ``key`` is the one to remove.
    """

    draw: Literal["posterior", "bradley-terry"] | None = Field(
        None,
        description="Sample the matrix of each run from the posterior given the votes: every pair deviates from a "
        "Bradley–Terry model, or none. Without it all runs have the shares of the votes.",
    )
    strength: float | None = Field(
        None,
        gt=0,
        description="Of draw: posterior: the weight of the Bradley–Terry prediction of a pair, as a number of votes. "
        "By default it is estimated from the votes.",
    )
    condorcet: bool = Field(False, description="Draw only matrices that have a Condorcet winner.")
    ties: Literal["half", "drop", "keep"] = Field(  # type: ignore[assignment]
        "half", description="A tie is half a win for both, or nothing; with keep, a duel may also end in a tie."
    )
    unseen: Literal["half", "bradley-terry"] | None = Field(
        None,
        description="Without draw: P[i, j] of a pair without votes, 1/2 or as the Bradley–Terry strengths predict.",
    )
    continue_: bool = Field(
        False,
        alias="continue",
        description="Begin with these votes: algorithms learn them before their first round, if they learn from any "
        "duel, and arms are recommended by these and the new votes.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> VoteEntry:
        if self.strength is not None and self.draw != "posterior":
            raise UserError("strength needs draw: posterior: add it, or remove strength", key=("strength",))
        for name, given in (("condorcet", self.condorcet), ("continue", self.continue_)):
            if given and self.draw is None:
                raise UserError(f"{name} needs matrices that are drawn from votes: add draw: posterior", key=(name,))
        if self.draw is not None and self.unseen is not None:
            raise UserError("draw: posterior also draws pairs without votes: remove unseen", key=("unseen",))
        return self


_MOST_CONTINUED = 100_000_000
"""The largest number of earlier votes: the slowest algorithms learn them one by one, in half a second."""


def voted(path: Path, entry: VoteEntry) -> PreferenceMatrix | Voted:
    """Read a vote file; return the matrix, or the source of posterior samples, which takes groups into account.

    Raises UserError for mistakes in the file, with ``source`` and ``line``, and for pairs without votes.
    """
    found = read(path, entry)
    counts = found.counts
    if entry.continue_ and (votes := counts.votes.sum() / 2) > _MOST_CONTINUED:
        raise UserError(
            f"algorithms continue from at most {_MOST_CONTINUED:,} votes, not {votes:,.0f}: give a random part of them",
            source=str(path),
        )
    if entry.draw is None:
        return shares(counts, entry.unseen, path.name, ties=entry.ties == "keep")
    strength = math.inf if entry.draw == "bradley-terry" else entry.strength
    ties: Literal["half", "model"] = "model" if entry.ties == "keep" else "half"
    effect = design_effect(found.table)
    return Voted(Posterior(independent(counts, effect), strength, ties), entry.condorcet, entry.continue_)


def read(path: Path, options: VoteFileOptions) -> Votes:
    """Read a vote file, including the rows refused; see ``voted``."""
    given = VoteFileOptions(**{name: value for name, value in options.given().items() if value != "keep"})
    return _read(
        path, given.model_dump_json(exclude_defaults=True), *map(_version, filter(None, [path, options.alias]))
    )


def _version(path: object) -> tuple[str, int, int]:
    try:
        state = Path(str(path)).stat()
        return str(Path(str(path)).absolute()), state.st_mtime_ns, state.st_size
    except OSError:  # the reader reports it
        return str(Path(str(path)).absolute()), 0, 0


@lru_cache(maxsize=8)
def _read(path: Path, options: str, *versions: object) -> Votes:
    """Read a file; cached until it or the file of aliases changes, since the points of a grid read the same file."""
    return read_votes(path, VoteFileOptions.model_validate_json(options))
