"""Identification figures: the share of runs that find the goal, or how far they are from it, against votes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from duelbench.errors import UserError
from duelbench.plots.bars import Bar, BarPanels, bar_grid, finish_bars
from duelbench.plots.ends import end_of
from duelbench.plots.heat_table import heat_table
from duelbench.plots.layout import absent, add_note, finish, label_axes, linear_ticks, panel_grid, runs_shown
from duelbench.plots.markers import FEW_ROWS, place_markers
from duelbench.plots.style import BAND_OPACITY, BAR_COLOUR, line_style
from duelbench.plots.text import in_prose
from duelbench.results.reader import Results
from duelbench.spec.figure_options import IdentificationFigure
from duelbench.spec.titles import round_number
from duelbench.spec.values import goal_met

COLUMN = {"right": "recommended_right", "simple": "simple", "tau": "tau"}
"""The column of the summary that curves show."""


def identification_figure(figure: IdentificationFigure, results: Results) -> Figure:
    """Draw a table, or one panel per dataset with a curve or a bar for each algorithm.

    Raises UserError when the runs recorded no recommended arms, not this kind of regret, or nothing at ``at``.
    """
    kind = recommended_kind(figure, results)
    if figure.show == "table":
        return heat_table(figure, results, kind)
    draw = _bars if figure.show == "errors" else _curves
    return draw(figure, results, kind)


def vertical(figure: IdentificationFigure, results: Results, kind: str) -> str:
    """Return the label of the vertical axis."""
    if figure.show == "tau":
        return "Kendall tau distance"
    share = f"share of runs that {goal_met(results.spec.find, in_prose(kind))}"
    return f"simple {in_prose(kind)} regret" if figure.show == "simple" else share


def recommended_kind(figure: IdentificationFigure, results: Results) -> str:
    """Return the regret shown. Raises UserError when the runs recorded no recommended arms, or not this regret."""
    kind = results.regret_kind(figure.regret)
    if results.spec.recommend == "none":
        raise UserError(
            "a figure shows recommended arms, which these runs did not record: add a 'budget', or 'recommend: own', "
            "to the spec and run again",
            source=str(results.directory),
        )
    return kind


def _curves(figure: IdentificationFigure, results: Results, kind: str) -> Figure:
    places = {label: place for place, label in enumerate(results.algorithms)}
    shown, panels = results.shown_algorithms(figure), results.shown_panels(figure)
    grid = panel_grid(figure, [title for _, title in panels], curves=[results.titles[label] for label in shown])
    ends = []
    for panel, (dataset, _) in zip(grid.panels, panels, strict=True):
        panel.set(xscale=figure.x, yscale=figure.y)
        panel.grid(True)
        known = {label: rows for label in shown if len(rows := results.series(dataset, label, kind))}
        lines = {label: _curve(panel, rows, figure, places[label]) for label, rows in known.items()}
        missing = [results.titles[label] for label in shown if label not in known]
        if missing:
            add_note(grid, panel, absent("no results", missing, len(shown)))
        if figure.x == "linear":
            linear_ticks(panel.xaxis, 5)
        if figure.show == "right":
            panel.set_ylim(0, 1.02)
        elif figure.y == "linear":
            panel.set_ylim(bottom=0)
        place_markers(panel, [*lines.values()], [places[label] for label in lines], len(places))
        ends.append([each for label in lines if (each := end_of(lines[label], results.titles[label], places[label]))])
    label_axes(grid, figure, results.counted, vertical(figure, results, kind))
    handles = [Line2D([], [], label=results.titles[label], **line_style(places[label])) for label in shown]
    finish(grid, figure, handles, curves_caption(figure, results, kind), ends)
    return grid.drawing


def curves_caption(figure: IdentificationFigure, results: Results, kind: str) -> str:
    """Return the caption of curves: the statistic, its bands, and the number of runs."""
    series = [
        results.series(dataset, label, kind)
        for dataset, _ in results.shown_panels(figure)
        for label in results.shown_algorithms(figure)
    ]
    runs = {int(count) for rows in series for count in rows["runs"]}
    return runs_shown("share with its 95 % interval (Wilson)" if figure.show == "right" else "mean", runs)


def _curve(panel: Axes, rows: pd.DataFrame, figure: IdentificationFigure, place: int) -> Line2D:
    style = line_style(place)
    few = len(rows) <= FEW_ROWS
    if figure.show != "right":
        column = COLUMN[figure.show]
        rows = rows[rows[column] > 0] if figure.y == "log" else rows
        (line,) = panel.plot(rows["t"], rows[column], markevery=1, **style)
        return line
    (line,) = panel.plot(rows["t"], rows["recommended_right"], markevery=1, **style)
    if few:
        panel.vlines(rows["t"], rows["right_low"], rows["right_high"], colors=style["color"], linewidth=0.8)
    else:
        panel.fill_between(
            rows["t"], rows["right_low"], rows["right_high"], color=style["color"], alpha=BAND_OPACITY, linewidth=0
        )
    return line


def _bars(figure: IdentificationFigure, results: Results, kind: str) -> Figure:
    shown = error_bars(figure, results, kind)
    grid = bar_grid(figure, [title for title, _ in shown.panels], shown.names)
    for panel, (_, bars) in zip(grid.panels, shown.panels, strict=True):
        lengths, low, high = np.array([(bar.length, bar.low, bar.high) for bar in bars]).T
        spread = np.nan_to_num(np.array([lengths - low, high - lengths])).clip(min=0)  # older results: rounding
        drawn = panel.barh(
            range(len(bars)), lengths, height=0.66, color=BAR_COLOUR, xerr=spread.tolist(), error_kw=WHISKER
        )
        panel.bar_label(drawn, [bar.text for bar in bars], padding=2.5)
        panel.set_xlim(0, 1.3 * max(np.nan_to_num(high).max(), 0.01))
        linear_ticks(panel.xaxis, 4)
        panel.grid(True, axis="x")
    finish_bars(grid, figure, shown.horizontal)
    return grid.drawing


def error_bars(figure: IdentificationFigure, results: Results, kind: str) -> BarPanels:
    """Return the share of wrong runs as a bar per algorithm and dataset. Raises as ``identification_figure``."""
    at = results.round_shown(figure.at)
    labels = results.shown_algorithms(figure)
    panels, shown = [], results.shown_panels(figure)
    for dataset, title in shown:
        cells = [[results.value(column, dataset, label, kind, at) for column in BAR_COLUMNS] for label in labels]
        shares = [[math.nan if each is None else each for each in row] for row in cells]
        bars = [
            Bar(0.0, "no results") if math.isnan(right) else Bar(1 - right, f"{1 - right:.1%}", 1 - high, 1 - low)
            for right, low, high in shares
        ]
        panels.append((title, bars))
    where = f"{round_number(at)} votes" if results.spec.count == "votes" else f"$t$ = {round_number(at)}"
    runs = {int(results.value("runs", dataset, label, kind, at) or 0) for dataset, _ in shown for label in labels}
    counts = runs_shown("95 % intervals (Wilson)", runs)
    horizontal = f"share of runs that do not {goal_met(results.spec.find, in_prose(kind))} at {where}; {counts}"
    return BarPanels([results.titles[label] for label in labels], panels, horizontal)


WHISKER = {"linewidth": 0.8}
BAR_COLUMNS = ("recommended_right", "right_low", "right_high")
