"""Files of counts that duelbench writes and reads back as they were: each name is an arm of its own."""

import csv
import io
from pathlib import Path

import numpy as np

from duelbench.errors import UserError
from duelbench.files import whole
from duelbench.preferences.counts import PairCounts
from duelbench.spreadsheets import escaped
from duelbench.votes.clusters import design_effect, independent
from duelbench.votes.reading.tables import EXACT
from duelbench.votes.vote_table import VoteTable

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
    return "".join([f"{EXACT}\n", *(f"# {line}\n" for line in comment.splitlines()), out.getvalue()])


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
