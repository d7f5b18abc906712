"""The names of curves at their ends, beside the panel, none over another: for more curves than a legend can tell apart.

Where the ends are closer than the lines of text, the names move apart by as little as they can, in squares, without
changing their order: an isotonic regression. A short piece of each curve leads from its end to its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation
from scipy.optimize import isotonic_regression

from duelbench.arrays import Floats
from duelbench.plots.style import line_style
from duelbench.plots.text import printable

LABEL_SIZE = 7.0
"""Of the font, in points."""
LABEL_WIDTH = 1.25
"""Inches beside a panel for names and what leads to them."""
LEADER = 0.32
"""Inches from the panel to a name."""
LINE = 1.15 * LABEL_SIZE / 72


class End(NamedTuple):
    """Where a curve ends, in the units of its panel's axes, its name, and how it is drawn."""

    title: str
    x: float
    y: float
    style: dict[str, Any]


def end_of(line: Line2D, title: str, place: int) -> End | None:
    """Return the end of a curve of the algorithm at this place in the spec; None where it has no points."""
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    return End(title, float(x[-1]), float(y[-1]), line_style(place)) if len(x) else None


def room_for(titles: Sequence[str]) -> float:
    """Return the inches of height that the names of curves take."""
    return LINE * sum(1 + printable(title, LABEL_WIDTH - LEADER, LABEL_SIZE).count("\n") for title in titles)


def label_ends(drawing: Figure, panels: Sequence[Axes], ends: Sequence[Sequence[End]]) -> None:
    """Name the curves of each panel at their ends. All else must be there by then: this lays the figure out."""
    away = ScaledTranslation(LEADER, 0, drawing.dpi_scale_trans)
    texts = [
        [
            panel.text(1.0, 0.5, printable(end.title, LABEL_WIDTH - LEADER, LABEL_SIZE), size=LABEL_SIZE, va="center",
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
    heights = np.maximum(heights, LINE * drawing.dpi / box.height)
    places = spread(targets, heights, 0.0, 1.0)
    far = LEADER * drawing.dpi / box.width
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
    """Return where things of these heights have their middles, as close to the targets as can be, none over another.

    They are between ``low`` and ``high`` where there is room for all; else they begin at ``low``. The sum of squared
    distances is the least possible for the order of the targets.
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
