"""Read ratings of items by users. Of two items rated by the same user, the one with the better rating wins."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.markup import several
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.columns import find
from duelbench.votes.reading.formats import open_table
from duelbench.votes.reading.read import LONGEST_NAME, ArmNames, read_aliases
from duelbench.votes.reading.tables import RawTable, key, number_in, shown
from duelbench.votes.vote_table import Report, VoteFile, Votes, VoteTable, sha256_of

COLUMNS = {"user": ("user", "user_id"), "item": ("item", "item_id", "movie_id"), "value": ("value", "rating")}
"""The recognised names of columns."""
_Ratings = dict[str, dict[str, tuple[str, float]]]
"""The name of the item and its rating, by user and arm."""


def read_ratings(
    paths: Sequence[Path | str],
    columns: dict[str, str | None] | None = None,
    ties: Literal["half", "drop"] = "half",
    best: Literal["largest", "smallest"] = "largest",
    least: int = 1,
    arms: int | None = None,
    alias: Path | str | None = None,
    delimiter: str | None = None,
) -> Votes:
    """Read ratings from CSV, TSV, JSON Lines or Parquet, and compare the items rated by the same user.

    A user's ratings may be in several files. ``columns`` names the columns of the ``user``, the ``item`` and the
    ``value``; by default they have the usual names. ``best`` says which rating is the best one. Items rated by at
    least ``least`` users become arms; of these, only the ``arms`` items with the most users are kept. ``alias`` is a
    file of other names of items; ``ties`` and ``delimiter`` are as for ``read_votes``.

    Raises UserError if a file does not exist, columns are unknown, there are no ratings, or more than half of the rows
    are refused.
    """
    names, report = ArmNames(read_aliases(Path(alias)) if alias else {}), Report()
    ratings: _Ratings = {}
    files: list[VoteFile] = []
    for path in map(Path, paths):
        before = report.sizes()
        with rereadable(path) as file:
            table = open_table(file, str(path), delimiter)
            chosen = [_column(what, (columns or {}).get(what), table) for what in COLUMNS]
            _add(table, chosen, ratings, names, report)
            if others := [repr(shown(name)) for name in table.columns if name not in chosen]:
                report.warnings.append(f"{path}: not used: {', '.join(others)}")
            understood = "{} has rated {} with {}".format(*chosen)
            number = report.read_since(before, understood, str(path))
            files.append(VoteFile(str(path), sha256_of(file), number, understood))
    counts = _compared(ratings, names.kept(), least, arms, files[0].path)
    won = counts.wins if best == "largest" else counts.wins.T
    kept = PairCounts(counts.names, won, counts.ties * (ties == "half"))
    if not kept.votes.any():
        raise UserError("no user has rated two items" + " differently" * (ties == "drop"), source=files[0].path)
    dropped = float(counts.ties.sum()) / 2 if ties == "drop" else 0.0
    report.warnings += names.warnings(str(alias or ""))
    return Votes(**vars(report), table=VoteTable.of(kept), files=tuple(files), dropped_ties=dropped)


def _column(what: str, named: str | None, table: RawTable) -> str:
    """Find the column of the user, the item or the value."""
    found = [named] if named else [each for each in table.columns if key(each) in map(key, COLUMNS[what])]
    try:
        if len(found) == 1:
            return find(found[0], table.columns)
    except UserError as error:
        raise UserError(error.message, source=table.source) from None
    why = f"columns {' and '.join(found)} can each be the {what}" if found else f"no column is the {what}"
    columns = several([*map(repr, table.columns)])
    raise UserError(f"{why}: name it by --{what}; the columns are {columns}", source=table.source)


def _add(table: RawTable, chosen: Sequence[str], ratings: _Ratings, names: ArmNames, report: Report) -> None:
    """Add the ratings of a table. Raises UserError if a user has rated an item twice."""
    arm = cache(names.arm)
    for line, cells in table.rows(chosen):
        report.rows += 1
        user, item, mark = ("", "", "") if isinstance(cells, str) else (cell.strip() for cell in cells)
        value = number_in(mark)
        if isinstance(cells, str):
            report.refuse(cells, table.source, [line])
        elif not user or not item or len(item) > LONGEST_NAME or not is_name(item):
            report.refuse("a user or an item has no name, or one that is no line of text", table.source, [line])
        elif value is None:
            comma = ", write decimals with a point" * ("," in mark)
            why = f"a rating is no number, as {shown(mark)!r}{comma}" if mark else "there is no rating"
            report.refuse(why, table.source, [line])
        elif arm(item) in ratings.setdefault(user, {}):
            earlier = ratings[user][arm(item)][0]
            why = f"user {user!r} has rated {item!r} twice" + f", also as {earlier!r}" * (earlier != item)
            raise UserError(f"{why}: keep one of these ratings", source=table.source, line=line)
        else:
            ratings[user][arm(item)] = item, value
            names.count(item, 1)


def _compared(ratings: _Ratings, kept: dict[str, str], least: int, arms: int | None, source: str) -> PairCounts:
    """Count wins and ties between the items that the most users have rated."""
    rated = [{kept[name]: value for name, value in mine.values()} for mine in ratings.values()]
    users = Counter(name for mine in rated for name in mine)
    chosen = sorted((name for name in users if users[name] >= least), key=lambda name: (-users[name], name))[:arms]
    if not 2 <= len(chosen) <= MAX_ARMS:
        why = f"{len(chosen):,} items have been rated by {least:,} users, and a matrix has from 2 to {MAX_ARMS:,} arms"
        raise UserError(f"{why}: choose others by --arms or --least", source=source)
    place = {name: arm for arm, name in enumerate(sorted(chosen))}
    wins, ties = np.zeros((2, len(place), len(place)))
    for mine in rated:
        known = [name for name in mine if name in place]
        value, pair = np.array([mine[name] for name in known]), np.ix_(*[[place[name] for name in known]] * 2)
        wins[pair] += value[:, None] > value[None, :]
        ties[pair] += value[:, None] == value[None, :]
    np.fill_diagonal(ties, 0.0)
    return PairCounts(tuple(place), wins, ties)
