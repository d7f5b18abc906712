"""Make matrices from votes, and describe them.

``Findings`` gives sentences about the winners, their certainty, the share of ties, and pairs with few votes or none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.arrays import Flags, Floats
from duelbench.errors import UserError
from duelbench.markup import several
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.proportions import NORMAL, percent
from duelbench.votes.matrices import Voted, shares
from duelbench.votes.reading.columns import VoteEntry
from duelbench.votes.reading.read import read_votes
from duelbench.votes.strengths import design_effect, groups, independent, unbeaten_groups

_MOST_CONTINUED = 100_000_000
"""The largest number of earlier votes; the slowest algorithms learn them one by one, in half a second."""


def voted(path: Path, entry: VoteEntry) -> PreferenceMatrix | Voted:
    """Read a vote file; return its matrix or, with ``draw``, the posterior, corrected for groups of dependent votes.

    Raises UserError for mistakes in the file, with ``source`` and ``line``, and for pairs without votes.
    """
    found = read_votes(path, entry)
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


_THIN = 10
"""A pair with fewer votes is thin: with a share of 1/2, its 95 % Wilson interval is longer than 1/2."""

_MOST_DRAWN = 150
"""The largest number of arms for which we draw matrices, which then takes some seconds."""

_DRAWS = 1_000
"""The number of matrices drawn from the posterior: probabilities have standard errors of at most 1.6 %."""

_LISTED = 20
"""The largest number of pairs or groups in a sentence."""


class Findings:
    """Statistics and sentences about votes and the matrix made from them."""

    def __init__(self, counts: PairCounts, matrix: PreferenceMatrix) -> None:
        self.counts, self.matrix = counts, matrix
        self.total, self.ties = float(counts.votes.sum()) / 2, float(counts.ties.sum()) / 2
        self.pairs = counts.arms * (counts.arms - 1) // 2
        self.unseen = np.argwhere(np.triu(counts.votes == 0, 1))

    @cached_property
    def chances(self) -> Floats | None:
        """The probability that each arm is a Copeland winner, with ties as a third outcome; None with many arms."""
        if self.counts.arms > _MOST_DRAWN:
            return None
        return Posterior(self.counts, ties="model").sample(_DRAWS).chances()

    @cached_property
    def copeland(self) -> list[int]:
        """The Copeland winners, the most probable first."""
        winners = self.matrix.copeland_winners()
        order = slice(None) if self.chances is None else np.argsort(-self.chances[winners], kind="stable")
        found: list[int] = winners[order].tolist()
        return found

    @cached_property
    def decided(self) -> Flags:
        """Whether the Wilson interval of each pair excludes 1/2, shape (K, K).

        The interval contains the values that a score test does not reject. So it excludes 1/2 if the share differs
        from 1/2 by more than 1.96 standard errors, computed at probability 1/2.
        """
        votes = self.counts.votes
        away = np.abs(self.counts.halved() - votes / 2)  # in votes won, with standard error sqrt(votes) / 2
        found: Flags = away > NORMAL * np.sqrt(votes) / 2
        return found

    @cached_property
    def thin(self) -> list[tuple[int, int]]:
        """The pairs with few votes, fewest first."""
        votes = self.counts.votes
        few: list[list[int]] = np.argwhere(np.triu((votes > 0) & (votes < _THIN), 1)).tolist()
        return sorted(((i, j) for i, j in few), key=lambda pair: float(votes[pair]))

    def ties_sentence(self) -> str:
        """Return the share of ties; empty without ties."""
        return f"{100 * (self.ties / self.total):.1f} % of the votes are ties." if self.ties else ""

    def chances_sentence(self) -> str:
        """Return a sentence about the arms that are most probably best."""
        if self.chances is None:
            return f"Probabilities of being best are not computed for more than {_MOST_DRAWN} arms."
        likely = [arm for arm in np.argsort(-self.chances, kind="stable")[:3].tolist() if self.chances[arm] >= 0.005]
        some = ", ".join(f"{self.counts.names[arm]} {percent(self.chances[arm], _DRAWS)}" for arm in likely)
        return f"Probability of being a Copeland winner, after these votes: {some}."

    def pair_sentences(self, unseen: str = "") -> Iterator[str]:
        """Yield sentences about pairs with few votes or none, and about groups of arms that no votes compare.

        ``unseen`` describes the entries of pairs without votes.
        """
        names, votes = self.counts.names, self.counts.votes
        if len(self.unseen):
            some = ", ".join(f"{names[i]} – {names[j]}" for i, j in self.unseen[:_LISTED])
            some += ", …" * (len(self.unseen) > _LISTED)
            taken = f", for which {unseen} is taken" if unseen else ""
            yield f"{len(self.unseen):,} of {self.pairs:,} pairs have no votes{taken}: {some}."
        else:
            yield f"Each of the {self.pairs:,} pairs has votes."
        if self.thin:
            some = several([f"{names[i]} – {names[j]} ({amount(votes[i, j])})" for i, j in self.thin])
            yield f"{len(self.thin):,} have fewer than {_THIN}: {some}."
        apart, one_sided = groups(votes), unbeaten_groups(self.counts.halved())
        if len(apart) > 1:
            parts = "; ".join(map(self.named, apart))
            yield f"No votes connect these groups of arms, so nothing is known of one against another: {parts}."
        elif len(one_sided) > 1:
            few = "; ".join(map(self.named, one_sided[1 : _LISTED + 1]))
            yield f"These groups have won, or lost, all votes against the others, so their distance is unknown: {few}."
        decided = np.count_nonzero(self.decided) // 2
        yield f"The 95 % interval leaves 1/2 out on {decided:,} of {self.pairs:,} pairs."

    def named(self, arms: Sequence[int]) -> str:
        """Return the names of arms, only the first ones if there are many."""
        return several([self.counts.names[arm] for arm in arms])

    def decided_sentence(self) -> str:
        """Return a phrase on the number of decided pairs of the first Copeland winner."""
        number = f"{np.count_nonzero(self.decided[self.copeland[0]])} of {self.counts.arms - 1} pairs"
        return f"{number} of {self.named(self.copeland[:1])} are decided at 95 % (Wilson's interval)"


def amount(votes: float) -> str:
    """Format a number of votes, which need not be whole if votes have weights."""
    return f"{votes:,.0f}" if votes == round(votes) else f"{votes:,.2f}"
