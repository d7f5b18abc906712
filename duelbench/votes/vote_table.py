"""Tables of votes with judges and groups, and the report on how they were read."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.markup import escaped
from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading.tables import EXACT

if TYPE_CHECKING:
    import pandas as pd

FEWEST_CLUSTERS = 2
"""The smallest number of clusters per arm for which we estimate a cluster-robust covariance."""


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
        The number of votes that the row stands for.
    judge : ndarray of int, shape (n,)
        The index of the judge in ``judges``, −1 where unknown.
    group : ndarray of int, shape (n,)
        Votes with the same number come from one ranking and are not independent.
    judges : tuple of str
        The names of the judges.
    ordered : bool
        Whether ``first`` was shown first. False if the order means something else, such as winner and loser.
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
        """Count the pairs of votes that show the same arms in both orders, and those of them with different results.

        Both votes must be by the same judge and in the same group.
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
        """Count the votes on each pair."""
        K = len(self.names)
        wins, ties = np.zeros((K, K)), np.zeros((K, K))
        winner = np.where(self.outcome > 0, self.first, self.second)
        loser = np.where(self.outcome > 0, self.second, self.first)
        tied = self.outcome == 0
        np.add.at(wins, (winner[~tied], loser[~tied]), self.weight[~tied])
        np.add.at(ties, (self.first[tied], self.second[tied]), self.weight[tied])
        return PairCounts(self.names, wins, ties + ties.T)

    @classmethod
    def of(cls, counts: PairCounts) -> VoteTable:
        """Make a table from counts, with a row for each number; judges are unknown, and rows independent."""
        first, second = np.nonzero(counts.wins)
        tied = np.nonzero(np.triu(counts.ties))
        weight = np.concatenate([counts.wins[first, second], counts.ties[tied]])
        rows, outcome = np.arange(len(weight)), np.repeat([1, 0], [len(first), len(tied[0])])
        ends = np.concatenate([first, tied[0]]), np.concatenate([second, tied[1]])
        return cls(counts.names, *ends, outcome, weight, np.full(len(rows), -1), rows, ordered=False)


_ABSTENTIONS = 5
"""The largest number of words for abstentions that the report names."""
_PLACES = 3
"""The largest number of places that the report records for each reason."""


@dataclass(frozen=True)
class VoteFile:
    """A file of votes: its path, its SHA-256, its number of rows, and how they were read.

    Votes that come from Python have no SHA-256.
    """

    path: str
    sha256: str
    rows: int
    understood: str


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class Refused:
    """The number of rows refused for one reason, and the places of the first ones."""

    reason: str
    rows: int
    places: tuple[str, ...]


@dataclass
class Report:
    """The numbers of rows that were read, refused or left out, and warnings for the user.

    Of all ``rows``, ``left_out`` were not selected by the user. ``abstentions`` counts the rows without a vote by their
    word, such as skip, and ``reasons`` the refused rows by reason. ``warnings`` are sentences about ambiguous data, and
    ``grouped`` about columns that define groups of dependent votes.
    """

    rows: int = 0
    left_out: int = 0
    abstentions: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Refused] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)

    def refuse(self, why: str, source: str, lines: Sequence[int]) -> None:
        """Count rows that are refused for the same reason."""
        earlier = self.reasons.get(why, Refused(why, 0, ()))
        places = [*earlier.places, *(f"{source}:{line}" for line in lines[:_PLACES])]
        self.reasons[why] = Refused(why, earlier.rows + len(lines), tuple(places[:_PLACES]))

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The refused rows by reason, the most frequent first."""
        return tuple(sorted(self.reasons.values(), key=lambda each: -each.rows))

    @property
    def refused_rows(self) -> int:
        """The number of refused rows."""
        return sum(each.rows for each in self.reasons.values())

    def sizes(self) -> tuple[int, int, int]:
        """Return the numbers of all rows, refused rows and abstentions."""
        return self.rows, self.refused_rows, self.abstentions.total()

    def read_since(self, before: tuple[int, int, int], understood: str, source: str) -> int:
        """Return the number of rows since earlier ``sizes``. Raises UserError if most votes are refused."""
        rows, refused, abstained = (now - then for now, then in zip(self.sizes(), before, strict=True))
        if refused > (rows - abstained) / 2:
            worst = self.refused[0]
            why = f"{refused:,} of {rows:,} rows cannot be used, most of them because {worst.reason}"
            raise UserError(f"{why} ({worst.places[0]}); they are read as {understood}", source=source)
        return rows

    def problems(self) -> Iterator[str]:
        """Yield sentences on abstentions and on refused rows, by reason, and then the warnings."""
        if self.abstentions:
            words = ", ".join(f"{word!r} {rows:,}" for word, rows in self.abstentions.most_common(_ABSTENTIONS))
            more = ", …" if len(self.abstentions) > _ABSTENTIONS else ""
            total = self.abstentions.total()
            yield f"abstentions, which are no votes, in {total:,} of {self.rows:,} rows: {words}{more}"
        for each in self.refused:
            yield f"{each.rows:,} of {self.rows:,} rows refused: {each.reason} ({', '.join(each.places)})"
        yield from (f"note: {warning}" for warning in self.warnings)


@dataclass(kw_only=True)
class Votes(Report):
    """Votes read by ``read_votes``: a ``table``, the ``files`` that they come from, and a report.

    Arms are sorted by name. ``dropped_ties`` is the number of ties that were left out.
    """

    table: VoteTable
    files: tuple[VoteFile, ...]
    dropped_ties: float = 0.0

    @cached_property
    def counts(self) -> PairCounts:
        """The votes on each pair."""
        return self.table.counts()

    @property
    def judges(self) -> dict[str, int]:
        """The number of votes of each judge, by name."""
        table = self.table
        number = np.bincount(table.judge[table.judge >= 0], minlength=len(table.judges))
        return {table.judges[judge]: int(number[judge]) for judge in np.argsort(-number, kind="stable")}

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each vote: ``first``, ``second``, ``outcome``, ``weight``, ``judge`` and ``group``.

        ``outcome`` is first, second or tie; ``judge`` is missing where unknown.
        """
        import pandas as pd

        table = self.table
        names, judges = np.array(table.names, dtype=object), np.array([*table.judges, None], dtype=object)
        columns = {
            "first": names[table.first],
            "second": names[table.second],
            "outcome": np.array(["second", "tie", "first"], dtype=object)[table.outcome + 1],
            "weight": table.weight,
            "judge": judges[table.judge],
            "group": table.group,
        }
        return pd.DataFrame(columns)


_HEADER = ("first", "second", "wins_first", "wins_second", "ties")


def counts_path(matrix: Path) -> Path:
    """Return the path of the file of counts that belongs to a matrix file, in the same directory."""
    return matrix.with_name(f"{matrix.stem}-counts.csv")


def counts_text(counts: PairCounts, comment: str = "") -> str:
    """Return the text of a file of counts: a row for each pair with votes, and one for each arm without any."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEADER)
    votes, names = counts.votes, [*map(escaped, counts.names)]
    for i, j in np.argwhere(np.triu(votes > 0, 1)):
        figures = (counts.wins[i, j], counts.wins[j, i], counts.ties[i, j])
        writer.writerow([names[i], names[j], *map(_number, figures)])
    for arm in np.flatnonzero(~(votes > 0).any(axis=1)):
        writer.writerow([names[arm], names[int(arm == 0)], 0, 0, 0])
    return "".join([f"{EXACT}\n", *(f"# {line}\n" for line in comment.splitlines()), out.getvalue()])


def _number(count: float) -> str:
    return str(int(count)) if count == int(count) else repr(float(count))
