"""Figures of curves: their content, and how it is drawn."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogFormatterMathtext, NullLocator

from duelbench.arrays import Flags, Floats
from duelbench.plots.assumptions import marked, with_sign
from duelbench.plots.labels import End
from duelbench.plots.panels import (
    FEW_ROWS,
    Grid,
    add_note,
    finish,
    label_axes,
    linear_ticks,
    panel_grid,
    place_markers,
    runs_shown,
)
from duelbench.plots.style import BAND_OPACITY
from duelbench.spec.figure_options import CurvesFigure, Limits, Scale
from duelbench.spec.titles import round_number

_CHANGE_STYLE: Mapping[str, Any] = {"color": "#737373", "linewidth": 0.6, "linestyle": (0, (1, 2)), "zorder": 0.5}
"""The style of the vertical line at a round in which preferences change."""
_ALIKE = 3.0
"""Linear axes whose ends differ by at most this factor are shared."""
_LEAST_APART = 0.11
"""Minimum distance between numbers on the horizontal axis, as a share of its length."""


class Curve(NamedTuple):
    """Points in ascending order of x.

    ``ends``: the lower and upper ends of a band or, with ``bars`` or few points, of bars. ``hollow``: the points whose
    markers are hollow.
    """

    title: str
    style: Mapping[str, Any]
    x: Floats
    y: Floats
    ends: tuple[Floats, Floats] | None = None
    bars: bool = False
    hollow: Flags | None = None


class Axis(NamedTuple):
    """The label and the scale of an axis, its ends (None: from the curves), and where it has numbers, if it is given.

    ``steps``: how curves lead from point to point along this axis, as in Matplotlib.
    """

    label: str
    scale: Scale
    ends: tuple[float | None, float | None] = (None, None)
    numbers: Sequence[float] = ()
    steps: Literal["default", "steps-pre", "steps-post"] = "default"


class Panel(NamedTuple):
    """Curves under a title; ``lines`` are those of bounds.

    ``note``: names what cannot be shown. ``changes``: the rounds in which preferences change.
    """

    title: str
    curves: list[Curve]
    x: Axis
    y: Axis
    lines: Sequence[Curve] = ()
    note: str = ""
    changes: tuple[int, ...] = ()


class Curves(NamedTuple):
    """The content of a figure of curves: its panels, the statistic shown, the numbers of runs, and a remark.

    ``unmet``: the titles of algorithms whose assumptions a dataset does not meet.
    """

    panels: list[Panel]
    statistic: str
    runs: set[int]
    remark: str = ""
    unmet: frozenset[str] = frozenset()

    @property
    def caption(self) -> str:
        """The caption of the legend."""
        titles = (marked(curve.title, self.unmet) for panel in self.panels for curve in panel.curves)
        caption = "; ".join(filter(None, (runs_shown(self.statistic, self.runs), self.remark)))
        return with_sign(caption, titles)


def axes_of(
    figure: CurvesFigure, horizontal: str, vertical: str, x: tuple[float | None, ...], y: tuple[float | None, ...]
) -> tuple[Axis, Axis]:
    """Return the axes of a panel with these labels and ends, unless the spec gives others that the scale has."""

    def axis(
        label: str | None, default: str, scale: Scale, given: Limits | None, ends: tuple[float | None, ...]
    ) -> Axis:
        usable = [None if end is None or (end <= 0 and scale == "log") else end for end in given or (None, None)]
        low, high = (each if own is None else own for own, each in zip(usable, ends, strict=True))
        return Axis(default if label is None else label, scale, (low, high))

    return (
        axis(figure.xlabel, horizontal, figure.x, figure.xlim, x),
        axis(figure.ylabel, vertical, figure.y, figure.ylim, y),
    )


def curves_figure(figure: CurvesFigure, content: Curves, *, share: bool = False) -> Figure:
    """Draw panels of curves, and one legend with the curves in the order in which they first appear.

    ``share``: give axes with the same label and scale the same ends, and numbers at the edges of the figure only.
    """
    panels = content.panels
    shown = {curve.title: curve.style for panel in panels for curve in panel.curves}
    lines = {line.title: line.style for panel in panels for line in panel.lines}
    grid = panel_grid(figure, [panel.title for panel in panels], curves=[*shown])
    drawn = [_draw(axes, panel) for axes, panel in zip(grid.panels, panels, strict=True)]
    if share:
        _share(grid, panels)
    order, ends = [*shown], []
    for axes, panel, curves in zip(grid.panels, panels, drawn, strict=True):
        place_markers(axes, [*curves.values()], [order.index(title) for title in curves], len(order))
        ends.append([_end(curve, content.unmet) for curve in panel.curves if curve.title in curves])
        if panel.note:
            add_note(grid, axes, panel.note)
    label_axes(grid, [panel.x.label for panel in panels], [panel.y.label for panel in panels])
    handles = [Line2D([], [], label=marked(title, content.unmet), **style) for title, style in (shown | lines).items()]
    finish(grid, figure, handles, content.caption, ends)
    return grid.drawing


def _end(curve: Curve, unmet: Collection[str]) -> End:
    return End(marked(curve.title, unmet), float(curve.x[-1]), float(curve.y[-1]), dict(curve.style))


def _draw(axes: Axes, panel: Panel) -> dict[str, Line2D]:
    """Draw the content of a panel, and return the lines of its curves by title."""
    axes.set(xscale=panel.x.scale, yscale=panel.y.scale)
    if None not in panel.x.ends:  # before the curves: a single point has no range
        axes.set(xlim=panel.x.ends)
    axes.grid(True)
    for change in panel.changes:
        axes.axvline(change, **_CHANGE_STYLE)
    for line in panel.lines:
        if len(line.x):
            axes.plot(line.x, line.y, label=line.title, **line.style)
    drawn = {curve.title: _draw_curve(axes, curve, panel.x.steps) for curve in panel.curves if len(curve.x)}
    for axis, shown in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        if shown.numbers:
            axis.set_major_locator(FixedLocator(_apart(sorted(set(shown.numbers)), shown.scale)))
            axis.set_major_formatter(
                FuncFormatter(lambda x, _: round_number(round(x)) if x == round(x) >= 1 else f"{x:g}")
            )
            axis.set_minor_locator(NullLocator())
        elif shown.scale == "linear":
            linear_ticks(axis, 5)
        else:
            axis.set_major_formatter(_Powers())
            axis.set_minor_formatter(_Powers())
    axes.set(xlim=panel.x.ends, ylim=panel.y.ends)
    return drawn


class _Powers(LogFormatterMathtext):
    """Powers of ten, but plain numbers on axes that show at most one of them: 200 and 300."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos)
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        if not text or math.floor(math.log10(high)) > math.ceil(math.log10(low)):
            return text
        crowded = self.axis.axis_name == "x" and high > 4 * low  # type: ignore[union-attr]
        return "" if crowded and f"{x:e}"[0] in "36" else f"{x:,.10g}"  # 1, 2 and 4 are left


