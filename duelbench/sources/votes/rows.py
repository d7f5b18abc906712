"""The interface of readers of files with rows, and the conversion of cells to text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

Refuse = Callable[[int, str], None]
Row = tuple[int, tuple[str, ...]]


class Table(Protocol):
    """A reader of the rows of a file."""

    columns: tuple[str, ...]

    def rows(self, names: Sequence[str], refuse: Refuse) -> Iterator[Row]:
        """Yield the line of each row and its cells in the columns ``names``; raises UserError for a damaged file."""
        ...


def as_text(value: object) -> str | None:
    """Return the text of a cell with a plain value, empty for a missing value; None for a list or an object."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list() | dict() | tuple():
            return None
        case _:
            return str(value)
