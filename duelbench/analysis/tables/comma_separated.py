"""A table as CSV, for spreadsheets and programs: one line for each number, with labels instead of titles."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping

from duelbench.analysis.tables.table import Cell, Table

COLUMNS = ("dataset", "algorithm", "shown", "t", "runs", "value", "sem", "low", "high", "rank", "best", "p")
"""``shown``: the kind of regret, or the statistic of recommended arms. ``p``: of the test against the best."""


def comma_separated(tables: Mapping[str, Table], several: bool = False) -> str:
    """Return a line for each algorithm, dataset and round, and then the mean ranks, which have no dataset.

    ``low`` and ``high`` are the interval of a share; shares are not in percent here, and numbers are not rounded. With
    ``several``, the first column is the ``experiment``, the key of the table.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(["experiment"] if several else []), *COLUMNS])
    for experiment, table in tables.items():
        writer.writerows([*([experiment] if several else []), *line] for line in _lines(table))
    return text.getvalue()


def _lines(table: Table) -> Iterator[list[object]]:
    asked = table.asked
    shown = asked.kind if asked.show == "regret" else asked.show
    for column in table.columns:
        for label, cell in zip(asked.algorithms, column.cells, strict=True):
            if cell is not None:
                yield [column.dataset, label, shown, column.t, cell.runs, *_numbers(cell), *_place(cell)]
    for t, ranks in table.ranks.items():
        if ranks is not None:
            best = ranks.mean.min()
            for label, rank in zip(asked.algorithms, ranks.mean.tolist(), strict=True):
                yield ["", label, "rank", t, "", rank, "", "", "", "", int(rank == best), ""]


def _numbers(cell: Cell) -> list[float | str]:
    low, high = cell.interval or ("", "")
    return [cell.value, "" if math.isnan(cell.error) else cell.error, low, high]


def _place(cell: Cell) -> list[float | str]:
    return [f"{cell.rank:g}", int(cell.best), "" if math.isnan(cell.p) else cell.p]