def _draw_curve(axes: Axes, curve: Curve, steps: str) -> Line2D:
    (line,) = axes.plot(curve.x, curve.y, markevery=1, drawstyle=steps, **curve.style)
    colour = curve.style["color"]
    if curve.ends is not None and (curve.bars or len(curve.x) <= FEW_ROWS):
        axes.vlines(curve.x, *curve.ends, colors=colour, linewidth=0.8)
    elif curve.ends is not None:
        axes.fill_between(curve.x, *curve.ends, color=colour, alpha=BAND_OPACITY, linewidth=0)
    if curve.hollow is not None:
        hollow = {**curve.style, "markerfacecolor": "white", "markeredgecolor": colour, "linestyle": ""}
        axes.plot(curve.x[curve.hollow], curve.y[curve.hollow], **hollow)
    return line


def _apart(xs: Sequence[float], scale: Scale) -> list[float]:
    """Return the numbers that are shown on an axis: far enough apart that they do not overlap."""
    places = np.log(xs) if scale == "log" else np.array(xs)
    least = _LEAST_APART * (places[-1] - places[0])
    kept = [len(xs) - 1]
    for index in range(len(xs) - 2, 0, -1):
        if min(places[kept[-1]] - places[index], places[index] - places[0]) >= least:
            kept.append(index)
    return [xs[index] for index in sorted({0, *kept})]


def _share(grid: Grid, panels: Sequence[Panel]) -> None:
    """Share axes of the same kind, unless they are linear and their ends differ much."""
    for name, edge in (("x", grid.lowest), ("y", grid.left)):
        kinds: dict[tuple[str, Scale], list[Axes]] = {}
        for axes, panel in zip(grid.panels, panels, strict=True):
            axis: Axis = getattr(panel, name)
            kinds.setdefault((axis.label, axis.scale), []).append(axes)
        for (_, scale), group in kinds.items():
            lows, highs = zip(*(getattr(axes, f"get_{name}lim")() for axes in group), strict=True)
            if scale == "linear" and max(highs) > _ALIKE * min(highs):
                continue
            for axes in group:
                axes.set(**{f"{name}lim": (min(lows), max(highs))})
                if len(kinds) == 1 and axes not in edge:
                    getattr(axes, f"{name}axis").set_tick_params(labelbottom=False, labelleft=False)
