"""Output: text for people is escaped and wrapped to the terminal; text for programs is at most escaped.

If the output is not a terminal, lines are wrapped only if the environment sets ``COLUMNS``.
"""

import importlib.util
import json
import re
import shutil
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import click

from duelbench.markup import columns_of, padded

LONGEST = 2_000
"""Maximum number of characters shown of foreign text, such as an error message."""
_UNLIMITED = 1_000_000
_SHORTEST_NAME = 12
"""Names in a table are shortened to this many characters before columns are dropped."""


def one_line(text: object) -> str:
    """Shorten text, and escape line breaks, control characters and invisible characters.

    Apply it to file names and to text from files before they become part of a message.
    """
    said = str(text)
    if len(said) > LONGEST:  # the beginning says what is wrong, the end what to do
        said = f"{said[: LONGEST // 2]} … {said[-LONGEST // 4 :]}"
    return _escaped(said)


def say(text: object = "", *, err: bool = False, within: int | None = None) -> None:
    """Print lines for people: escaped, and wrapped to the width ``within`` (default: the terminal's)."""
    limit = within or width()
    click.echo("\n".join(part for line in _escaped_lines(text) for part in fitted(line, limit)), err=err)


def warn(line: object) -> None:
    """Print a line for people on standard error, with special characters escaped."""
    say(one_line(line), err=True)


def emit(text: str, *, err: bool = False) -> None:
    """Print lines for programs, files or copying: escaped, but never wrapped."""
    click.echo("\n".join(_escaped_lines(text)), err=err)


def emit_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON and flush. ASCII is safe in any output encoding."""
    click.echo(json.dumps(value, indent=indent))


def example(*lines: str) -> str:
    """Return the epilog of a command's help: examples of calls."""
    head = "Example:" if len(lines) == 1 else "Examples:"
    return "\b\n" + "\n".join([head, *(f"  duelbench {line}" for line in lines)])


def counted(number: float, what: str) -> str:
    """Format a count: ``1 vote``, ``2,000 votes``."""
    said = f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"
    return f"{said} {what}{'' if number == 1 else 's'}"


def width() -> int:
    """Return the width of a line in characters."""
    return shutil.get_terminal_size((0, 0)).columns or _UNLIMITED


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    drop: Sequence[str] = (),
    within: int | None = None,
    shortest: int = _SHORTEST_NAME,
) -> list[str]:
    """Return the lines of a table: left-aligned names in the first column, right-aligned numbers in the others.

    If it exceeds the width ``within`` (default: the terminal's), names lose their middle down to ``shortest``
    characters; then the columns in ``drop`` are dropped one by one; then names are shortened further.
    """
    cells = [list(header), *map(list, rows)]
    for name in ["", *(each for each in drop if each in header)]:
        if name:
            gone = cells[0].index(name)
            cells = [row[:gone] + row[gone + 1 :] for row in cells]
        widths = [max(map(columns_of, column)) for column in zip(*cells, strict=True)]
        left = (within or width()) - 2 - sum(2 + each for each in widths[1:])
        if left >= min(widths[0], shortest):
            break
    widths[0] = min(widths[0], max(left, 1))
    lines = []
    for name, *numbers in cells:
        right = (padded(number, size, right=True) for number, size in zip(numbers, widths[1:], strict=True))
        lines.append("  ".join([f"  {padded(shortened(name, widths[0]), widths[0])}", *right]).rstrip())
    return lines


def shortened(text: str, length: int) -> str:
    """Shorten a text to at most ``length`` columns. It loses its middle, since names differ at their ends."""
    if columns_of(text) <= length:
        return text
    start, end = text, ""
    while columns_of(start) > (length - 1) - (length - 1) // 2:
        start = start[:-1]
    for each in reversed(text):
        if columns_of(each + end) > length - 1 - columns_of(start):
            break
        end = each + end
    return f"{start}…{end}"


_WORD = re.compile(r"\s*(?:\S*± )?\S+(?: %\S*)?")
"""An unbreakable unit with its leading blanks: a word, or a number with its ± error or per cent sign."""


def fitted(line: str, limit: int) -> list[str]:
    """Wrap a line at ``limit`` terminal columns; continuation lines are indented twice as far."""
    if columns_of(line) <= limit:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    pieces, piece = [], ""
    for word in _WORD.findall(line):
        if piece.strip() and columns_of(piece + word) > limit:
            pieces.append(piece)
            piece = 2 * indent + word.lstrip()
        else:
            piece += word
    return [*pieces, piece]


def _escaped_lines(text: object) -> list[str]:
    return [_escaped(line) for line in str(text).split("\n")]


def _escaped(text: str) -> str:
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


_FIRST = 30.0
"""Seconds before the first line."""
_MORE = 1.5
"""Ratio of the times of successive lines, at most half an hour apart: about ten lines in the first hour."""
_SELDOM = 1800.0
_BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]"


def in_ipython() -> bool:
    """Return whether the code runs in a notebook or another shell of IPython."""
    ipython: Any = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


class Progress:
    """A context manager that shows how many ``unit`` of a total are done, with a bar in terminals and notebooks."""

    def __init__(self, total: int, unit: str = "rounds") -> None:
        notebook = in_ipython()
        widgets = notebook and importlib.util.find_spec("ipywidgets")  # without them tqdm.auto warns
        tqdm: Any = importlib.import_module("tqdm.auto" if widgets else "tqdm").tqdm
        shown = sys.stderr.isatty() or notebook
        self._bar = tqdm(
            total=total, unit=unit.removesuffix("s"), unit_scale=True, disable=not shown, leave=False, bar_format=_BAR
        )
        self._lines, self._unit = not shown, unit
        self._began = time.monotonic()
        self._before: int | None = None
        self._said = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.close()

    def show(self, done: int, total: int) -> None:
        """Show ``done`` of ``total``, which may grow. The ``done`` of the first call counts as done before."""
        if self._before is None:
            self._before, self._began = done, time.monotonic()
            self._bar.initial = self._bar.n = done
            self._bar.unpause()
        if self._lines:
            self._line(done, total, done - self._before)
        else:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def _line(self, done: int, total: int, more: int) -> None:
        took = time.monotonic() - self._began
        if took < max(_FIRST, min(self._said * _MORE, self._said + _SELDOM)) or done >= total:
            return
        self._said = took
        to_go = f", about {duration(took * (total - done) / more)} to go" if more else ""
        say(f"{done / total:4.0%} of {total:,} {self._unit} after {duration(took)}{to_go}", err=True)


def announce(line: str) -> None:
    """Print a line for the user above the bar."""
    from tqdm import tqdm

    tqdm.write(one_line(line), sys.stderr)


def duration(seconds: float) -> str:
    """Return a duration in a suitable unit."""
    for size, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} s"
