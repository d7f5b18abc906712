"""The layout of a table for all formats: cells of text, with algorithms down and datasets across, or transposed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from duelbench.analysis.tables.caption import RANK, at, notes, title
from duelbench.analysis.tables.rounding import to_the_error
from duelbench.analysis.tables.table import Cell, Table


class Head(NamedTuple):
    """The heading of a column or a line: a title, and perhaps a round below it."""

    title: str
    below: str = ""


class Entry(NamedTuple):
    """The numbers of a cell, without thousands separators: the ``value``, and its ``error`` or interval, if any."""

    value: str
    error: str = ""
    interval: tuple[str, str] | None = None
    best: bool = False
    alike: bool = False
    heavy: bool = False


class Grid(NamedTuple):
    """The texts of a table, which may have mathtext.

    ``corner``: the heading above the headings of lines. ``entries``: by line and column, None for empty cells.
    ``ranks``: the number of columns, or lines, at the end that are mean ranks.
    """

    title: str
    notes: list[str]
    corner: Head
    across: list[Head]
    down: list[Head]
    entries: list[list[Entry | None]]
    ranks: int
    transposed: bool


def lay_out(table: Table, number: Callable[[int], str], transposed: bool = False) -> Grid:
    """Return the layout of a table; ``number`` formats a number of rounds."""
    rounds, datasets = table.asked.rounds, table.datasets
    several = len(rounds) > 1
    heads = [
        Head(at(table, column.t, number))
        if several and len(datasets) == 1
        else Head(datasets[column.dataset], at(table, column.t, number) if several else "")
        for column in table.columns
    ]
    columns = [[_entry(cell) for cell in column.cells] for column in table.columns]
    ranks = {t: each for t, each in table.ranks.items() if each is not None}
    for t, each in ranks.items():
        heads.append(Head(RANK, at(table, t, number) if several else ""))
        best = each.mean.min()
        columns.append([Entry(f"{rank:.2f}", best=bool(rank == best)) for rank in each.mean])
    algorithms = [Head(name) for name in table.algorithms.values()]
    lines = [list(line) for line in zip(*columns, strict=True)]
    across, down, entries = (algorithms, heads, columns) if transposed else (heads, algorithms, lines)
    corner = Head("dataset" if len(datasets) > 1 else "") if transposed else Head("algorithm")
    return Grid(title(table, number), notes(table, transposed), corner, across, down, entries, len(ranks), transposed)


def _entry(cell: Cell | None) -> Entry | None:
    if cell is None:
        return None
    if cell.interval is not None:
        low, high = (100 * end for end in cell.interval)
        value, *ends = to_the_error(100 * cell.value, low, high, error=(high - low) / 2)
        return Entry(value, "", (ends[0], ends[1]), cell.best, cell.alike, cell.heavy)
    value, *error = to_the_error(cell.value, *([] if cell.error != cell.error else [cell.error]), error=cell.error)
    return Entry(value, error[0] if error else "", None, cell.best, cell.alike, cell.heavy)
