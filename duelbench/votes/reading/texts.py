"""Texts of files as they are compared and shown: names of columns and of arms, outcomes, numbers."""

import math
import re
import unicodedata
from collections.abc import Sequence

_HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Characters that one does not see, beside those that control the format. U+E0020 to U+E007F distinguish flags."""
FLAGS = {"true": 1.0, "1": 1.0, "yes": 1.0, "false": 0.0, "0": 0.0, "no": 0.0, "": 0.0}
"""The cells of a column of flags."""
_SHOWN = 40


def is_hidden(character: str) -> bool:
    """Return whether one does not see a character at all, such as a soft hyphen or a byte-order mark."""
    if "\U000e0020" <= character <= "\U000e007f":
        return False
    return unicodedata.category(character) in ("Cf", "Cc") or _HIDDEN.match(character) is not None


def visible(text: str) -> str:
    """Return a text without the characters that one does not see; tabs and line breaks are blanks."""
    if text.isprintable() and text.isascii():
        return text
    return "".join(" " if each.isspace() else each for each in text if each.isspace() or not is_hidden(each))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text)).casefold().strip()


def key(name: str) -> str:
    """Return a name of a column without what does not count: case, blanks, ``_``, ``-`` and invisible characters."""
    return re.sub(r"[\s_-]+", "", _plain(name))


def word(text: str) -> str:
    """Return an outcome without what does not count; a number or a result such as 1-0 keeps its signs."""
    plain = _plain(text).replace("–", "-")
    return key(plain) if re.search("[a-z]", plain) else "".join(plain.split())


def same(name: str) -> str:
    """Return the same text for names of one arm: they differ only in case, blanks or hidden characters.

    So do the whole numbers 7 and 7.0. Blanks between two digits matter: ``v1 10`` is not ``v11 0``.
    """
    plain = re.sub(r"(?<=\d)\s+(?=\d)", "_", _plain(name) or name)
    return "".join(re.sub(r"^(-?\d+)\.0$", r"\1", plain).split())


def number_in(text: str) -> float | None:
    """Return the finite number that a text is; None if it is none."""
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def shown(text: str) -> str:
    """Return a cell, on one line and shortened."""
    line = " ".join(visible(text).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def several(items: Sequence[str], most: int = 20) -> str:
    """Return the first items for a sentence, and how many others there are."""
    return ", ".join(items[:most]) + (f" and {len(items) - most:,} others" if len(items) > most else "")
