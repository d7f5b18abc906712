"""Votes as they are read: one by one, with judges and groups, and the report of a reading."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.preferences.counts import PairCounts

if TYPE_CHECKING:
    import pandas as pd

FEWEST_CLUSTERS = 2
"""Clusters of dependent votes per arm below which their scatter does not estimate a covariance."""


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes on K named arms, each with its judge and its group.

    Parameters
    ----------
    names : tuple of str
        The names of the K arms.
    first, second : ndarray of int, shape (n,)
        The two arms of each vote.
    outcome : ndarray of int, shape (n,)
        1 where the first arm won, −1 where the second won, 0 for a tie.
    weight : ndarray of float, shape (n,)
        How many votes the row stands for.
    judge : ndarray of int, shape (n,)
        The index of the judge in ``judges``, −1 where unknown.
    group : ndarray of int, shape (n,)
        Votes with the same number come from one ranking and are not independent.
    judges : tuple of str
        The names of the judges.
    ordered : bool
        Whether the order of the two arms is that in which they were shown, rather than winner and loser, say.
    """

    names: tuple[str, ...]
    first: Ints
    second: Ints
    outcome: Ints
    weight: Floats
    judge: Ints
    group: Ints
    judges: tuple[str, ...] = ()
    ordered: bool = True

    def __len__(self) -> int:
        return len(self.first)

    def chosen(self, rows: Flags) -> VoteTable:
        """Return some of the votes."""
        columns = ("first", "second", "outcome", "weight", "judge", "group")
        return replace(self, **{column: getattr(self, column)[rows] for column in columns})

    def among(self, arms: Sequence[int]) -> VoteTable:
        """Return the votes among these arms, in this order."""
        place = np.full(len(self.names), -1)
        place[list(arms)] = np.arange(len(arms))
        kept = self.chosen((place[self.first] >= 0) & (place[self.second] >= 0))
        names = tuple(self.names[arm] for arm in arms)
        return replace(kept, names=names, first=place[kept.first], second=place[kept.second])

    def in_both_orders(self) -> tuple[int, int]:
        """Return how many pairs of votes show the same arms in both orders, and how many of these have two results.

        Both votes are by the same judge and in the same group.
        """
        several = np.bincount(self.group)[self.group] > 1
        first, second, outcome = self.first[several], self.second[several], self.outcome[several]
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys = np.stack([self.group[several], self.judge[several], low, high], axis=1)
        _, case, votes = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        turned = np.where(first > second, -1, 1)
        case = case.reshape(-1)
        pairs = (votes == 2) & (np.bincount(case, turned) == 0)
        lead, decided = np.bincount(case, outcome * turned), np.bincount(case, outcome != 0)
        return int(pairs.sum()), int((pairs & (decided > 0) & (np.abs(lead) < 2)).sum())

    def counts(self) -> PairCounts:
        """Return the votes, pair by pair."""
        K = len(self.names)
        wins, ties = np.zeros((K, K)), np.zeros((K, K))
        winner = np.where(self.outcome > 0, self.first, self.second)
        loser = np.where(self.outcome > 0, self.second, self.first)
        tied = self.outcome == 0
        np.add.at(wins, (winner[~tied], loser[~tied]), self.weight[~tied])
        np.add.at(ties, (self.first[tied], self.second[tied]), self.weight[tied])
        return PairCounts(self.names, wins, ties + ties.T)


class Duel(NamedTuple):
    """Votes on one pair: how many prefer the first, the second, and neither."""

    first: str
    second: str
    wins_first: float
    wins_second: float
    ties: float


@dataclass
class FileRows:
    """The rows of a file, in order.

    ``cells`` are the places in ``meanings`` of what the rows say; ``weight`` is the number of votes that each stands
    for; ``judge`` and ``group`` are numbers from 0, −1 where unknown, and empty where the file has no such column.
    ``together``: the votes of a row come from one ranking. ``ordered``: see ``VoteTable``. ``question`` is the column
    of ``group`` if it was guessed that rows with the same value are on one question.
    """

    together: bool
    ordered: bool = True
    question: str = ""
    cells: array[int] = field(default_factory=lambda: array("l"))
    weight: array[float] = field(default_factory=lambda: array("d"))
    judge: array[int] = field(default_factory=lambda: array("l"))
    group: array[int] = field(default_factory=lambda: array("l"))
    meanings: list[Sequence[Duel]] = field(default_factory=list)

    def add(self, duels: Sequence[Duel], times: int = 1) -> None:
        """Add rows with the same votes."""
        self.cells.extend([len(self.meanings)] * times)
        self.weight.extend([1.0] * times)
        self.meanings.append(duels)

    def rename(self, names: Mapping[str, str]) -> None:
        """Replace names of arms."""
        if names:
            self.meanings = [
                [duel._replace(first=names.get(duel[0], duel[0]), second=names.get(duel[1], duel[1])) for duel in duels]
                for duels in self.meanings
            ]


