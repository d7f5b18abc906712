"""Text in figures: lines of a width, and names of curves at their ends.

Text is not broken within mathematics. If ends of curves are closer than lines of text, the names are moved apart so
that the sum of squared displacements is smallest and their order is kept: an isotonic regression. A short piece of
each curve leads from its end to its name.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser
from matplotlib.text import Text
from matplotlib.textpath import TextToPath
from matplotlib.transforms import ScaledTranslation
from scipy.optimize import isotonic_regression

from duelbench.arrays import Floats

# A word, together with any mathematics in it.
_WORD = re.compile(r"(?:\$K\$ = \d|(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+", re.DOTALL)

_DOLLAR = re.compile(r"(?<!\\)\$")
_ARMS = re.compile(r"\bK = (?=\d)")


def printable(text: str, inches: float, size: float | None = None) -> str:
    """Return free text wrapped to a width; its dollar signs are literal unless they enclose valid mathtext.

    ``size`` is the font size in points, by default that of the figures. The number of arms, as in K = 5, is italic.
    """
    try:
        if "$" in text or "\\" in text:  # parsing takes longer than the rest
            MathTextParser("path").parse(text)
        parts = _DOLLAR.split(text)
        parts[::2] = [_ARMS.sub("$K$ = ", part) for part in parts[::2]]
        words = _WORD.findall("$".join(parts))
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


LABEL_SIZE = 7.0
"""Font size in points."""
LABEL_WIDTH = 1.25
"""Width of the names and the lines that lead to them, beside a panel, in inches."""
_LEADER = 0.32
"""Distance from the panel to a name, in inches."""
_LINE = 1.15 * LABEL_SIZE / 72


class End(NamedTuple):
    """The end of a curve in data coordinates, its title and its line style."""

    title: str
    x: float
    y: float
    style: dict[str, Any]


def room_for(titles: Sequence[str]) -> float:
    """Return the height of the names of curves, in inches."""
    return _LINE * sum(1 + printable(title, LABEL_WIDTH - _LEADER, LABEL_SIZE).count("\n") for title in titles)


def label_ends(drawing: Figure, panels: Sequence[Axes], ends: Sequence[Sequence[End]]) -> None:
    """Name the curves of each panel at their ends. Call it last: it lays out the figure."""
    away = ScaledTranslation(_LEADER, 0, drawing.dpi_scale_trans)
    texts = [
        [
            panel.text(1.0, 0.5, printable(end.title, LABEL_WIDTH - _LEADER, LABEL_SIZE), size=LABEL_SIZE, va="center",
                       linespacing=1.0, transform=panel.transAxes + away, color=end.style["color"])
            for end in each
        ]
        for panel, each in zip(panels, ends, strict=True)
    ]  # fmt: skip
    drawing.draw_without_rendering()
    for panel, each, named in zip(panels, ends, texts, strict=True):
        _place(drawing, panel, each, named)


def _place(drawing: Figure, panel: Axes, ends: Sequence[End], texts: Sequence[Text]) -> None:
    if not ends:
        return
    box = panel.bbox
    to_axes = panel.transData + panel.transAxes.inverted()
    lasts, targets = np.clip([to_axes.transform((end.x, end.y)) for end in ends], 0, 1).T
    heights = np.array([text.get_window_extent().height for text in texts]) * 1.04 / box.height
    heights = np.maximum(heights, _LINE * drawing.dpi / box.height)
    places = spread(targets, heights, 0.0, 1.0)
    far = _LEADER * drawing.dpi / box.width
    for end, text, last, target, place in zip(ends, texts, lasts, targets, places, strict=True):
        text.set_y(place)
        level = [1 + 0.55 * far, 1 + 0.9 * far]
        pieces = (
            ([last, level[0]], [target, place], {"linestyle": "-", "linewidth": 0.4, "marker": ""}),
            (level, [place, place], {"linewidth": 0.9, "marker": ""}),
            ([sum(level) / 2], [place], {"linestyle": "", "markersize": 3.6}),
        )
        for x, y, changes in pieces:
            (piece,) = panel.plot(x, y, transform=panel.transAxes, clip_on=False, **end.style | changes)
            piece.set_in_layout(False)


def spread(targets: Sequence[float] | Floats, heights: Sequence[float] | Floats, low: float, high: float) -> Floats:
    """Return the centres of items with these heights, as close to the targets as possible without overlap.

    The items lie between ``low`` and ``high`` if there is room for all; otherwise they start at ``low``. The sum of
    squared distances is the smallest possible for the order of the targets.
    """
    targets, heights = np.asarray(targets, dtype=float), np.asarray(heights, dtype=float)
    order = np.argsort(targets, kind="stable")
    sizes = heights[order]
    steps = np.concatenate([[0.0], np.cumsum((sizes[:-1] + sizes[1:]) / 2)])
    first = isotonic_regression(targets[order] - steps).x
    least, most = low + sizes[0] / 2, high - sizes[-1] / 2 - steps[-1]
    places = np.empty(len(order))
    places[order] = np.clip(first, least, max(least, most)) + steps
    return places
