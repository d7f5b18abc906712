"""Files that duelbench writes and reads back as they were: each name is an arm of its own.

Files of others may spell an arm in several ways, and write outcomes in many; see ``arm_names`` and ``outcomes``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from duelbench.errors import UserError
from duelbench.files import whole
from duelbench.preferences.counts import PairCounts
from duelbench.spreadsheets import escaped
from duelbench.votes.clusters import design_effect, independent
from duelbench.votes.reading.layouts import Arm, Cells, Meaning
from duelbench.votes.reading.options import Columns
from duelbench.votes.reading.outcomes import Words
from duelbench.votes.reading.tables import Table
from duelbench.votes.reading.tally import Refusal, pair_of, shown
from duelbench.votes.vote_table import Duel, VoteTable

_MARK = "# duelbench: names are exact"
"""The comment by which files of counts are recognised; their header alone may be anybody's."""
VOTES = ("first", "second", "winner", "judge", "asked", "answered", "ask", "coin", "used", "item", "shown", "swapped")
"""The header of the votes of a session, by which they are recognised; older files have no items and orders."""
_OUTCOMES = {"first": (1.0, 0.0, 0.0), "second": (0.0, 1.0, 0.0), "tie": (0.0, 0.0, 1.0)}
_OUTCOMES |= {"half": (0.5, 0.5, 0.0), "none": (0.0, 0.0, 0.0)}


def is_export(table: Table) -> bool:
    """Return whether a file was written by duelbench."""
    return _MARK in table.comments or _of_session(table)


def _of_session(table: Table) -> bool:
    """Return whether a file has the votes of a session."""
    return table.columns in (VOTES, VOTES[:9])


@dataclass(frozen=True)
class SessionVotes:
    """The votes of a session: the winner is a side, whatever the arms are called."""

    columns: Cells = VOTES[:3]

    @classmethod
    def of(cls, table: Table, named: Columns) -> SessionVotes | None:
        """Return this layout if a table has it and no columns of arms and outcomes are named.

        Raises:
            UserError: a named column is not there.
        """
        if not _of_session(table) or named.first or named.winner:
            return None
        named.check(table.columns)
        return cls()

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Return how to read any file of this kind; see ``Layout``."""

        def reading(cells: Cells) -> Sequence[Duel]:
            if cells[2] not in _OUTCOMES:
                raise Refusal(f"the outcome {shown(cells[2])} is unknown")
            return [Duel(*pair_of(cells[0], cells[1]), *_OUTCOMES[cells[2]])]

        return Meaning(reading, "the votes of a session")


_HEADER = ("first", "second", "wins_first", "wins_second", "ties")


def counts_path(matrix: Path) -> Path:
    """Return the path of the counts for a matrix file, in the same directory."""
    return matrix.with_name(f"{matrix.stem}-counts.csv")


def counts_text(counts: PairCounts, comment: str = "") -> str:
    """Return the text of the file: a row for each pair with votes, and one for each arm without any."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEADER)
    votes, names = counts.votes, [*map(escaped, counts.names)]
    for i, j in np.argwhere(np.triu(votes > 0, 1)):
        figures = (counts.wins[i, j], counts.wins[j, i], counts.ties[i, j])
        writer.writerow([names[i], names[j], *map(_number, figures)])
    for arm in np.flatnonzero(~(votes > 0).any(axis=1)):
        writer.writerow([names[arm], names[int(arm == 0)], 0, 0, 0])
    return "".join([f"{_MARK}\n", *(f"# {line}\n" for line in comment.splitlines()), out.getvalue()])


def save_counts(path: Path, counts: PairCounts, comment: str = "") -> None:
    """Write the counts atomically; ``read_votes`` reads them back.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        with whole(path) as file:
            file.write(counts_text(counts, comment).encode())
    except OSError as error:
        raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None


def save_independent(path: Path, table: VoteTable, ties: str) -> PairCounts:
    """Write the counts of the independent votes that a table amounts to; return the counts of all."""
    votes = table.chosen(table.outcome != 0) if ties == "drop" else table
    save_counts(path, independent(votes.counts(), design_effect(votes)))
    return votes.counts()


def _number(count: float) -> str:
    return str(int(count)) if count == int(count) else repr(float(count))