@dataclass(frozen=True)
class SingleVotes:
    """The rows of all files, the names of their judges, and whether ties count."""

    files: tuple[FileRows, ...]
    judges: tuple[str, ...]
    ties: bool

    def table(self, names: Sequence[str]) -> VoteTable:
        """Return the votes on arms with these names; a vote in no group has a group of its own."""
        place = {name: arm for arm, name in enumerate(names)}
        parts, groups = [], 0
        for file in self.files:
            arms, weight, judge, group = self._votes(file, place)
            kept = weight > 0
            parts.append((*arms[:, kept], weight[kept], judge[kept], groups + group[kept]))
            groups += int(group.max(initial=-1)) + 1
        columns = (np.concatenate(column) for column in zip(*parts, strict=True))
        first, second, outcome, weight, judge, group = columns
        ordered = all(file.ordered for file in self.files)
        return VoteTable(tuple(names), first, second, outcome, weight, judge, group, self.judges, ordered)

    def _votes(self, file: FileRows, place: dict[str, int]) -> tuple[Ints, Floats, Ints, Ints]:
        """Return first arm, second arm and outcome of each vote, shape (3, n), and its weight, judge and group."""
        meanings = [
            [
                (place[duel.first], place[duel.second], outcome, number)
                for duel in duels
                for outcome, number in ((1, duel.wins_first), (-1, duel.wins_second), (0, duel.ties))
                if number and (outcome or self.ties)
            ]
            for duels in file.meanings
        ]
        flat = np.array([vote for votes in meanings for vote in votes]).reshape(-1, 4).T
        size = np.array([len(votes) for votes in meanings], np.int64)
        cells = np.array(file.cells, np.int64)
        row = np.repeat(np.arange(len(cells)), size[cells])
        begins = np.cumsum(size[cells]) - size[cells]  # of the row among all votes
        vote = (np.cumsum(size) - size)[cells][row] + np.arange(len(row)) - begins[row]
        judge, group = (
            np.array(each, np.int64)[row] if each else np.full(len(row), -1, np.int64)
            for each in (file.judge, file.group)
        )
        alone = row if file.together else np.arange(len(row))
        group = np.where(group >= 0, group, alone + group.max(initial=-1) + 1)
        return flat[:3, vote].astype(np.int64), np.array(file.weight)[row] * flat[3, vote], judge, group


_ABSTENTIONS = 5
"""The largest number of words for abstentions to name."""


@dataclass(frozen=True)
class Source:
    """A vote file: its path, its SHA-256, its number of rows, and how they were interpreted."""

    path: str
    sha256: str
    rows: int
    understood: str

    @classmethod
    def of(cls, path: Path, rows: int, understood: str, name: str = "") -> Source:
        """Return the description of a file that has been read, or of ``name``, whose content it has."""
        with path.open("rb") as stream:
            return cls(name or str(path), hashlib.file_digest(stream, "sha256").hexdigest(), rows, understood)


@dataclass(frozen=True)
class Refused:
    """Rows that are refused for one reason, and the places of the first ones."""

    reason: str
    rows: int
    places: tuple[str, ...]


@dataclass(frozen=True)
class Votes:
    """The votes in vote files.

    ``counts`` are the votes on each pair, arms sorted by name. Of the ``rows`` read, ``left_out`` were not selected and
    those in ``refused`` are invalid; ``abstentions`` has the number of rows with each word that says that the judge has
    not judged. ``dropped_ties`` is the number of ties that are not in ``counts``. ``judges`` has
    the number of rows of each judge, empty without names. ``warnings`` are sentences about ambiguous data. ``single``
    is None unless ``read_votes`` has kept the votes one by one. ``grouped`` are sentences on columns of questions.
    """

    counts: PairCounts
    sources: tuple[Source, ...]
    rows: int
    left_out: int
    refused: tuple[Refused, ...]
    dropped_ties: float
    judges: Mapping[str, int]
    warnings: tuple[str, ...]
    single: SingleVotes | None = None
    abstentions: Mapping[str, int] = field(default_factory=dict)
    grouped: tuple[str, ...] = ()

    def table(self) -> VoteTable | None:
        """Return the votes in ``counts`` one by one, with judges and groups; None without ``single``."""
        return self.single.table(self.counts.names) if self.single else None

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each vote: ``first``, ``second``, ``winner``, ``weight``, ``judge`` and ``group``.

        ``winner`` is first, second or tie; ``judge`` is missing where unknown. Without single votes ValueError.
        """
        import pandas as pd

        table = self.table()
        if table is None:
            raise ValueError("the votes were only counted: read them with single=True")
        names, judges = np.array(table.names, dtype=object), np.array([*table.judges, None], dtype=object)
        columns = {
            "first": names[table.first],
            "second": names[table.second],
            "winner": np.array(["second", "tie", "first"], dtype=object)[table.outcome + 1],
            "weight": table.weight,
            "judge": judges[table.judge],
            "group": table.group,
        }
        return pd.DataFrame(columns)

    def problems(self) -> Iterator[str]:
        """Yield sentences on abstentions, on each reason why rows are refused, and the warnings."""
        if self.abstentions:
            yield self.abstained()
        for each in self.refused:
            yield f"{each.rows:,} of {self.rows:,} rows refused: {each.reason} ({each.places[0]})"
        yield from (f"note: {warning}" for warning in self.warnings)

    def abstained(self) -> str:
        """Return a sentence on the rows in which the judge has not judged."""
        words = ", ".join(f"{word!r} {rows:,}" for word, rows in list(self.abstentions.items())[:_ABSTENTIONS])
        more = ", …" if len(self.abstentions) > _ABSTENTIONS else ""
        total = sum(self.abstentions.values())
        return f"abstentions, which are no votes, in {total:,} of {self.rows:,} rows: {words}{more}"

    @property
    def refused_rows(self) -> int:
        """The number of refused rows."""
        return sum(each.rows for each in self.refused)
