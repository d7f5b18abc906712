"""How surely the best arm is named: the share of runs that are right, or their simple regret, against votes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from duelbench.errors import UserError
from duelbench.plots.heat_table import heat_table
from duelbench.plots.layout import (
    add_legend,
    add_note,
    add_shared_label,
    add_title,
    linear_ticks,
    panel_grid,
    printable,
    round_number,
)
from duelbench.plots.regret import FEW_ROWS, MARKER_SPACING
from duelbench.plots.results import Results
from duelbench.plots.std import BAR_PITCH, LABEL_WIDTH, PANEL_FRAME
from duelbench.plots.style import BAND_OPACITY, BAR_COLOUR, line_style
from duelbench.spec.figures import IdentificationFigure

VERTICAL = {"right": "share of runs that name a best arm ({})", "simple": "simple regret ({}) of the arm named"}


def identification_figure(figure: IdentificationFigure, results: Results) -> Figure:
    """Draw a panel per dataset: a curve per algorithm with its band, or a bar per algorithm of the errors; or a table.

    Raises UserError when the runs recommend nothing, or did not record that kind of regret or anything at ``at``.
    """
    kind = results.regret_kind(figure.regret)
    if results.spec.recommend == "none":
        raise UserError(
            "a figure shows which arms are recommended, and these runs recommend none: write a 'budget', or "
            "'recommend: own', and run again",
            source=str(results.directory),
        )
    if figure.show == "table":
        return heat_table(figure, results, kind)
    draw = _bars if figure.show == "errors" else _curves
    return draw(figure, results, kind)


def _curves(figure: IdentificationFigure, results: Results, kind: str) -> Figure:
    places = {label: place for place, label in enumerate(results.algorithms)}
    shown = figure.algorithms or results.algorithms
    grid = panel_grid([title for _, title in results.panels])
    for panel, (dataset, _) in zip(grid.panels, results.panels, strict=True):
        panel.set(xscale=figure.x, yscale=figure.y)
        panel.grid(True)
        missing = []
        for label in shown:
            rows = results.series(dataset, label, kind)
            if len(rows):
                _curve(panel, rows, figure, places[label], len(places))
            else:
                missing.append(label)
        if missing:
            add_note(panel, "no results" + ("" if len(missing) == len(shown) else f": {', '.join(missing)}"))
        if figure.x == "linear":
            linear_ticks(panel.xaxis, 5)
        if figure.show == "right":
            panel.set_ylim(0, 1.02)
        elif figure.y == "linear":
            panel.set_ylim(bottom=0)
    for panel in grid.left:
        panel.set_ylabel(VERTICAL[figure.show].format(kind))
    for panel in grid.lowest:
        panel.set_xlabel(results.counted)
    add_title(grid.drawing, figure.title)
    runs = int(max((results.series(d, a, kind)["runs"].max() for d, _ in results.panels for a in shown), default=0))
    band = "95 % intervals (Wilson), " if figure.show == "right" else ""
    handles = [Line2D([], [], label=label, **line_style(places[label])) for label in shown]
    add_legend(grid.drawing, handles, f"{band}{runs:,} runs")
    return grid.drawing


def _curve(panel: Axes, rows: pd.DataFrame, figure: IdentificationFigure, place: int, total: int) -> None:
    style = line_style(place)
    few = len(rows) <= FEW_ROWS
    every = 1 if few else (MARKER_SPACING * (place + 0.5) / total, MARKER_SPACING)
    if figure.show == "simple":
        rows = rows[rows["simple"] > 0] if figure.y == "log" else rows
        panel.plot(rows["t"], rows["simple"], markevery=every, **style)
        return
    panel.plot(rows["t"], rows["recommended_right"], markevery=every, **style)
    if few:
        panel.vlines(rows["t"], rows["right_low"], rows["right_high"], colors=style["color"], linewidth=0.8)
    else:
        panel.fill_between(
            rows["t"], rows["right_low"], rows["right_high"], color=style["color"], alpha=BAND_OPACITY, linewidth=0
        )


def _bars(figure: IdentificationFigure, results: Results, kind: str) -> Figure:
    at = results.round_shown(figure.at)
    labels = list(figure.algorithms or results.algorithms)
    grid = panel_grid([title for _, title in results.panels], PANEL_FRAME + BAR_PITCH * len(labels))
    for panel, (dataset, _) in zip(grid.panels, results.panels, strict=True):
        cells = [[results.value(column, dataset, label, kind, at) for column in BAR_COLUMNS] for label in labels]
        right, low, high = np.array([[math.nan if each is None else each for each in row] for row in cells]).T
        errors = 1 - right
        spread = np.nan_to_num(np.array([errors - (1 - high), (1 - low) - errors]))
        drawn = panel.barh(
            range(len(labels)), np.nan_to_num(errors), height=0.66, color=BAR_COLOUR, xerr=spread, error_kw=WHISKER
        )
        texts = ["no results" if math.isnan(error) else f"{error:.1%}" for error in errors]
        panel.bar_label(drawn, texts, padding=2.5)
        panel.set_yticks(range(len(labels)), [""] * len(labels))
        panel.set_ylim(len(labels) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.set_xlim(0, 1.3 * max(np.nan_to_num(1 - low).max(), 0.01))
        linear_ticks(panel.xaxis, 4)
        panel.grid(True, axis="x")
    for panel in grid.left:
        panel.set_yticklabels([printable(label, LABEL_WIDTH) for label in labels])
    where = f"{round_number(at)} votes" if results.spec.count == "votes" else f"$t$ = {round_number(at)}"
    add_shared_label(grid.drawing, f"share of runs that name no best arm ({kind}) at {where}, 95 % intervals")
    add_title(grid.drawing, figure.title)
    return grid.drawing


WHISKER = {"linewidth": 0.8}
BAR_COLUMNS = ("recommended_right", "right_low", "right_high")
