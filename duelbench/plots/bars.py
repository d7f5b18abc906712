"""Panels of horizontal bars, one for each algorithm in the order of the spec, with names at the left."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

from duelbench.plots.layout import LINE_SPACING, Grid, add_shared_label, add_title, label_axes, panel_grid
from duelbench.plots.style import FONT_SIZE
from duelbench.plots.text import printable, text_width
from duelbench.spec.figure_options import Figure as FigureEntry

LINE = 0.125
"""Height of a line of text, in inches."""
GAP = 0.055
"""Gap between bars, in inches."""
FRAME = 0.5
"""Height of the title, the ticks and their labels, in inches."""
LABEL_WIDTH = 1.6
"""Maximum width of names, in inches, unless the figure is narrower than a column."""


class Bar(NamedTuple):
    """The length of a bar, the text at its end, and the interval of the length (NaN: unknown)."""

    length: float
    text: str
    low: float = nan
    high: float = nan


class BarPanels(NamedTuple):
    """The names of the bars; (title, bars) of each panel, in the order of the names; the label of the axes."""

    names: list[str]
    panels: list[tuple[str, list[Bar]]]
    horizontal: str


def bar_grid(figure: FigureEntry, panels: Sequence[str], bars: Sequence[str]) -> Grid:
    """Return a titled panel for each of the ``panels``, with room for the names of the bars at the left."""
    grid = panel_grid(figure, panels, 1.0)
    names = [printable(bar, min(LABEL_WIDTH, 0.4 * grid.drawing.get_figwidth())) for bar in bars]
    pitch = GAP + LINE * max((1 + name.count("\n") for name in names), default=1)
    # The panels share the width that the names leave.
    beside = max((text_width(line, FONT_SIZE) for name in names for line in name.split("\n")), default=0)
    free = (grid.drawing.get_figwidth() - beside) / len(grid.lowest) - 0.3
    for panel, title in zip(grid.panels, panels, strict=True):
        panel.set_title(printable(title, max(0.8, free)), linespacing=LINE_SPACING)
    rows = len(grid.panels) // len(grid.lowest) + (len(grid.panels) % len(grid.lowest) > 0)
    grid.drawing.set_figheight(rows * (FRAME + pitch * len(bars)))
    for panel in grid.panels:
        panel.set_yticks(range(len(bars)), names if panel in grid.left else [""] * len(bars))
        panel.set_ylim(len(bars) - 0.5, -0.5)
        for name in panel.get_yticklabels():
            name.set_linespacing(1.0)
        panel.tick_params(axis="y", length=0)
    return grid


def finish_bars(grid: Grid, figure: FigureEntry, label: str) -> None:
    """Add the label below all panels and the title, and set the height if the spec gives one."""
    label_axes(grid, figure.model_copy(update={"xlabel": ""}), None, None)
    if text := label if figure.xlabel is None else figure.xlabel:
        add_shared_label(grid.drawing, text)
    add_title(grid.drawing, figure.title)
    if figure.height is not None:
        grid.drawing.set_figheight(figure.height)
