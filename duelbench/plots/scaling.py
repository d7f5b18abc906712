"""How algorithms scale: a number per run against the arms (Zoghi et al. 2015, Urvoy et al. 2013) or the delay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from duelbench.errors import UserError
from duelbench.plots.layout import add_legend, add_note, add_title, linear_ticks, panel_grid, round_number
from duelbench.plots.results import Results
from duelbench.plots.style import line_style
from duelbench.spec.figures import ScalingFigure
from duelbench.spec.resolved import ResolvedDataset

HORIZONTAL = {"arms": "number of arms $K$", "delay": "delay of outcomes (rounds)"}
UNFILLED = "hollow: some runs had declared no winner by then"
UNREACHED = "hollow: not reached, drawn at the most votes there were"


class Point(NamedTuple):
    """A number at ``x``, with the range it may be in; ``whole`` unless some runs fell short of it."""

    x: float
    value: float
    low: float
    high: float
    whole: bool


def scaling_figure(figure: ScalingFigure, results: Results) -> Figure:
    """Draw one panel per grid of datasets, one curve per algorithm, in the order of the spec.

    A run that has declared no winner counts with the rounds it has played; a marker says so. Raises UserError when
    nothing was recorded at ``at``, or when the runs did not record that kind of regret.
    """
    kind = results.regret_kind(figure.regret)
    at = results.round_shown(figure.round)
    places = {label: place for place, label in enumerate(results.algorithms)}
    shown = figure.algorithms or results.algorithms
    panels = _panels(figure, results.spec.datasets)
    grid = panel_grid([title for title, _ in panels])
    curves: set[str] = set()
    hollow = False
    for panel, (_, datasets) in zip(grid.panels, panels, strict=True):
        missing = []
        for label in shown:
            points = [
                point for entry in datasets if (point := _point(figure, results, entry, label, kind, at)) is not None
            ]
            if points:
                _draw_curve(panel, points, places[label])
                curves.add(label)
                hollow |= not all(point.whole for point in points)
            else:
                missing.append(label)
        _dress(panel, figure, [_coordinate(figure, entry) for entry in datasets])
        if missing and len(missing) < len(shown) and figure.show == "regret":
            add_note(panel, f"no results: {', '.join(missing)}")
        if len(missing) == len(shown):
            add_note(panel, "no results")
    vertical = {
        "regret": f"regret ({kind}) at $t$ = {round_number(at)}",
        "duels": "duels until a winner is declared",
        "errors": f"share of wrong winners ({kind})",
        "votes": "votes asked for",
        "votes_to_right": f"{results.counted} until {figure.share:.0%} of the runs are right ({kind})",
    }
    for panel in grid.left:
        panel.set_ylabel(vertical[figure.show])
    for panel in grid.lowest:
        panel.set_xlabel(HORIZONTAL.get(figure.against, figure.against))
    add_title(grid.drawing, figure.title)
    handles = [Line2D([], [], label=label, **line_style(places[label])) for label in shown if label in curves]
    caption = UNREACHED if figure.show == "votes_to_right" else UNFILLED
    add_legend(grid.drawing, handles, caption if hollow else "")
    return grid.drawing


def _coordinate(figure: ScalingFigure, entry: ResolvedDataset) -> float:
    """Return where a dataset is on the horizontal axis. Raises UserError if it has no such number."""
    if figure.against in HORIZONTAL:
        return entry.arms if figure.against == "arms" else entry.delay
    value = (entry.parameters or entry.identity.get("parameters", {})).get(figure.against)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise UserError(
        f"a figure shows results against {figure.against!r}, which is no number among the parameters of "
        f"{entry.label!r}: write 'arms', 'delay' or a parameter that all datasets have"
    )


def _panels(figure: ScalingFigure, datasets: Sequence[ResolvedDataset]) -> list[tuple[str, list[ResolvedDataset]]]:
    """Return (title, datasets by x): those of one grid that differ only in x; all that are of none share a panel."""

    def group(entry: ResolvedDataset) -> tuple[str, int]:
        if figure.against == "delay":
            return entry.grid or "", entry.arms if entry.grid else 0
        return entry.grid or "", entry.delay

    panels = []
    for _, members in groupby(sorted(datasets, key=lambda e: [group(d) for d in datasets].index(group(e))), group):
        entries = sorted(members, key=lambda entry: _coordinate(figure, entry))
        first = entries[0]
        if figure.against == "delay":
            title = first.title if first.grid else ""
        else:
            title = (first.grid or "") + (f", delay {first.delay:,}" if first.delay > 1 else "")
        panels.append((title, entries))
    return panels


def _point(
    figure: ScalingFigure, results: Results, entry: ResolvedDataset, label: str, kind: str, at: int
) -> Point | None:
    """Return what an algorithm's curve shows on a dataset; None where there is nothing to show."""

    def cell(column: str) -> float:
        value = results.value(column, entry.label, label, kind, at)
        return np.nan if value is None else value

    x = _coordinate(figure, entry)
    runs, declared = cell("runs"), cell("declared")
    if figure.show == "votes_to_right":
        return _votes_to_right(figure, x, results.series(entry.label, label, kind))
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
    return Point(x, value, value - error, value + error, whole)


def _votes_to_right(figure: ScalingFigure, x: float, rows: pd.DataFrame) -> Point | None:
    """Return the first votes at which, and ever after, the share of runs that are right is large enough.

    Its range is where the ends of Wilson's intervals come to be so. What is never reached is at the last votes.
    """
    if rows.empty:
        return None
    last = float(rows["t"].iloc[-1])

    def reached(column: str) -> float:
        short = np.flatnonzero(rows[column].to_numpy() < figure.share)
        first = 0 if not len(short) else int(short[-1]) + 1
        return float(rows["t"].iloc[first]) if first < len(rows) else np.inf

    value, low, high = (min(reached(column), last) for column in ("recommended_right", "right_high", "right_low"))
    return Point(x, value, low, high, whole=bool(np.isfinite(reached("recommended_right"))))


def _draw_curve(panel: Axes, points: Sequence[Point], place: int) -> None:
    style = line_style(place)
    panel.plot([point.x for point in points], [point.value for point in points], **style)
    for point in points:
        low = max(point.low, 0.1 * point.value)  # a log axis has no room for less
        panel.vlines(point.x, low, point.high, colors=style["color"], linewidth=0.8)
        if not point.whole:
            panel.plot(point.x, point.value, **style | {"markerfacecolor": "white", "markeredgecolor": style["color"]})


def _dress(panel: Axes, figure: ScalingFigure, xs: Sequence[float]) -> None:
    panel.set(xscale=figure.x, yscale=figure.y)
    panel.grid(True)
    panel.xaxis.set_major_locator(FixedLocator(sorted(set(xs))))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}" if x != round(x) else round_number(round(x))))
    panel.xaxis.set_minor_locator(NullLocator())
    if figure.y == "linear":
        linear_ticks(panel.yaxis, 5)
        panel.set_ylim(bottom=0)
