"""The table ``summary.csv``: checking and reading it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from duelbench.arguments import MAX_HORIZON
from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.layout import (
    LARGEST,
    SUMMARY_COUNTS,
    SUMMARY_DECLARATIONS,
    SUMMARY_NAMES,
    SUMMARY_RANKED,
    SUMMARY_RECOMMENDATIONS,
    SUMMARY_SHAPE,
    SUMMARY_STATISTICS,
)
from duelbench.results.summary import ROUNDING

if TYPE_CHECKING:
    import pandas as pd

Truths = np.ndarray[Any, np.dtype[np.bool_]]
LONGEST_HEADER = 4096
"""Maximum number of characters in the first line: pandas would take minutes for millions of columns."""
AGAIN = "`duelbench run` the spec again"


def number_in(cell: str | None) -> float | None:
    """Return the number in a cell of a table, None if there is none."""
    try:
        return None if cell is None else float(cell)
    except ValueError:
        return None


def no_summary(why: str, path: Path, line: int | None = None) -> UserError:
    """Return the error of a file that is not a summary."""
    return UserError(f"is not the summary of an experiment ({why}): {AGAIN} to rewrite it", source=str(path), line=line)


NUMBERS = (*SUMMARY_COUNTS, *SUMMARY_STATISTICS, *SUMMARY_DECLARATIONS)
"""Columns that every summary has; summaries of duelbench 0.1 lack those of SUMMARY_SHAPE."""
KNOWN = (*NUMBERS, *SUMMARY_SHAPE, *SUMMARY_RECOMMENDATIONS, *SUMMARY_RANKED)
ERRORS = {
    "mean": ("std", "sem", *SUMMARY_SHAPE),
    "votes": ("votes_sem",),
    "duels_to_declaration": ("duels_sem",),
    "tau": ("tau_sem",),
    "overlap": ("overlap_sem",),
}
"""Means, and the columns that are 0 where all runs are equal; earlier versions wrote rounding errors there."""


def read_summary(file: IO[str], path: Path) -> pd.DataFrame:
    """Return a summary; error messages name ``path``. Edited files are accepted, damaged ones are not."""
    import pandas as pd

    first = file.readline(LONGEST_HEADER)
    columns = first.rstrip("\r\n").split(",") if len(first) < LONGEST_HEADER else []
    if absent := [name for name in (*SUMMARY_NAMES, *NUMBERS) if name not in columns]:
        raise no_summary(f"there is no column {absent[0]}", path, 1)
    for number, line in enumerate(file, 2):
        if line.count(",") != len(columns) - 1 and line.strip():
            cells = len(next(csv.reader([line])))
            if cells != len(columns):
                raise no_summary(f"the line has {cells} cells, not {len(columns)}", path, number)
    file.seek(0)
    try:
        # Only numbers may be missing: "NA" is a valid label of an algorithm.
        summary = pd.read_csv(
            file,
            dtype=dict.fromkeys(KNOWN, float) | dict.fromkeys(SUMMARY_NAMES, str),
            usecols=[column for column in columns if column in (*SUMMARY_NAMES, *KNOWN)],
            keep_default_na=False,
            na_values={column: ["", "nan"] for column in KNOWN},
        )
    except (ValueError, csv.Error):
        file.seek(0)
        raise _first_fault(file, path) from None
    summary = summary.reindex(columns=[*summary, *(name for name in SUMMARY_SHAPE if name not in summary)])
    for of, (error, *others) in ERRORS.items():
        if error in summary:
            rounding = summary[error] <= ROUNDING * summary[of].abs()
            summary.loc[rounding & (summary[error] > 0), [error, *others]] = 0.0
    for column in summary:
        if column in KNOWN and (wrong := _out_of_range(str(column), summary[column].to_numpy())).any():
            row = int(wrong.argmax())
            raise no_summary(f"no run has a {column} of {summary[column][row]:g}", path, row + 2)
    return summary


def _out_of_range(column: str, values: Floats) -> Truths:
    """Return which numbers are impossible in a column of a summary; figures and tests rely on this check."""
    with np.errstate(invalid="ignore"):
        if column in SUMMARY_COUNTS:
            whole: Truths = (values >= 1) & (values <= MAX_HORIZON) & (values == np.round(values))
            return ~whole
        wrong: Truths = np.abs(values) > LARGEST
        if column == "mean":
            wrong |= np.isnan(values)
        if column in ("std", "sem", "kurtosis", *SUMMARY_DECLARATIONS, *SUMMARY_RECOMMENDATIONS, *SUMMARY_RANKED):
            wrong |= values < 0
        if column in ("declared", "tau", "overlap", "epsilon", "within") or "right" in column:
            wrong |= values > 1
    return wrong


def _first_fault(file: IO[str], path: Path) -> UserError:
    """Return the error for the first cell of a table that should be a number but is not."""
    reader = csv.DictReader(file)
    try:
        for row in reader:
            for column in KNOWN:
                if row.get(column) and number_in(row[column]) is None:
                    return no_summary(f"{column} is not a number", path, reader.line_num)
    except (ValueError, csv.Error):
        pass
    return no_summary("it cannot be read", path, reader.line_num)
