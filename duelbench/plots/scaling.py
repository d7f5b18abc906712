"""Scaling figures: a statistic against the arms (Zoghi et al. 2015, Urvoy et al. 2013), the delay, or a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from duelbench.errors import UserError
from duelbench.plots.labels import End, in_prose
from duelbench.plots.panels import absent, add_note, finish, label_axes, linear_ticks, panel_grid, runs_shown
from duelbench.plots.style import line_style
from duelbench.proportions import NORMAL
from duelbench.results.reader import Results
from duelbench.spec.figure_options import ScalingFigure
from duelbench.spec.scaling_panels import Panel, Place, panels
from duelbench.spec.titles import round_number, symbol
from duelbench.spec.values import goal_met

_OF_DATASETS = {
    "arms": "number of arms $K$",
    "size": "number of arms $K$",
    "delay": "delay of outcomes (rounds)",
    "gap": r"gap $\Delta$",
    "step": "difference of successive log-scores",
    "share": "share of reversed pairs",
    "h": "least difference of probabilities $h$",
    "spread": "spread of the gaps",
    "p_min": r"least winning probability $p_{\min}$",
    "delta": r"least change $\delta$",
    "winners": "number of winners",
}
"""Axis labels of parameters of datasets."""
_OF_ALGORITHMS = {
    "batches": "number of batches $B$",
    "budget": "budget (duels)",
    "duels_per_pair": "duels per pair",
    "eta": r"learning rate $\eta$",
}
"""Axis labels of parameters of algorithms; others are labelled "parameter α"."""
_BARS = {
    "regret": "mean ± standard error",
    "duels": "mean",
    "errors": "share ± standard error",
    "votes": "mean ± standard error",
    "votes_to_right": "bars: from the ends of 95 % intervals (Wilson) of the share",
    "votes_to_tau": "bars: from the ends of 95 % intervals of the mean distance",
}
_LEAST_APART = 0.11
"""Minimum distance between numbers on the horizontal axis, as a share of its length."""
UNFILLED = "hollow: not all runs declared a winner"
UNREACHED = "hollow: not reached, drawn at the last checkpoint"


class Point(NamedTuple):
    """A statistic over ``runs`` runs at ``x``, and the ends of its error bar.

    ``whole``: False if some runs had not declared a winner, or the share was not reached; its marker is then hollow.
    """

    x: float
    value: float
    low: float
    high: float
    whole: bool
    runs: int


class ScalingCurve(NamedTuple):
    """A curve and its points; ``first`` and ``level`` are as in ``duelbench.spec.scaling_panels``."""

    title: str
    first: str
    level: bool
    points: list[Point]


class ScalingPanel(NamedTuple):
    """Curves under a title, all their x-coordinates, and a note on missing curves."""

    title: str
    curves: list[ScalingCurve]
    xs: list[float]
    note: str


class ScalingShown(NamedTuple):
    """Panels, the line styles of curves by their ``first``, the labels of the axes, and the caption."""

    panels: list[ScalingPanel]
    styles: dict[str, dict[str, Any]]
    horizontal: str
    vertical: str
    caption: str


def scaling_figure(figure: ScalingFigure, results: Results) -> Figure:
    """Draw the panels of ``duelbench.spec.scaling_panels``, with curves in the order of the spec.

    A run that has declared no winner counts with the rounds it has played; a marker says so. Raises UserError when
    nothing was recorded at ``at``, when the runs did not record that kind of regret, or there is no such axis.
    """
    content = scaling_shown(figure, results)
    shown = {curve.first: curve.title for panel in content.panels for curve in panel.curves}
    grid = panel_grid(figure, [panel.title for panel in content.panels], curves=[*shown.values()])
    ends: list[list[End]] = []
    for axes, panel in zip(grid.panels, content.panels, strict=True):
        drawn = [curve for curve in panel.curves if curve.points]
        for curve in drawn:
            _draw_curve(axes, curve.points, content.styles[curve.first], level=curve.level)
        last = [(curve, curve.points[-1]) for curve in drawn]
        ends.append([End(curve.title, end.x, end.value, content.styles[curve.first]) for curve, end in last])
        _dress(axes, figure, panel.xs)
        if panel.note:
            add_note(grid, axes, panel.note)
    label_axes(grid, figure, content.horizontal, content.vertical)
    there = {curve.first for panel in content.panels for curve in panel.curves if curve.points}
    handles = [Line2D([], [], label=title, **content.styles[first]) for first, title in shown.items() if first in there]
    finish(grid, figure, handles, content.caption, ends)
    return grid.drawing


def scaling_shown(figure: ScalingFigure, results: Results) -> ScalingShown:
    """Return what a figure shows, whatever draws it. Raises as ``scaling_figure``."""
    kind = results.regret_kind(figure.regret)
    at = results.round_shown(figure.round)
    panels = _panels(figure, results)
    firsts = list(dict.fromkeys(curve.first for panel in panels for curve in panel.curves))
    # A curve looks the same in all figures where it is that of an algorithm.
    order = results.algorithms if set(firsts) <= set(results.algorithms) else firsts
    level = {curve.first for panel in panels for curve in panel.curves if curve.level}
    styles = {first: line_style(order.index(first)) | ({"marker": ""} if first in level else {}) for first in firsts}
    found = []
    for panel in panels:
        curves = []
        for curve in panel.curves:
            cells = [_point(figure, results, place, kind, at) for place in curve.places]
            points = [point for point in cells if point is not None]
            curves.append(ScalingCurve(curve.title, curve.first, curve.level, points))
        missing = [curve.title for curve in curves if not curve.points]
        some = missing and (figure.show == "regret" or len(missing) == len(curves))
        note = absent("no results", missing, len(curves)) if some else ""
        xs = [place.x for curve in panel.curves for place in curve.places]
        found.append(ScalingPanel(panel.title, curves, xs, note))
    counted = "votes" if results.spec.count == "votes" else "rounds"
    right = goal_met(results.spec.find, in_prose(kind))
    vertical = {
        "regret": f"{in_prose(kind)} regret at $t$ = {round_number(at)}",
        "duels": f"duels until {'an order' if results.spec.finds_order else 'a winner'} is declared",
        "errors": f"share of wrong winners ({in_prose(kind)})",
        "votes": "number of votes",
        "votes_to_right": f"{counted} until {figure.share:.0%} of the runs {right}",
        "votes_to_tau": f"{counted} until the mean Kendall tau distance is at most {figure.share:g}",
    }
    shown = [point for panel in found for curve in panel.curves for point in curve.points]
    caption = runs_shown(_BARS[figure.show], {point.runs for point in shown})
    if not all(point.whole for point in shown):
        caption += f"; {UNREACHED if figure.show.startswith('votes_to') else UNFILLED}"
    return ScalingShown(found, styles, _horizontal(figure, results), vertical[figure.show], caption)


def _horizontal(figure: ScalingFigure, results: Results) -> str:
    name = figure.against
    shown = results.shown_algorithms(figure)
    if any(name in each.point for each in results.spec.algorithms if each.label in shown):
        return _OF_ALGORITHMS.get(name, f"parameter {symbol(name)}")
    return _OF_DATASETS.get(name, symbol(name))


def _panels(figure: ScalingFigure, results: Results) -> list[Panel]:
    datasets = {label for label, _ in results.shown_panels(figure)}
    algorithms = results.shown_algorithms(figure)
    by_label = {each.label: each for each in results.spec.algorithms}
    try:
        return panels(
            figure,
            [each for each in results.spec.datasets if each.label in datasets],
            [by_label[label] for label in algorithms],
        )
    except UserError as error:
        raise UserError(f"a figure cannot be drawn: {error.message}", source=str(results.directory)) from None


def _point(figure: ScalingFigure, results: Results, place: Place, kind: str, at: int) -> Point | None:
    """Return the point of a curve at a place; None if there are no results, or a log axis cannot show it."""
    x, dataset, label = place

    def cell(column: str) -> float:
        value = results.value(column, dataset, label, kind, at)
        return np.nan if value is None else value

    runs, declared = cell("runs"), cell("declared")
    if figure.show.startswith("votes_to"):
        return _votes_to(figure, x, results.series(dataset, label, kind))
    if figure.show == "regret":
        value, error, whole = cell("mean"), cell("sem"), True
    elif figure.show == "votes":
        value, error, whole = cell("votes"), cell("votes_sem"), True
    elif figure.show == "duels":
        # The mean of min(duels, at).
        value = (declared * cell("duels_to_declaration") if declared > 0 else 0.0) + (1 - declared) * at
        error, whole = np.nan, declared == 1
    else:
        value = 1 - cell("right")
        error, whole = np.sqrt(value * (1 - value) / (runs * declared)) if declared > 0 else np.nan, declared == 1
    if np.isnan(value) or (figure.y == "log" and value <= 0):
        return None
    error = 0.0 if np.isnan(error) else error
    return Point(x, value, value - error, value + error, whole, int(runs))


def _votes_to(figure: ScalingFigure, x: float, rows: pd.DataFrame) -> Point | None:
    """Return the number of votes from which on more than the requested share of runs is right, or tau is small enough.

    The error bar has the numbers of votes at which this holds for the ends of 95 % intervals. A number that is never
    reached is the last number of votes.
    """
    if rows.empty:
        return None
    last = float(rows["t"].iloc[-1])

    if figure.show == "votes_to_tau":
        width = NORMAL * rows["tau_sem"].fillna(0.0)
        short_of = [rows["tau"] + sign * width > figure.share for sign in (0, -1, 1)]
    else:
        short_of = [rows[name] <= figure.share for name in ("recommended_right", "right_high", "right_low")]

    def reached(still: pd.Series[bool]) -> float:
        short = np.flatnonzero(still)
        first = 0 if not len(short) else int(short[-1]) + 1
        return float(rows["t"].iloc[first]) if first < len(rows) else np.inf

    value, low, high = map(reached, short_of)
    whole = bool(np.isfinite(value))
    return Point(x, min(value, last), min(low, last), min(high, last), whole, int(rows["runs"].max()))


def _draw_curve(panel: Axes, points: Sequence[Point], style: dict[str, Any], level: bool) -> None:
    panel.plot([point.x for point in points], [point.value for point in points], **style)
    for point in points:
        if level:
            continue
        low = max(point.low, 0.1 * point.value)  # a log axis cannot show 0 or less
        panel.vlines(point.x, low, point.high, colors=style["color"], linewidth=0.8)
        if not point.whole:
            panel.plot(point.x, point.value, **style | {"markerfacecolor": "white", "markeredgecolor": style["color"]})


def _dress(panel: Axes, figure: ScalingFigure, xs: Sequence[float]) -> None:
    panel.set(xscale=figure.x, yscale=figure.y)
    panel.grid(True)
    panel.xaxis.set_major_locator(FixedLocator(_apart(sorted(set(xs)), figure.x)))
    panel.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: round_number(round(x)) if x == round(x) >= 1 else f"{x:g}")
    )
    panel.xaxis.set_minor_locator(NullLocator())
    if figure.y == "linear":
        linear_ticks(panel.yaxis, 5)
        panel.set_ylim(bottom=0)


def _apart(xs: Sequence[float], scale: str) -> list[float]:
    """Return the x-coordinates that get a number on the axis, far enough apart that the numbers do not overlap."""
    places = np.log(xs) if scale == "log" else np.array(xs)
    least = _LEAST_APART * (places[-1] - places[0])
    kept = [len(xs) - 1]
    for index in range(len(xs) - 2, 0, -1):
        if min(places[kept[-1]] - places[index], places[index] - places[0]) >= least:
            kept.append(index)
    return [xs[index] for index in sorted({0, *kept})]
