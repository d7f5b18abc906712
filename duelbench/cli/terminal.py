"""Output: text for people is escaped and fitted to the terminal, text for programs is escaped at most.

Where the output is no terminal lines are as long as they are, unless the environment has ``COLUMNS``.
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
"""Characters of an error message, or of another piece of text that is not ours."""
_UNLIMITED = 1_000_000
_SHORTEST_NAME = 12
"""Characters that are left of the names in a table before it loses columns."""


def one_line(text: object) -> str:
    """Return text, shortened, with line breaks, control characters and invisible characters escaped.

    For text from files and for file names, before it becomes part of a message.
    """
    said = str(text)
    if len(said) > LONGEST:  # the beginning says what is wrong, the end what to do
        said = f"{said[: LONGEST // 2]} … {said[-LONGEST // 4 :]}"
    return _escaped(said)


def say(text: object = "", *, err: bool = False, within: int | None = None) -> None:
    """Print lines for people: escaped, and long ones broken to fit ``within`` a width, by default the terminal's."""
    limit = within or width()
    click.echo("\n".join(part for line in _escaped_lines(text) for part in fitted(line, limit)), err=err)


def warn(line: object) -> None:
    """Print a line for people on standard error, with special characters escaped."""
    say(one_line(line), err=True)


def emit(text: str, *, err: bool = False) -> None:
    """Print lines for a program, for a file or to copy: escaped, but never broken to fit the terminal."""
    click.echo("\n".join(_escaped_lines(text)), err=err)


def emit_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON for a program, at once: ASCII, so that no encoding of the output can damage it."""
    click.echo(json.dumps(value, indent=indent))


def example(*lines: str) -> str:
    """Return the end of a command's help: how it may be called."""
    head = "Example:" if len(lines) == 1 else "Examples:"
    return "\b\n" + "\n".join([head, *(f"  duelbench {line}" for line in lines)])


def counted(number: float, what: str) -> str:
    """Return how many things there are: ``1 vote``, ``2,000 votes``."""
    said = f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"
    return f"{said} {what}{'' if number == 1 else 's'}"


def width() -> int:
    """Return the characters that fit into a line."""
    return shutil.get_terminal_size((0, 0)).columns or _UNLIMITED


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    drop: Sequence[str] = (),
    within: int | None = None,
    shortest: int = _SHORTEST_NAME,
) -> list[str]:
    """Return the lines of a table: the first column is of names, to the left, all others of numbers, to the right.

    Where it does not fit ``within`` a width, by default that of the terminal, names are shortened in their middle to
    the ``shortest`` first, then the columns in ``drop`` are left out, one after the other, and at last names are
    shortened further.
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
    """Return a text of at most ``length`` cells. A longer one loses its middle, since names differ at their ends."""
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
"""What stays on one line, with the blanks before it: a word, or a number with its sign of per cent."""


def fitted(line: str, limit: int) -> list[str]:
    """Return a line in pieces that fit, by the columns that letters take; what follows is indented twice as far."""
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
"""Ratio of the times of successive lines, which are at most half an hour apart: an hour has about ten lines."""
_SELDOM = 1800.0
_BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]"


def in_ipython() -> bool:
    """Return whether the code runs in a notebook or another shell of IPython."""
    ipython: Any = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


class Progress:
    """A context manager that shows how many ``unit`` of a total are done: by a bar in a terminal and in a notebook."""

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
        """Show ``done`` of ``total``, which may have grown; what the first call shows has been done before."""
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
