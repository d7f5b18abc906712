"""Ratings of items by users: of two items rated by the same user, the one with the better rating wins."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading import terms
from duelbench.votes.reading.arm_names import ArmNames, read_aliases
from duelbench.votes.reading.options import Ties, listed, require
from duelbench.votes.reading.tables import Table, columns_of, open_table
from duelbench.votes.reading.tally import LONGEST_NAME, Refusals, comma, number_in, shown
from duelbench.votes.reading.terms import column_called
from duelbench.votes.vote_table import Source, Votes

Best = Literal["largest", "smallest"]


@dataclass(frozen=True)
class RatingColumns:
    """The columns of the user, the item and the value; None is guessed from usual headers."""

    user: str | None = None
    item: str | None = None
    value: str | None = None

    def chosen(self, header: Sequence[str]) -> tuple[str, str, str]:
        """Return the three columns.

        Raises:
            UserError: a column is missing or cannot be guessed.
        """
        found = []
        wanted = (
            ("user", self.user, terms.USERS),
            ("item", self.item, terms.ITEMS),
            ("value", self.value, terms.VALUES),
        )
        for what, name, usual in wanted:
            guess = name or column_called(header, usual)
            if guess is None:
                raise UserError(
                    f"it is not clear which column holds the {what}: name it by --{what}; the columns are "
                    f"{listed(header)}"
                )
            require(guess, header)
            found.append(guess)
        return found[0], found[1], found[2]


@dataclass
class _Ratings:
    """All ratings: the numbers of users and items, and the values, in three lists of the same length.

    An item is a spelling of its name; ``names`` has the arms.
    """

    names: ArmNames
    warnings: list[str] = field(default_factory=list)
    users: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    user: array[int] = field(default_factory=lambda: array("i"))
    item: array[int] = field(default_factory=lambda: array("i"))
    value: array[float] = field(default_factory=lambda: array("d"))


def read_ratings(
    paths: Sequence[Path | str],
    columns: RatingColumns | None = None,
    ties: Ties = "half",
    best: Best = "largest",
    least: int = 1,
    arms: int | None = None,
    alias: Path | str | None = None,
    delimiter: str | None = None,
) -> Votes:
    """Read ratings from CSV, TSV, JSON Lines or Parquet, and compare the items rated by the same user.

    Args:
        paths: The files; a user's ratings may be in several.
        columns: The named columns; the others are guessed from usual headers.
        ties: Count equal ratings as half a win for both, or drop them.
        best: Which rating is the best one.
        least: The number of users who must have rated an item for it to be an arm.
        arms: The number of items to keep: those with the most users.
        alias: A file of other names of items.
        delimiter: The character between the cells of a text file, by default as its header suggests.

    Raises:
        UserError: no such file, columns that cannot be guessed, no ratings, or more than half of the rows refused.
    """
    ratings, refusals = _Ratings(ArmNames(read_aliases(Path(alias)) if alias else {})), Refusals()
    sources = []
    for path in map(Path, paths):
        with rereadable(path) as file:
            sources.append(_file(file, str(path), columns or RatingColumns(), ratings, refusals, delimiter))
    try:
        wins, tied, names = _compared(ratings, least, arms)
        won = wins if best == "largest" else wins.T
        counts = PairCounts(names, won, tied if ties == "half" else np.zeros_like(tied))
        if not counts.votes.any():
            raise UserError("no user has rated two items" + ("" if ties == "half" else " differently"))
    except UserError as error:
        error.source = error.source or sources[0].path
        raise
    dropped = float(tied.sum()) / 2 if ties == "drop" else 0.0
    rows = sum(source.rows for source in sources)
    warnings = *ratings.warnings, *ratings.names.warnings(str(alias or ""))
    return Votes(counts, tuple(sources), rows, 0, refusals.reasons(), dropped, {}, warnings)


def _file(
    path: Path, source: str, columns: RatingColumns, ratings: _Ratings, refusals: Refusals, delimiter: str | None
) -> Source:
    before, kept = refusals.rows, len(ratings.value)
    try:
        table = open_table(path, delimiter, source)
        with columns_of(table):
            chosen = columns.chosen(table.columns)
        _collect(table, chosen, ratings, refusals, source)
    except UserError as error:
        error.source = error.source or source
        raise
    refused = refusals.rows - before
    rows = len(ratings.value) - kept + refused
    if not rows:
        raise UserError("the file holds no ratings", source=source)
    understood = "{} has rated {} with {}".format(*chosen)
    refusals.check(refused, rows, understood, source)
    return Source.of(path, rows, understood, source)


def _collect(table: Table, chosen: Sequence[str], ratings: _Ratings, refusals: Refusals, source: str) -> None:
    for line, (user, item, value) in table.rows(chosen, lambda line, reason: refusals.add(reason, source, line)):
        number = number_in(value)
        name = item.strip()
        if number is None or not np.isfinite(number):
            reason = f"no rating: {shown(value)}{comma(value)}" if value.strip() else "there is no rating"
            refusals.add(reason, source, line)
        elif not user.strip() or not name:
            refusals.add("a user or an item has no name", source, line)
        elif len(name) > LONGEST_NAME or not is_name(name):
            refusals.add(f"a name is one line of at most {LONGEST_NAME} characters", source, line)
        else:
            ratings.user.append(ratings.users.setdefault(user.strip(), len(ratings.users)))
            ratings.item.append(ratings.items.setdefault(name, len(ratings.items)))
            ratings.names.count([name])
            ratings.value.append(number)


def _arms_of(ratings: _Ratings, user: Ints, item: Ints, value: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the ratings of arms, one of each arm by each user, in the order of users and arms."""
    renamed = ratings.names.renamed()
    arm = [ratings.items.setdefault(renamed.get(name, name), len(ratings.items)) for name in list(ratings.items)]
    item = np.array(arm)[item]
    order = np.lexsort((item, user))
    user, item, value = user[order], item[order], value[order]
    kept = np.append(True, (user[1:] != user[:-1]) | (item[1:] != item[:-1]))
    if not kept.all():
        place = int(np.flatnonzero(~kept)[0])
        ratings.warnings.append(
            f"user {list(ratings.users)[user[place]]!r} has rated {list(ratings.items)[item[place]]!r} in two "
            f"spellings: the second rating is left out ({int((~kept).sum()):,} such ratings)"
        )
    return user[kept], item[kept], value[kept]


