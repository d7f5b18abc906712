"""Text for figures: wrapped to a width, but not within mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser
from matplotlib.textpath import TextToPath

# A word, together with any mathematics in it.
_WORD = re.compile(r"(?:(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+", re.DOTALL)


def in_prose(kind: str) -> str:
    """Return a kind of regret as text has it: ``binary-weak`` as "binary weak", ``copeland`` as "Copeland"."""
    names = {"borda", "condorcet", "copeland"}
    return " ".join(word.capitalize() if word in names else word for word in kind.split("-"))


def printable(text: str, inches: float, size: float | None = None) -> str:
    """Return free text wrapped to a width; its dollar signs are literal unless they enclose valid mathtext.

    ``size`` is the font size in points, by default that of the figures.
    """
    try:
        if "$" in text or "\\" in text:  # parsing takes longer than the rest
            MathTextParser("path").parse(text)
        words = _WORD.findall(text)
    except ValueError:
        words = [word.replace(r"\$", "$").replace("$", r"\$") for word in text.split()]
    return "\n".join(_lines(words, inches, size or float(rcParams["font.size"])))


def _lines(words: list[str], inches: float, size: float) -> Iterator[str]:
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= inches:
            line = longer
            continue
        if line:
            yield line
        line = word
        while "$" not in line and len(line) > 1 and text_width(line, size) > inches:  # break a long word
            fit = max(1, next((n for n in range(len(line), 0, -1) if text_width(line[:n], size) <= inches), 1))
            yield line[:fit]
            line = line[fit:]
    if line:
        yield line


@lru_cache(maxsize=10_000)
def text_width(text: str, size: float) -> float:
    """Return the width of a line in inches."""
    mathematics = len(re.findall(r"(?<!\\)\$", text)) > 1
    font = FontProperties(family=rcParams["font.family"], size=size)
    width, _, _ = TextToPath().get_text_width_height_descent(
        text if mathematics else text.replace(r"\$", "$"), font, ismath=mathematics
    )
    return float(width) / 72
