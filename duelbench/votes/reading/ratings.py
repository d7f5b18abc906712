"""Ratings of items by users: of two items rated by the same user, the one with the better rating wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.arm_names import LONGEST_NAME, ArmNames, read_aliases
from duelbench.votes.reading.layouts import find
from duelbench.votes.reading.rows import Report
from duelbench.votes.reading.tables import Table, open_table
from duelbench.votes.reading.texts import key, number_in, several, shown
from duelbench.votes.vote_table import Source, Votes

_USUAL = {"user": ("user", "user_id"), "item": ("item", "item_id", "movie_id"), "value": ("value", "rating")}
"""The names of columns that are recognised."""
_Where = tuple[str, int]


@dataclass(frozen=True)
class RatingColumns:
    """The columns of the user, the item and the value; None has one of the usual names."""

    user: str | None = None
    item: str | None = None
    value: str | None = None

    def chosen(self, header: Sequence[str]) -> tuple[str, ...]:
        """Return the three columns. Raises UserError for one that is missing, or not the only one of its kind."""
        return tuple(self._chosen(header))

    def _chosen(self, header: Sequence[str]) -> Iterator[str]:
        for what, usual in _USUAL.items():
            named = getattr(self, what)
            found = [named] if named else [name for name in header if key(name) in map(key, usual)]
            if len(found) != 1:
                columns = several([*map(repr, header)])
                why = "no column is" if not found else f"columns {' and '.join(found)} can be"
                raise UserError(f"{why} the {what}: name it by --{what}; the columns are {columns}")
            yield find(found[0], header)

    def suits(self, header: Sequence[str]) -> bool:
        """Return whether a header has the three columns."""
        try:
            return bool(self.chosen(header))
        except UserError:
            return False


class _Rating(NamedTuple):
    name: str
    value: float


@dataclass
class _Ratings:
    """The ratings of all files, by user and by arm."""

    names: ArmNames
    report: Report = field(default_factory=Report)
    by_user: dict[str, dict[str, _Rating]] = field(default_factory=dict)

    def read(self, table: Table, chosen: Sequence[str]) -> None:
        """Add the ratings of a table. Raises UserError for two of a user of the same item."""
        for line, cells in table.rows(chosen):
            self.report.rows += 1
            user, item, mark = ("", "", "") if isinstance(cells, str) else (cell.strip() for cell in cells)
            value, mine = number_in(mark), self.by_user.setdefault(user, {})
            earlier = mine.get(self.names.arm(item)) if item else None
            if isinstance(cells, str):
                why = cells
            elif value is None:
                why = "there is no rating" if not mark else f"a rating is no number, as {shown(mark)!r}"
            elif not user or not item:
                why = "a user or an item has no name"
            elif len(item) > LONGEST_NAME or not is_name(item):
                why = f"a name is one line of at most {LONGEST_NAME} characters"
            elif earlier and earlier.name == item:
                why = f"user {user!r} has rated {item!r} twice: keep one of these ratings"
                raise UserError(why, source=table.source, line=line)
            elif earlier:
                why = "a user has rated an item in two spellings"
            else:
                mine[self.names.arm(item)] = _Rating(item, value)
                self.names.count(item, 1)
                continue
            self.report.refuse(why, table.source, [line])

    def compared(self, least: int, arms: int | None) -> PairCounts:
        """Return the votes on the items that the most users have rated."""
        kept = self.names.kept()
        ratings = [{kept[each.name]: each.value for each in mine.values()} for mine in self.by_user.values()]
        users: dict[str, int] = {}
        for name in (name for mine in ratings for name in mine):
            users[name] = users.get(name, 0) + 1
        chosen = sorted((name for name in users if users[name] >= least), key=lambda name: (-users[name], name))[:arms]
        if len(chosen) < 2:
            raise UserError(f"fewer than two items have been rated by {least:,} users")
        if len(chosen) > MAX_ARMS:
            raise UserError(
                f"there are {len(chosen):,} items and a matrix has at most {MAX_ARMS:,} arms: keep those that most users "
                "have rated (--arms), or those with many ratings (--least)"
            )
        place = {name: arm for arm, name in enumerate(sorted(chosen))}
        wins, ties = np.zeros((2, len(place), len(place)))
        for mine in ratings:
            rated = [(place[name], value) for name, value in mine.items() if name in place]
            if len(rated) > 1:
                arm, value = map(np.array, zip(*rated, strict=True))
                pair = np.ix_(arm, arm)
                wins[pair] += value[:, None] > value[None, :]
                ties[pair] += value[:, None] == value[None, :]
        np.fill_diagonal(ties, 0.0)
        return PairCounts(tuple(place), wins, ties)


def read_ratings(
    paths: Sequence[Path | str],
    columns: RatingColumns | None = None,
    ties: Literal["half", "drop"] = "half",
    best: Literal["largest", "smallest"] = "largest",
    least: int = 1,
    arms: int | None = None,
    alias: Path | str | None = None,
    delimiter: str | None = None,
) -> Votes:
    """Read ratings from CSV, TSV, JSON Lines or Parquet, and compare the items rated by the same user.

    Args:
        paths: The files; a user's ratings may be in several.
        columns: The named columns; the others have usual names.
        ties: Count equal ratings as half a win for both, or drop them.
        best: Which rating is the best one.
        least: The number of users who must have rated an item for it to be an arm.
        arms: The number of items to keep: those with the most users.
        alias: A file of other names of items.
        delimiter: The character between the cells of a text file, by default as its header suggests.

    Raises:
        UserError: no such file, unknown columns, no ratings, or more than half of the rows refused.
    """
    columns = columns or RatingColumns()
    ratings = _Ratings(ArmNames(read_aliases(Path(alias)) if alias else {}))
    report, sources = ratings.report, []
    for path in map(Path, paths):
        before = report.rows, report.refused_rows
        with rereadable(path) as file:
            table = open_table(file, str(path), delimiter, columns.suits)
            try:
                chosen = columns.chosen(table.columns)
            except UserError as error:
                raise UserError(error.message, source=str(path)) from None
            ratings.read(table, chosen)
            understood = "{} has rated {} with {}".format(*chosen)
            sources.append(Source.of(file, str(path)).read(report.rows - before[0], understood))
        refused = report.refused_rows - before[1]
        if refused > sources[-1].rows / 2 or not sources[-1].rows:
            why = (
                f", most of them because {report.refused[0].reason} (as in {report.refused[0].places[0]})"
                if refused
                else ""
            )
            raise UserError(f"{refused:,} of {sources[-1].rows:,} rows are no ratings{why}", source=str(path))
    try:
        counts = ratings.compared(least, arms)
        dropped = float(counts.ties.sum()) / 2 if ties == "drop" else 0.0
        won = counts.wins if best == "largest" else counts.wins.T
        counts = PairCounts(counts.names, won, counts.ties * (ties == "half"))
        if not counts.votes.any():
            raise UserError("no user has rated two items" + ("" if ties == "half" else " differently"))
    except UserError as error:
        error.source = error.source or sources[0].path
        raise
    warnings = tuple(ratings.names.warnings(str(alias or "")))
    return Votes(counts, tuple(sources), report.rows, refused=report.refused, dropped_ties=dropped, warnings=warnings)
