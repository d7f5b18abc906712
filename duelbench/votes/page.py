"""Matrices made of votes, and what the votes say about them, in sentences and as a page in Markdown.

The findings are the winners, their certainty, the share of ties, and pairs with few votes or none. The page also lists
the files, the refused rows and the arms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.markup import markdown_table
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.proportions import NORMAL, percent, wilson
from duelbench.votes.matrices import Voted, shares
from duelbench.votes.reading.columns import VoteEntry
from duelbench.votes.reading.read import read_votes
from duelbench.votes.reading.tables import several
from duelbench.votes.strengths import design_effect, groups, independent, unbeaten_groups
from duelbench.votes.vote_table import Votes

_MOST_CONTINUED = 100_000_000
"""The largest number of earlier votes: the slowest algorithms learn them one by one, in half a second."""


def voted(path: Path, entry: VoteEntry) -> PreferenceMatrix | Voted:
    """Read a vote file; return the matrix, or the source of posterior samples, which takes groups into account.

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
"""A pair with fewer votes is thin: the interval of its probability has a length of at least 1/2."""

_MOST_DRAWN = 150
"""The largest number of arms to draw matrices of: it takes some seconds."""

_DRAWS = 1_000
"""The number of matrices drawn from the posterior: probabilities have standard errors of at most 1.6 %."""

_LISTED = 20
"""The largest number of rows in a table and of names in a sentence."""


class ShareAgainst(NamedTuple):
    """The share of its votes against another arm that an arm has won, ties as half wins, with its 95 % interval."""

    other: int
    votes: float
    value: float
    low: float
    high: float

    @property
    def result(self) -> str:
        """What the votes decide: the interval is above 1/2, below it, or neither."""
        return "wins" if self.low > 0.5 else "loses" if self.high < 0.5 else "open"


