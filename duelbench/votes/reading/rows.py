"""The interface of readers of files with rows, and the text of their cells."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Protocol

HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Characters that one does not see, beside those that control the format. U+E0020 to U+E007F distinguish flags."""
Refuse = Callable[[int, str], None]
Row = tuple[int, tuple[str, ...]]


class Table(Protocol):
    """A reader of the rows of a file.

    ``note`` is to be added to errors about ``columns``; ``comments`` are lines above them.
    """

    columns: tuple[str, ...]
    note: str
    comments: Sequence[str]

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
        case float() if math.isnan(value):  # how pandas writes a missing value
            return ""
        case list() | dict() | tuple():
            return json.dumps(value, default=str) if any_value else None
        case _:
            return str(value)


def is_hidden(character: str) -> bool:
    """Return whether one does not see a character at all, such as a soft hyphen or a byte-order mark."""
    if "\U000e0020" <= character <= "\U000e007f":
        return False
    return unicodedata.category(character) == "Cf" or HIDDEN.match(character) is not None


def visible(text: str) -> str:
    """Return a text without the characters that one does not see."""
    return "".join(each for each in text if not is_hidden(each))
