"""The papers' main figure: cumulative regret against t."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from duelbench.plots.layout import add_legend, add_note, add_title, linear_ticks, panel_grid
from duelbench.plots.results import Results
from duelbench.plots.style import BAND_OPACITY, bound_style, line_style
from duelbench.spec.figures import Band, RegretFigure, Scale

BANDS: Mapping[Band, str] = {
    "sem": "mean ± standard error",
    "std": "mean ± standard deviation",
    "quantiles": "mean, 5 % to 95 % quantiles",
    "none": "mean",
}
# With so few rows (a sweep of horizons, where each is its own set of runs) every point has its marker and its bar.
FEW_ROWS = 15
# Between markers of a longer curve, as a share of the panel's diagonal.
MARKER_SPACING = 0.22
# Logarithms are straight on a logarithmic t axis; this many points make them smooth on others.
BOUND_POINTS = 200


def regret_figure(figure: RegretFigure, results: Results) -> Figure:
    """Draw mean regret and its band over t, one panel per dataset, one legend in the order of the spec.

    A panel names what it cannot show: algorithms without results, or without regret on a log axis; infinite bounds.
    Raises UserError when the runs did not record that kind of regret, or a bound was not computed.
    """
    kind = results.regret_kind(figure.regret)
    places = {label: place for place, label in enumerate(results.algorithms)}  # a curve looks the same in all figures
    shown = figure.algorithms or results.algorithms
    grid = panel_grid([title for _, title in results.panels])
    runs: set[int] = set()
    for panel, (dataset, _) in zip(grid.panels, results.panels, strict=True):
        curves = {label: results.series(dataset, label, kind) for label in shown}
        bounds: dict[str, float] = {name: results.bound(dataset, name) for name in figure.bounds}
        _draw_bounds(panel, bounds, figure.y, results.checkpoints)
        _draw_panel(panel, curves, places, figure, [name for name in bounds if math.isinf(bounds[name])])
        panel.set_xlim(*_horizontal_range(figure.x, results.checkpoints))
        runs.update(int(count) for rows in curves.values() for count in rows["runs"])
    for panel in grid.left:
        panel.set_ylabel(f"cumulative regret ({kind})")
    for panel in grid.lowest:
        panel.set_xlabel(results.counted)
    add_title(grid.drawing, figure.title)
    handles = [Line2D([], [], label=label, **line_style(places[label])) for label in shown]
    handles += [Line2D([], [], label=name, **bound_style(name)) for name in figure.bounds]
    add_legend(grid.drawing, handles, _caption(figure.band, runs))
    return grid.drawing


def _caption(band: Band, runs: set[int]) -> str:
    if max(runs, default=0) <= 1:
        return "1 run" if runs else "no results"
    count = f"{max(runs):,}" if len(runs) == 1 else f"{min(runs):,} to {max(runs):,}"
    return f"{BANDS[band]}, {count} runs"


def _horizontal_range(scale: Scale, checkpoints: Sequence[int]) -> tuple[float, float]:
    first, last = checkpoints[0], checkpoints[-1]
    if scale == "linear":
        return 0.0, 1.02 * last
    margin = (last / first) ** 0.02 if first < last else 10.0
    return first / margin, last * margin


def _draw_bounds(panel: Axes, bounds: Mapping[str, float], scale: Scale, checkpoints: Sequence[int]) -> None:
    """Draw constant · log t for each bound; on a log axis from where it is positive."""
    t = np.geomspace(checkpoints[0], checkpoints[-1], BOUND_POINTS)
    for name, constant in bounds.items():
        if math.isinf(constant):
            continue
        regret = constant * np.log(t)
        visible = (regret > 0) | (scale == "linear")
        if visible.any():
            panel.plot(t[visible], regret[visible], label=name, **bound_style(name))


def _draw_panel(
    panel: Axes,
    curves: Mapping[str, pd.DataFrame],
    places: Mapping[str, int],
    figure: RegretFigure,
    infinite: Sequence[str],
) -> None:
    panel.set(xscale=figure.x, yscale=figure.y)
    panel.grid(True)
    if figure.x == "linear":
        linear_ticks(panel.xaxis, 5)
    if figure.y == "linear":
        linear_ticks(panel.yaxis, 5)
        shown, floor = curves, 0.0
    else:
        shown = {label: rows[rows["mean"] > 0] for label, rows in curves.items()}
        floor = 0.7 * min((rows["mean"].min() for rows in shown.values() if len(rows)), default=1.0)
    for label, rows in shown.items():
        if len(rows):
            _draw_curve(panel, rows, figure.band, places[label], len(places), floor)
    if any(rows["mean"].max() > 0 for rows in curves.values()):
        panel.set_ylim(bottom=floor)
    else:
        panel.set_ylim(floor, 10.0)

    hidden = {
        "no results": [label for label, rows in curves.items() if rows.empty],
        "no regret": [label for label, rows in shown.items() if rows.empty and len(curves[label])],
    }
    notes = [
        reason if len(labels) == len(curves) else f"{reason}: {', '.join(labels)}"
        for reason, labels in hidden.items()
        if labels
    ]
    if infinite:
        notes.append(f"infinite: {', '.join(infinite)}")
    if notes:
        add_note(panel, "; ".join(notes))


def _draw_curve(panel: Axes, rows: pd.DataFrame, band: Band, place: int, total: int, floor: float) -> None:
    style = line_style(place)
    few = len(rows) <= FEW_ROWS
    # Markers of different curves start at different places, so that they do not hide each other.
    every = 1 if few else (MARKER_SPACING * (place + 0.5) / total, MARKER_SPACING)
    panel.plot(rows["t"], rows["mean"], markevery=every, **style)
    if band == "none" or rows["runs"].max() == 1:
        return
    if band == "quantiles":
        low, high = rows["q05"], rows["q95"]
    else:
        low, high = rows["mean"] - rows[band], rows["mean"] + rows[band]
    low = low.clip(lower=floor)
    if few:
        panel.vlines(rows["t"], low, high, colors=style["color"], linewidth=0.8)
    else:
        panel.fill_between(rows["t"], low, high, color=style["color"], alpha=BAND_OPACITY, linewidth=0)
