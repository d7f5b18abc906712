"""A table as CSV, for spreadsheets and programs: one line for each number, with labels instead of titles."""

from __future__ import annotations

import csv
import io
import math

from duelbench.analysis.tables.rounding import to_the_error
from duelbench.analysis.tables.table import Cell, Table

COLUMNS = ("dataset", "algorithm", "shown", "t", "runs", "value", "sem", "low", "high", "rank", "best", "p")
"""``shown``: the kind of regret, or the statistic of recommended arms. ``p``: of the test against the best."""


def comma_separated(table: Table) -> str:
    """Return a line for each algorithm, dataset and round, and then the mean ranks, which have no dataset.

    ``low`` and ``high`` are the interval of a share; shares are not in percent here. Numbers are rounded as in the
    other formats.
    """
    asked = table.asked
    shown = asked.kind if asked.show == "regret" else asked.show
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for column in table.columns:
        for label, cell in zip(asked.algorithms, column.cells, strict=True):
            if cell is not None:
                numbers = _numbers(cell)
                writer.writerow([column.dataset, label, shown, column.t, cell.runs, *numbers, *_place(cell)])
    for t, ranks in table.ranks.items():
        if ranks is not None:
            best = ranks.mean.min()
            for label, rank in zip(asked.algorithms, ranks.mean, strict=True):
                writer.writerow(["", label, "rank", t, "", f"{rank:.2f}", "", "", "", "", int(rank == best), ""])
    return text.getvalue()


def _numbers(cell: Cell) -> list[str]:
    if cell.interval is not None:
        low, high = cell.interval
        value, *ends = to_the_error(cell.value, low, high, error=(high - low) / 2)
        return [value, "", *ends]
    if math.isnan(cell.error):
        return [*to_the_error(cell.value, error=cell.error), "", "", ""]
    return [*to_the_error(cell.value, cell.error, error=cell.error), "", ""]


def _place(cell: Cell) -> list[str]:
    return [f"{cell.rank:g}", str(int(cell.best)), "" if math.isnan(cell.p) else f"{cell.p:.2g}"]
