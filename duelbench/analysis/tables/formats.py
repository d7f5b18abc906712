"""A table as Markdown (for GitHub and pandoc), as LaTeX (for ``\\input`` in a paper), and as CSV (for programs)."""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from duelbench.analysis.tables.contents import Cell, Table
from duelbench.analysis.tables.grid import ALIKE, NOTHING, UNCERTAIN, Entry, Grid, grouped, lay_out
from duelbench.markup import UNMET, latex_row, latex_table, latex_text, markdown_table
from duelbench.spec.titles import plain, round_number
from duelbench.spreadsheets import escaped

_COLUMN_OF_A_PAPER = 50
"""Characters of a line that fit into one of two columns; wider tables take the width of the page."""
_NARROW = 14
"""Characters of the heading of one column; longer headings are broken into several lines."""
_WORD = r"(?:(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+"
_UNBROKEN = re.compile(rf"{_WORD}(?: = {_WORD})?", re.DOTALL)
"""A word with any mathematics in it, or an equation between two such words."""
_MARKUP = re.compile(r"([\\`*_|\[\]~$]|<(?=[\w/!?])|&(?=[\w#]))")
_SIGNS = {ALIKE: r"\dagger", UNCERTAIN: r"\ddagger", UNMET: r"\S"}
COLUMNS = ("dataset", "algorithm", "shown", "t", "runs", "value", "sem", "low", "high", "rank", "best", "p", "unmet")
"""Columns of CSV. ``shown``: the kind of regret, or the statistic. ``p``: against the best.

``unmet``: the assumptions of the algorithm that the dataset does not meet."""


def markdown(table: Table, transposed: bool = False) -> str:
    """Return the title, the table and its notes; columns are aligned in the source."""
    grid = lay_out(table, lambda t: f"{t:,}", transposed)
    rows = [
        [markdown_text(head.text), *(NOTHING if each is None else _markdown_cell(each) for each in entries)]
        for head, entries in zip(grid.down, grid.entries, strict=True)
    ]
    lines = markdown_table([markdown_text(each.text) for each in (grid.corner, *grid.across)], rows, aligned=True)
    notes = [" ".join(map(markdown_text, grid.notes))] if grid.notes else []
    return "\n".join([markdown_text(grid.title), "", *lines, "", *notes, ""])


def markdown_text(text: str) -> str:
    """Return text with mathtext as one line of Markdown."""
    return _MARKUP.sub(r"\\\1", " ".join(plain(text).split()))


def _markdown_cell(entry: Entry) -> str:
    text = grouped(entry.value, ",")
    if entry.error:
        text += f" ± {grouped(entry.error, ',')}"
    if entry.interval is not None:
        text += f" ({entry.interval[0]}–{entry.interval[1]})"
    text = f"**{text}**" if entry.best else text
    return f"{text} {''.join(entry.marks)}" if entry.marks else text


def latex(table: Table, transposed: bool = False) -> str:
    """Return a ``table`` environment with caption, or ``table*`` if it is too wide for a column of a paper."""
    grid = lay_out(table, round_number, transposed)
    lines = [
        latex_row([latex_text(head.text), *("--" if each is None else _latex_cell(each) for each in entries)])
        for head, entries in zip(grid.down, grid.entries, strict=True)
    ]
    if grid.transposed and grid.ranks:
        lines.insert(len(lines) - grid.ranks, r"\midrule")
    wide = "*" if _characters(grid) > _COLUMN_OF_A_PAPER else ""
    caption = " ".join([grid.title, *grid.notes])
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            rf"\begin{{table{wide}}}",
            r"  \centering",
            rf"  \caption{{{latex_text(caption)}}}",
            rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9.-]', '-', table.name)}}}",
            *(f"  {line}" for line in latex_table(f"l{'r' * len(grid.across)}", _heads(grid), lines)),
            rf"\end{{table{wide}}}",
            "",
        ]
    )