def _compared(
    ratings: _Ratings, least: int, arms: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Return the wins and ties, both (K, K), and the sorted names of the items that are arms."""
    columns = ratings.user, ratings.item, ratings.value
    user, item, value = (np.frombuffer(each, dtype=each.typecode) for each in columns)
    order = np.lexsort((item, user))
    user, item, value = user[order], item[order], value[order]
    again = (user[1:] == user[:-1]) & (item[1:] == item[:-1])
    if again.any():
        place = int(np.flatnonzero(again)[0])
        raise UserError(
            f"user {list(ratings.users)[user[place]]!r} has rated {list(ratings.items)[item[place]]!r} twice "
            f"({int(again.sum()):,} such ratings): keep one of each"
        )
    user, item, value = _arms_of(ratings, user, item, value)
    names = np.array(list(ratings.items), dtype=object)
    rated = np.bincount(item, minlength=len(names))
    by_name = sorted(np.flatnonzero(rated >= least).tolist(), key=lambda each: (-rated[each], names[each]))[:arms]
    if len(by_name) < 2:
        raise UserError(f"fewer than two items have been rated by {least:,} users")
    if len(by_name) > MAX_ARMS:
        raise UserError(
            f"there are {len(by_name):,} items and a matrix has at most {MAX_ARMS:,} arms: keep those that most users "
            "have rated (--arms), or those with many ratings (--least)"
        )
    kept = sorted(by_name, key=lambda each: names[each])
    arm = np.full(len(names), -1)
    arm[kept] = np.arange(len(kept))
    stays = arm[item] >= 0
    user, item, value = user[stays], arm[item[stays]], value[stays]
    wins, ties = np.zeros((2, len(kept), len(kept)))
    for block in np.split(np.arange(len(user)), np.flatnonzero(np.diff(user)) + 1):
        if len(block) > 1:
            mine, marks = item[block], value[block]
            pair = np.ix_(mine, mine)
            wins[pair] += marks[:, None] > marks[None, :]
            ties[pair] += marks[:, None] == marks[None, :]
    np.fill_diagonal(ties, 0.0)
    return wins, ties, tuple(str(names[each]) for each in kept)
