"""What all figures share: a grid of panels, a legend below it, numbers and free text made fit to print."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser
from matplotlib.ticker import FuncFormatter, MaxNLocator

from duelbench.plots.style import COLUMN_WIDTH, NOTE_COLOUR, PAGE_WIDTH

CHARACTERS_PER_INCH = 18
LINE_SPACING = 1.05


class Grid(NamedTuple):
    """A figure and its panels row by row, with those at its left edge and the lowest of each column."""

    drawing: Figure
    panels: list[Axes]
    left: list[Axes]
    lowest: list[Axes]


def panel_grid(titles: Sequence[str], panel_height: float | None = None) -> Grid:
    """Return one titled panel per title, in a figure as wide as a column (one panel) or the page.

    ``panel_height`` is in inches; by default it follows from the width.
    """
    count = len(titles)
    columns = {1: 1, 2: 2, 4: 2}.get(count, 3)
    width = (COLUMN_WIDTH if count == 1 else PAGE_WIDTH) / columns
    height = panel_height or 0.3 + 0.66 * width
    rows = math.ceil(count / columns)
    drawing = Figure(figsize=(columns * width, rows * height), layout="constrained")
    panels = [drawing.add_subplot(rows, columns, 1 + place) for place in range(count)]
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(printable(title, width - 0.35), linespacing=LINE_SPACING)
    return Grid(drawing, panels, left=panels[::columns], lowest=panels[-columns:])


def add_title(drawing: Figure, title: str | None) -> None:
    """Put the figure's own title above the panels, if it has one; the figure grows by its height."""
    if title:
        _grow(drawing, drawing.suptitle(printable(title, drawing.get_figwidth()), linespacing=LINE_SPACING))


def add_shared_label(drawing: Figure, text: str) -> None:
    """Put one label below all horizontal axes; the figure grows by its height."""
    _grow(drawing, drawing.supxlabel(printable(text, drawing.get_figwidth()), linespacing=LINE_SPACING))


def add_legend(drawing: Figure, handles: Sequence[Artist], caption: str) -> None:
    """Put one legend below all panels, read row by row, in as few rows as fit; the figure grows by its height."""
    if not handles:
        return
    for rows in range(1, len(handles) + 1):
        columns = math.ceil(len(handles) / rows)
        # Legends fill column by column.
        ordered = [handle for column in range(columns) for handle in handles[column::columns]]
        legend = drawing.legend(handles=ordered, ncols=columns, loc="outside lower center", title=caption)
        if columns == 1 or legend.get_window_extent().width <= drawing.bbox.width:
            break
        legend.remove()
    _grow(drawing, legend)


def _grow(drawing: Figure, outside: Artist) -> None:
    drawing.set_figheight(drawing.get_figheight() + outside.get_window_extent().height / drawing.dpi)


def add_note(panel: Axes, text: str) -> None:
    """Say in the panel's upper left corner, where regret curves seldom are, what it does not show."""
    wrapped = textwrap.fill(text, 36)
    panel.text(0.03, 0.97, wrapped, transform=panel.transAxes, va="top", color=NOTE_COLOUR, parse_math=False)


def linear_ticks(axis: Axis, most: int) -> None:
    """Give a linear axis few ticks, all in one unit: 0, 500, 1000, but 0, 5k, 10k and 0, 0.5M, 1M."""

    def label(x: float, _: int | None) -> str:
        farthest = max(axis.get_view_interval())
        if x == 0 or farthest < 10_000:
            return f"{x:g}"
        factor, suffix = (1e9, "G") if farthest >= 1e9 else (1e6, "M") if farthest >= 1e6 else (1e3, "k")
        return f"{x / factor:g}{suffix}"

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(label))


def printable(text: str, inches: float) -> str:
    """Wrap free text to a width and, unless its dollar signs enclose valid mathtext, take them literally."""
    lines = textwrap.wrap(text, max(10, int(inches * CHARACTERS_PER_INCH)))
    try:
        for line in lines:
            MathTextParser("path").parse(line)
    except ValueError:
        lines = [line.replace(r"\$", "$").replace("$", r"\$") for line in lines]
    return "\n".join(lines)


def round_number(t: int) -> str:
    """Format a number of rounds: a power of ten from 1,000 on as such, another one with its thousands apart."""
    exponent = round(math.log10(t))
    return f"$10^{{{exponent}}}$" if t == 10**exponent >= 1000 else f"{t:,}"
