"""The options of a vote file in a spec: how to read it, and which matrices to make from it."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.sources.parameters import Parameters
from duelbench.sources.voted import Voted, shares

if TYPE_CHECKING:
    from duelbench.sources.votes import Votes


class Voting(Parameters):
    """How to read a vote file, and which matrices to make from it.

    Raises:
        UserError: options that contradict each other; ``key`` is the one to remove.
    """

    draw: Literal["posterior", "bradley-terry"] | None = Field(
        None,
        description="Draw a matrix for each run from what the votes leave open: every pair deviates from a "
        "Bradley–Terry model, or none. Without it all runs have the shares of the votes.",
    )
    strength: float | None = Field(
        None,
        gt=0,
        description="Of draw: posterior: how many votes on a pair outweigh what the other pairs say of it. Without it "
        "this is learned from the votes.",
    )
    condorcet: bool = Field(False, description="Draw only matrices that have a Condorcet winner.")
    ties: Literal["half", "drop"] = Field("half", description="A tie is half a win for both, or nothing.")
    unseen: Literal["half", "bradley-terry"] | None = Field(
        None, description="Without draw: what a pair has that nobody has voted on, 1/2 or what strengths say."
    )
    continue_: bool = Field(
        False,
        alias="continue",
        description="Tell each algorithm the votes before its first round, so that it goes on from them.",
    )
    first: str | None = Field(None, description="The column of the first arm. Default: guessed.")
    second: str | None = Field(None, description="The column of the second arm. Default: guessed.")
    winner: str | None = Field(None, description="The column of the outcome, or of the arm that has won.")
    loser: str | None = Field(None, description="The column of the arm that has lost, in place of first and second.")
    weight: str | None = Field(None, description="The column of what a row counts for. Default: 1 each.")

    @model_validator(mode="after")
    def _consistent(self) -> Voting:
        if self.strength is not None and self.draw != "posterior":
            raise UserError("strength needs draw: posterior: add it, or remove strength", key=("strength",))
        for key, given in (("condorcet", self.condorcet), ("continue", self.continue_)):
            if given and self.draw is None:
                raise UserError(f"{key} needs matrices that are drawn from votes: add draw: posterior", key=(key,))
        if self.draw is not None and self.unseen is not None:
            raise UserError("draw: posterior also draws pairs without votes: remove unseen", key=("unseen",))
        return self


def voted(path: Path, voting: Voting) -> PreferenceMatrix | Voted:
    """Read a vote file; return the matrix, or the source of posterior samples.

    Raises UserError for mistakes in the file, with ``source`` and ``line``, and for pairs without votes.
    """
    counts = read(path, voting).counts
    if voting.draw is None:
        return shares(counts, voting.unseen, path.name)
    if voting.continue_ and any((table % 1).any() for table in (counts.wins, counts.ties)):
        raise UserError("these votes have weights, but algorithms count whole votes: remove continue", source=path.name)
    strength = math.inf if voting.draw == "bradley-terry" else voting.strength
    return Voted(Posterior(counts, strength), voting.condorcet, voting.continue_)


def read(path: Path, voting: Voting) -> Votes:
    """Read a vote file, including the rows refused; see ``voted``."""
    try:
        state = path.stat()
        version = (str(path.absolute()), state.st_mtime_ns, state.st_size)
    except OSError:  # the reader reports it
        version = (str(path.absolute()), 0, 0)
    columns = (voting.first, voting.second, voting.winner, voting.loser, voting.weight)
    return _read(path, version, voting.ties, columns)


@lru_cache(maxsize=8)
def _read(
    path: Path, version: tuple[str, int, int], ties: Literal["half", "drop"], columns: tuple[str | None, ...]
) -> Votes:
    """Read a file; cached until it changes, since the points of a grid read the same file."""
    from duelbench.sources.votes import Columns, read_votes

    return read_votes([path], Columns(*columns), ties=ties)