def _heads(grid: Grid) -> list[str]:
    lowest = [_centred(head.below or head.title, 1) for head in grid.across]
    if all(not head.below for head in grid.across):
        return [latex_row([latex_text(grid.corner.title), *lowest])]
    groups = [(title, len([*heads])) for title, heads in groupby(grid.across, key=lambda head: head.title)]
    rules, column = [], 2
    for _, width in groups:
        rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    above = latex_row(["", *(_centred(title, width) for title, width in groups)])
    return [above, " ".join(rules), latex_row([latex_text(grid.corner.title), *lowest])]


def _centred(title: str, width: int) -> str:
    """Return a heading over ``width`` columns, broken into several lines if it is long."""
    lines = [latex_text(line) for line in _wrapped(title, width * _NARROW)]
    heading = r" \\ ".join(lines)
    if len(lines) > 1:
        heading = rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{heading}\end{{tabular}}"
    return rf"\multicolumn{{{width}}}{{c}}{{{heading}}}"


def _wrapped(title: str, characters: int) -> list[str]:
    """Return the lines of a title, broken between words but not within mathematics and equations."""
    lines = [""]
    for word in _UNBROKEN.findall(title):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(plain(longer)) > characters:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _latex_cell(entry: Entry) -> str:
    text = grouped(entry.value, "{,}")
    if entry.error:
        text += rf" \pm {grouped(entry.error, '{,}')}"
    text = f"${text}$"
    if entry.interval is not None:
        text += rf" (${entry.interval[0]}$--${entry.interval[1]}$)"
    if entry.best:
        text = rf"{{\boldmath\bfseries {text}}}"
    marks = " ".join(_SIGNS[mark] for mark in entry.marks)
    return text + (rf"\rlap{{$^{{{marks}}}$}}" if marks else "")


def _characters(grid: Grid) -> int:
    """Return the approximate width of the printed table in characters."""
    names = [head.text for head in (grid.corner, *grid.down)]
    columns = [
        max(
            *(len(plain(line)) for line in _wrapped(head.below or head.title, _NARROW)),
            *(0 if each is None else len(f"{each.value} + {each.error}{each.interval or ''}") for each in entries),
        )
        for head, entries in zip(grid.across, zip(*grid.entries, strict=True), strict=True)
    ]
    return max(len(plain(name)) for name in names) + sum(2 + column for column in columns)


def comma_separated(tables: Mapping[str, Table], several: bool = False) -> str:
    """Return a line for each algorithm, dataset and round, and then the mean ranks, which have no dataset.

    ``low`` and ``high`` are the interval of a share; shares are not in percent here, and numbers are not rounded. With
    ``several``, the first column is the ``experiment``, the key of the table.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(["experiment"] if several else []), *COLUMNS])
    for experiment, table in tables.items():
        writer.writerows([*([escaped(experiment)] if several else []), *map(_cell, line)] for line in _lines(table))
    return text.getvalue()


def _cell(value: object) -> object:
    return escaped(value) if isinstance(value, str) else value


def _lines(table: Table) -> Iterator[list[object]]:
    request = table.request
    shown = request.kind if request.show == "regret" else request.show
    for column in table.columns:
        statistic = {"tail": column.of, "better": f"better than {column.of}"}.get(shown, shown)
        for label, cell in zip(request.algorithms, column.cells, strict=True):
            if cell is not None:
                yield [column.dataset, label, statistic, column.t, cell.runs, *_numbers(cell), *_place(cell)]
    for t, ranks in table.ranks.items():
        if ranks is not None:
            best = ranks.mean.min()
            for label, rank in zip(request.algorithms, ranks.mean.tolist(), strict=True):
                yield ["", label, "rank", t, "", rank, "", "", "", "", int(rank == best), "", ""]


def _numbers(cell: Cell) -> list[float | str]:
    low, high = cell.interval or ("", "")
    return [cell.value, "" if math.isnan(cell.error) else cell.error, low, high]


def _place(cell: Cell) -> list[float | str]:
    rank = "" if math.isnan(cell.rank) else f"{cell.rank:g}"
    return [rank, int(cell.best), "" if math.isnan(cell.p) else cell.p, ", ".join(cell.unmet)]
