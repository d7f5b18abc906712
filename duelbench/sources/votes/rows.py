"""What every reader of a file of rows has, and what a cell is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

Refuse = Callable[[int, str], None]
Row = tuple[int, tuple[str, ...]]


class Table(Protocol):
    """Rows of a file."""

    columns: tuple[str, ...]

    def rows(self, names: Sequence[str], refuse: Refuse) -> Iterator[Row]:
        """Yield the line of each row and its cells under ``names``; raises UserError where the file ends to be one."""
        ...


def as_text(value: object) -> str | None:
    """Return a plain value as the text of a cell, nothing as an empty one; None for a list or an object."""
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
