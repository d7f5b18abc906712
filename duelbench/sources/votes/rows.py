"""The interface of readers of files with rows, and the conversion of cells to text."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Protocol

Refuse = Callable[[int, str], None]
Row = tuple[int, tuple[str, ...]]


class Table(Protocol):
    """A reader of the rows of a file."""

    columns: tuple[str, ...]

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the line of each row and its cells in the columns ``names``; raises UserError for a damaged file.

        A list or an object is refused, or is its JSON text in the columns ``texts``.
        """
        ...


def as_text(value: object, any_value: bool = False) -> str | None:
    """Return the text of a cell with a plain value, empty for a missing value.

    That of a list or an object is None, or its JSON text with ``any_value``.
    """
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list() | dict() | tuple():
            return json.dumps(value, default=str) if any_value else None
        case _:
            return str(value)