class Findings:
    """What votes say about the matrix made of them."""

    def __init__(self, counts: PairCounts, matrix: PreferenceMatrix) -> None:
        self.counts, self.matrix = counts, matrix
        self.total, self.ties = float(counts.votes.sum()) / 2, float(counts.ties.sum()) / 2
        self.pairs = counts.arms * (counts.arms - 1) // 2
        self.unseen = np.argwhere(np.triu(counts.votes == 0, 1))

    @cached_property
    def chances(self) -> Floats | None:
        """The probability that each arm is a Copeland winner, ties being a third outcome; None with many arms."""
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
    def winner_shares(self) -> list[ShareAgainst]:
        """The shares of the first Copeland winner against each arm on which there are votes with it."""
        winner, votes, halved = self.copeland[0], self.counts.votes, self.counts.halved()
        found = []
        for other in np.flatnonzero(votes[winner]).tolist():
            number = float(votes[winner, other])
            share = float(halved[winner, other]) / number
            found.append(ShareAgainst(other, number, share, *wilson(share, number)))
        return found

    @cached_property
    def pairs_decided(self) -> int:
        """The number of pairs whose Wilson interval excludes 1/2.

        The interval consists of the values that a score test does not reject: it excludes 1/2 if the share is more
        than 1.96 standard errors, under probability 1/2, away from 1/2.
        """
        votes = self.counts.votes
        away = np.abs(self.counts.halved() - votes / 2)  # in votes won, with standard error sqrt(votes) / 2
        return int(np.count_nonzero(np.triu(away > NORMAL * np.sqrt(votes) / 2, 1)))

    @cached_property
    def thin(self) -> list[tuple[int, int]]:
        """The pairs with few votes, fewest first."""
        votes = self.counts.votes
        few: list[list[int]] = np.argwhere(np.triu((votes > 0) & (votes < _THIN), 1)).tolist()
        return sorted(((i, j) for i, j in few), key=lambda pair: float(votes[pair]))

    def ties_sentence(self) -> str:
        """Return the share of ties; empty without ties."""
        return f"{100 * (self.ties / self.total):.1f} % of the votes are ties." if self.ties else ""

    def _likely(self, least: float) -> list[list[str]]:
        """Return the arms that are best with at least this probability, the most probable first."""
        assert self.chances is not None
        order = np.argsort(-self.chances, kind="stable").tolist()
        likely = ((arm, float(self.chances[arm])) for arm in order)
        return [[self.counts.names[arm], percent(chance, _DRAWS)] for arm, chance in likely if chance >= least]

    def chances_sentence(self) -> str:
        """Return a sentence about the arms that are most probably best."""
        if self.chances is None:
            return f"Probabilities of being best are not computed for more than {_MOST_DRAWN} arms."
        some = ", ".join(map(" ".join, self._likely(0.005)[:3]))
        return f"Probability of being a Copeland winner, after these votes: {some}."

    def pair_sentences(self, unseen: str = "") -> Iterator[str]:
        """Yield sentences about pairs with few votes or none, and about groups of arms that votes do not compare.

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
        yield f"The 95 % interval leaves 1/2 out on {self.pairs_decided:,} of {self.pairs:,} pairs."

    def named(self, arms: Sequence[int]) -> str:
        """Return the names of some arms, only the first ones if there are many."""
        return several([self.counts.names[arm] for arm in arms])

    def decided_sentence(self) -> str:
        """Return a sentence about the number of decided pairs of the first Copeland winner."""
        decided = sum(each.result != "open" for each in self.winner_shares)
        winner = self.counts.names[self.copeland[0]]
        return f"{decided} of {self.counts.arms - 1} pairs of {winner} are decided at 95 % (Wilson's interval)"

    def page(self, title: str, votes: Votes, unseen: str) -> str:
        """Return the page, which is the same for the same ``votes``, of whose arms these may be some."""
        seen = f"{self.pairs - len(self.unseen):,} of {self.pairs:,}"
        parts = [
            f"# {title}",
            f"{self.counts.arms} arms, {amount(self.total)} votes on {seen} pairs. Entry (i, j) is the share of votes "
            "that arm i has won against arm j, a tie being half a win for both.",
            "## Where the votes are from",
            *_files(votes),
            "## Arms",
            self._arms(),
            "## Pairs",
            *self.pair_sentences(unseen),
            "## Winners",
            *self._winners(),
            *(["## Ties", self.ties_sentence()] if self.ties else []),
        ]
        return "\n\n".join(part.replace("<", "&lt;") for part in parts) + "\n"

    def _arms(self) -> str:
        counts, copeland, borda = self.counts, self.matrix.copeland_scores(), self.matrix.borda_scores()
        numbers = counts.votes.sum(axis=1), counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
        rows = [
            [
                counts.names[arm],
                *(amount(each[arm]) for each in numbers),
                f"{copeland[arm]:.3f}",
                f"{borda[arm]:.3f}",
            ]
            for arm in np.lexsort((-borda, -copeland))
        ]
        head = ["arm", "votes", "won", "lost", "tied", "Copeland score", "Borda score"]
        return _table(head, rows, most=len(rows))

    def _winners(self) -> Iterator[str]:
        condorcet, borda = self.matrix.condorcet_winner(), self.matrix.borda_scores()
        rows = [
            ["Condorcet winner (beats every other arm)", "none" if condorcet is None else self.named([condorcet])],
            ["Copeland winner (beats most others)", self.named(self.copeland)],
            ["Borda winner (largest mean share)", self.named(np.flatnonzero(borda == borda.max()).tolist())],
        ]
        yield _table(["rule", "winner"], rows)
        yield f"{self.decided_sentence()}, the closest first:"
        shares = sorted(self.winner_shares, key=lambda each: abs(each.value - 0.5))
        rows = [
            [self.named([other]), amount(votes), f"{share:.3f}", f"{low:.3f} … {high:.3f}", each.result]
            for each in shares
            for other, votes, share, low, high in [each]
        ]
        yield _table(["against", "votes", "share won", "95 % interval", ""], rows)
        if self.chances is None:
            yield self.chances_sentence()
        else:
            yield f"Probability of being a Copeland winner given these votes, from {_DRAWS:,} samples of the posterior:"
            yield _table(["arm", "probability"], self._likely(0.01))


def _files(votes: Votes) -> Iterator[str]:
    """Yield the files of votes, and what has become of their rows."""
    rows = [[each.path, f"{each.rows:,}", each.understood, f"`{each.sha256}`"] for each in votes.files]
    yield _table(["file", "rows", "read as", "SHA-256"], rows)
    numbers = [f"Rows read: {votes.rows:,}; refused: {votes.refused_rows:,}"]
    numbers += [f"left out by --only: {votes.left_out:,}"] if votes.left_out else []
    numbers += [f"abstentions: {votes.abstentions.total():,}"] if votes.abstentions else []
    numbers += [f"ties dropped: {amount(votes.dropped_ties)}"] if votes.dropped_ties else []
    yield "; ".join(numbers) + "."
    if votes.abstentions:
        yield "Abstentions, which are no votes:"
        yield _table(["outcome", "rows"], [[word, f"{rows:,}"] for word, rows in votes.abstentions.items()])
    if votes.refused:
        rows = [[each.reason, f"{each.rows:,}", ", ".join(each.places)] for each in votes.refused]
        yield _table(["reason", "rows", "as in"], rows)
    yield from (f"Note: {warning}." for warning in votes.warnings)
    if votes.judges:
        yield _table(["judge", "votes"], [[judge, f"{number:,}"] for judge, number in votes.judges.items()])


def amount(votes: float) -> str:
    """Return a number of votes, which may have weights."""
    return f"{votes:,.0f}" if votes == round(votes) else f"{votes:,.2f}"


def _table(head: list[str], rows: list[list[str]], most: int = _LISTED) -> str:
    """Return a table in Markdown, of the first rows only if there are many."""
    more = [[f"and {len(rows) - most:,} more", *[""] * (len(head) - 1)]] if len(rows) > most else []
    shown = [[cell.replace("|", "\\|") for cell in row] for row in rows[:most] + more]
    return "\n".join(markdown_table(head, shown))
