"""What all figures share: a grid of panels with titles and labels, one legend, and markers on curves."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from duelbench.plots.labels import LABEL_SIZE, LABEL_WIDTH, End, label_ends, printable, room_for
from duelbench.plots.style import COLUMN_WIDTH, NOTE_COLOUR, PAGE_WIDTH
from duelbench.spec.figure_options import AnyFigure, ProfileFigure, TailFigure

LINE_SPACING = 1.05
_MOST_IN_A_LEGEND = 8
"""With more curves than this in a single panel, they are named at their ends, unless the spec has a ``legend``."""
_MOST_IN_A_NOTE = 4
"""The note on missing curves names up to this many of them; of more it gives the number."""
_MARGIN = 0.2
"""Inches that captions leave free at the sides."""
_LEAST_PANEL = 1.7
_LEAST_PANEL_WITH_NAMES = 3.0
"""Minimum width of a panel in inches; fewer panels are put side by side if they would be narrower."""


class Grid(NamedTuple):
    """A figure and its panels row by row, those at its left edge, and the lowest of each column.

    ``beside``: the width at the right of each panel for the names of curves, in inches.
    """

    drawing: Figure
    panels: list[Axes]
    left: list[Axes]
    lowest: list[Axes]
    beside: float


def panel_grid(
    figure: AnyFigure, titles: Sequence[str], panel_height: float | None = None, curves: Sequence[str] = ()
) -> Grid:
    """Return a figure with one panel per title, as wide as the spec says, else as a column (one panel) or the page.

    ``panel_height`` is in inches; by default it follows from the width, and from the number of ``curves`` if they are
    named at their ends.
    """
    count = len(titles)
    ends = bool(curves) and _legend_place(figure, len(curves), count) == "ends"
    beside = LABEL_WIDTH if ends else 0.0
    asked = figure.width or {"column": COLUMN_WIDTH, "page": PAGE_WIDTH, None: None}[figure.size]
    total = asked or (COLUMN_WIDTH if count == 1 and not ends else PAGE_WIDTH)
    if ends and count == 1 and not asked:
        total = COLUMN_WIDTH + LABEL_WIDTH
    least = _LEAST_PANEL_WITH_NAMES if ends else _LEAST_PANEL
    columns = max(1, min({1: 1, 2: 2, 4: 2}.get(count, 3), int(total / least)))
    width = total / columns
    height = panel_height or 0.3 + 0.66 * min(width - beside, COLUMN_WIDTH)
    if ends:
        height = max(height, room_for(curves) + 0.5)
    rows = math.ceil(count / columns)
    drawing = Figure(figsize=(total, rows * height), layout="constrained")
    panels = [drawing.add_subplot(rows, columns, 1 + place) for place in range(count)]
    free = width - 0.75 - beside
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(printable(title, free), linespacing=LINE_SPACING)
    return Grid(drawing, panels, left=panels[::columns], lowest=panels[-columns:], beside=beside)


def label_axes(grid: Grid, horizontal: Sequence[str], vertical: Sequence[str]) -> None:
    """Label the axes of the panels: all of them if their labels differ, else those at the edges of the figure."""
    drawing = grid.drawing
    rows = math.ceil(len(grid.panels) / max(1, len(grid.lowest)))
    tall, wide = drawing.get_figheight() / rows - 0.4, drawing.get_figwidth() / len(grid.lowest) - 0.4
    for panel, below, beside in zip(grid.panels, horizontal, vertical, strict=True):
        if panel in grid.lowest or len({*horizontal}) > 1:
            panel.set_xlabel(printable(below, wide), linespacing=LINE_SPACING)
        if panel in grid.left or len({*vertical}) > 1:
            panel.set_ylabel(printable(beside, tall), linespacing=LINE_SPACING)


def _legend_place(figure: AnyFigure, curves: int, panels: int) -> str:
    """Return the place of the legend: panels share one, and so do curves whose ends are too close to be named there."""
    close = isinstance(figure, TailFigure | ProfileFigure)
    return figure.legend or ("ends" if curves > _MOST_IN_A_LEGEND and panels == 1 and not close else "below")


def finish(
    grid: Grid, figure: AnyFigure, handles: Sequence[Line2D], caption: str, ends: Sequence[Sequence[End]] = ()
) -> None:
    """Add the title of the figure and the names of its curves, and set its height if the spec gives one.

    ``ends`` has the ends of the curves in each panel, in the order of the ``handles``; handles of other lines come
    last.
    """
    add_title(grid.drawing, figure.title)
    curves = max(map(len, ends), default=0)
    named = {end.title for each in ends for end in each}
    place, caption = _legend_place(figure, len(named), len(grid.panels)), figure.captioned(caption)
    if place == "ends" and curves:
        handles = [handle for handle in handles if handle.get_label() not in named]
    if place != "none":
        _add_legend(grid, place, handles, caption)
    if figure.height is not None:
        grid.drawing.set_figheight(figure.height)
    if place == "ends":
        label_ends(grid.drawing, grid.panels, ends)


def _add_legend(grid: Grid, place: str, handles: Sequence[Line2D], caption: str) -> None:
    drawing = grid.drawing
    if place == "inside":
        panel = grid.panels[0]
        _legend(panel, handles, caption, 0.6 * drawing.get_figwidth() / len(grid.lowest), 1, loc="best")
        return
    if place == "right":
        _legend(drawing, handles, caption, 0.3 * drawing.get_figwidth(), 1, loc="outside right upper")
        return
    legend_below(drawing, handles, caption)


def legend_below(drawing: Figure, handles: Sequence[Line2D | Patch], caption: str) -> None:
    """Add a legend with a caption below all panels, in as many columns as fit; the figure grows by its height."""
    width = drawing.get_figwidth()
    if not handles:
        if caption:
            _grow(drawing, drawing.supxlabel(printable(caption, width - _MARGIN), linespacing=LINE_SPACING))
        return
    for rows in range(1, len(handles) + 1):
        columns = math.ceil(len(handles) / rows)
        # Legends fill column by column.
        ordered = [handle for column in range(columns) for handle in handles[column::columns]]
        legend = _legend(drawing, ordered, caption, width, columns, loc="outside lower center")
        if columns == 1 or legend.get_window_extent().width <= drawing.bbox.width:
            break
        legend.remove()
    _grow(drawing, legend)


def _legend(
    where: Figure | Axes, handles: Sequence[Line2D | Patch], caption: str, inches: float, columns: int, loc: str
) -> Legend:
    """Return a legend; names that are wider than the available width are wrapped."""
    room = inches - 0.6
    title = printable(caption, inches - _MARGIN) or None
    labels = [printable(str(handle.get_label()), room) for handle in handles]
    inside = {"frameon": True, "framealpha": 0.85, "edgecolor": "none", "borderaxespad": 0.5} if loc == "best" else {}
    legend: Legend = where.legend(  # type: ignore[call-overload]
        handles=list(handles), labels=labels, ncols=columns, loc=loc, title=title, **inside
    )
    legend.get_title().set_multialignment("center")
    for text in legend.get_texts():
        text.set_linespacing(1.0)
    return legend


def add_title(drawing: Figure, title: str | None) -> None:
    """Add the title of the figure above the panels, if it has one; the figure grows by its height."""
    if title:
        _grow(drawing, drawing.suptitle(printable(title, drawing.get_figwidth()), linespacing=LINE_SPACING))


def add_shared_label(drawing: Figure, text: str) -> None:
    """Add one label below all horizontal axes; the figure grows by its height."""
    _grow(drawing, drawing.supxlabel(printable(text, drawing.get_figwidth() - _MARGIN), linespacing=LINE_SPACING))


def _grow(drawing: Figure, outside: Artist) -> None:
    drawing.set_figheight(drawing.get_figheight() + outside.get_window_extent().height / drawing.dpi)


def add_note(grid: Grid, panel: Axes, text: str) -> None:
    """Add a note to the upper left corner of a panel, where regret curves seldom are."""
    room = grid.drawing.get_figwidth() / len(grid.lowest) - 0.9 - grid.beside
    panel.text(
        *(0.03, 0.97, printable(text, max(0.8, room), LABEL_SIZE)), transform=panel.transAxes, va="top",
        color=NOTE_COLOUR, size=LABEL_SIZE, linespacing=1.0,
    )  # fmt: skip


def runs_shown(what: str, runs: set[int]) -> str:
    """Return a caption such as "mean ± standard error, 100 runs"; a single run has no statistics."""
    counts = runs - {0}
    if max(counts, default=0) <= 1:
        return "1 run" if counts else "no results"
    number = f"{max(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"
    return f"{what}, {number} runs" if what else f"{number} runs"


def absent(reason: str, titles: Sequence[str], of: int) -> str:
    """Return a note on the missing curves of a panel, with their titles if they are few."""
    if len(titles) == of:
        return reason
    return f"{reason}: {', '.join(titles) if len(titles) <= _MOST_IN_A_NOTE else f'{len(titles)} of {of}'}"


def linear_ticks(axis: Axis, most: int) -> None:
    """Set at most ``most`` ticks on a linear axis, all in one unit: 0, 500, 1000, but 0, 5k, 10k and 0, 0.5M, 1M."""

    def label(x: float, _: int | None) -> str:
        farthest = max(axis.get_view_interval())
        if x == 0 or farthest < 10_000:
            return f"{x:g}"
        factor, suffix = (1e9, "G") if farthest >= 1e9 else (1e6, "M") if farthest >= 1e6 else (1e3, "k")
        return f"{x / factor:g}{suffix}"

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(label))


FEW_ROWS = 15
"""With at most this many rows (a sweep of horizons, each with its own runs) every point has a marker and a bar."""
_SPACING = 0.3
"""Distance between the markers of a longer curve, as a share of the panel's width."""
FOOT = 0.04
"""Share of a panel's height. Below it curves near zero coincide, so they have no markers there."""


def place_markers(panel: Axes, lines: Sequence[Line2D], places: Sequence[int], total: int) -> None:
    """Choose the points of curves that have markers; the axes must have their limits.

    ``places`` are the indices of the curves among ``total``: the first marker of each is at a different place.
    """
    to_axes = panel.transData + panel.transAxes.inverted()
    for line, place in zip(lines, places, strict=True):
        points = to_axes.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
        if len(points) <= FEW_ROWS:
            continue
        seen = np.flatnonzero((points[:, 1] > FOOT) & (points[:, 1] <= 1) & (points[:, 0] >= 0) & (points[:, 0] <= 1))
        if not len(seen):
            line.set_markevery([len(points) - 1])
            continue
        along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points[seen], axis=0).T))])
        wanted = np.arange(_SPACING * (place + 0.5) / total, along[-1], _SPACING)
        chosen = seen[np.searchsorted(along, wanted).clip(max=len(seen) - 1)] if len(wanted) else seen[-1:]
        line.set_markevery(sorted({int(each) for each in chosen}))
