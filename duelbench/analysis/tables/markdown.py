"""A table in Markdown, for GitHub and pandoc, with aligned columns in the source."""

from __future__ import annotations

import re
import unicodedata

from duelbench.analysis.tables.caption import ALIKE, HEAVY, NOTHING
from duelbench.analysis.tables.grid import Entry, Grid, Head, lay_out
from duelbench.analysis.tables.rounding import grouped
from duelbench.analysis.tables.table import Table
from duelbench.spec.titles import plain

_SPECIAL = re.compile(r"([\\`*_|\[\]~$]|<(?=[\w/!?])|&(?=[\w#]))")


def markdown(table: Table, transposed: bool = False) -> str:
    """Return the title, the table and its notes."""
    grid = lay_out(table, lambda t: f"{t:,}", transposed)
    head = [_head(grid.corner), *map(_head, grid.across)]
    lines = [
        [_head(name), *(NOTHING if each is None else _cell(each) for each in entries)]
        for name, entries in zip(grid.down, grid.entries, strict=True)
    ]
    return "\n".join([escaped(grid.title), "", *_aligned([head, *lines]), "", *_notes(grid), ""])


def escaped(text: str) -> str:
    """Return text with mathtext as one line of Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(plain(text).split()))


def _notes(grid: Grid) -> list[str]:
    return [" ".join(escaped(each) for each in grid.notes)] if grid.notes else []


def _head(head: Head) -> str:
    return escaped(", ".join(part for part in head if part))


def _cell(entry: Entry) -> str:
    text = grouped(entry.value, ",")
    if entry.error:
        text += f" ± {grouped(entry.error, ',')}"
    if entry.interval is not None:
        text += f" ({entry.interval[0]}–{entry.interval[1]})"
    text = f"**{text}**" if entry.best else text
    marks = (ALIKE if entry.alike else "") + (HEAVY if entry.heavy else "")
    return f"{text} {marks}" if marks else text


def _aligned(lines: list[list[str]]) -> list[str]:
    widths = [max(3, *map(_width, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    padded = [
        [_padded(cell, width, left=place == 0) for place, (cell, width) in enumerate(zip(line, widths, strict=True))]
        for line in lines
    ]
    return [f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]]]


def _padded(text: str, width: int, left: bool) -> str:
    room = " " * (width - _width(text))
    return text + room if left else room + text


def _width(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
