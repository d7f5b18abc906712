"""Regret figures: cumulative regret against t, the main figure of most papers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from duelbench.arrays import Floats
from duelbench.plots.labels import End, end_of, in_prose
from duelbench.plots.panels import (
    FEW_ROWS,
    absent,
    add_note,
    finish,
    label_axes,
    linear_ticks,
    panel_grid,
    place_markers,
    runs_shown,
)
from duelbench.plots.style import BAND_OPACITY, bound_style, line_style
from duelbench.results.reader import Results
from duelbench.spec.figure_options import Band, RegretFigure, Scale

_BANDS: Mapping[Band, str] = {
    "sem": "mean ± standard error",
    "std": "mean ± standard deviation",
    "quantiles": "mean, band from the 5 % to the 95 % quantile",
    "none": "mean",
}
# Bounds are straight lines on a logarithmic t axis; this many points make them smooth on a linear one.
_BOUND_POINTS = 200
CHANGE_STYLE: Mapping[str, Any] = {"color": "#737373", "linewidth": 0.6, "linestyle": (0, (1, 2)), "zorder": 0.5}
"""The style of the vertical line at a round in which preferences change."""


class RegretPanel(NamedTuple):
    """The content of a panel: rows of the summary by algorithm label, and the constants of bounds by name.

    Of bounds that coincide it has the first. ``note``: names what cannot be shown. ``changes``: the rounds in which
    preferences change.
    """

    dataset: str
    title: str
    curves: dict[str, pd.DataFrame]
    bounds: dict[str, float]
    note: str
    changes: tuple[int, ...] = ()


class RegretShown(NamedTuple):
    """Panels, groups of bounds that coincide in all of them, the label of the vertical axes, and the caption."""

    panels: list[RegretPanel]
    together: list[list[str]]
    vertical: str
    caption: str


def regret_figure(figure: RegretFigure, results: Results) -> Figure:
    """Draw mean regret and its band against t: one panel per dataset, and one legend in the order of the spec.

    A note in a panel names what cannot be shown: algorithms without results, algorithms without regret on a log axis,
    and infinite bounds. Raises UserError when the runs did not record this kind of regret, or a bound was not computed.
    """
    content = regret_shown(figure, results)
    places = {label: place for place, label in enumerate(results.algorithms)}  # a curve looks the same in all figures
    shown = results.shown_algorithms(figure)
    grid = panel_grid(
        figure, [panel.title for panel in content.panels], curves=[results.titles[label] for label in shown]
    )
    limits = _horizontal_range(figure.x, results.checkpoints)
    ends = []
    for axes, panel in zip(grid.panels, content.panels, strict=True):
        _draw_bounds(axes, panel.bounds, figure.y, results.checkpoints)
        ends.append(_draw_panel(axes, panel, places, figure, results.titles, limits))
        if panel.note:
            add_note(grid, axes, panel.note)
    label_axes(grid, figure, results.counted, content.vertical)
    handles = [Line2D([], [], label=results.titles[label], **line_style(places[label])) for label in shown]
    handles += [Line2D([], [], label=" = ".join(names), **bound_style(names[0])) for names in content.together]
    finish(grid, figure, handles, content.caption, ends)
    return grid.drawing


def regret_shown(figure: RegretFigure, results: Results) -> RegretShown:
    """Return the content of a regret figure, for images and for the page. Raises as ``regret_figure``."""
    kind = results.regret_kind(figure.regret)
    shown, panels = results.shown_algorithms(figure), results.shown_panels(figure)
    constants: dict[str, list[float]] = {
        name: [results.bound(dataset, name) for dataset, _ in panels] for name in figure.bounds
    }
    together = _coinciding(constants)
    changes = {each.label: each.changes for each in results.spec.datasets}
    found = []
    for index, (dataset, title) in enumerate(panels):
        curves = {label: results.series(dataset, label, kind) for label in shown}
        bounds = {names[0]: constants[names[0]][index] for names in together}
        infinite = [name for name in figure.bounds if math.isinf(constants[name][index])]
        note = _note(curves, figure.y, infinite, results.titles)
        found.append(RegretPanel(dataset, title, curves, bounds, note, changes.get(dataset) or ()))
    runs = {int(count) for panel in found for rows in panel.curves.values() for count in rows["runs"]}
    return RegretShown(found, together, f"cumulative {in_prose(kind)} regret", runs_shown(_BANDS[figure.band], runs))


def _note(curves: Mapping[str, pd.DataFrame], scale: Scale, infinite: Sequence[str], titles: Mapping[str, str]) -> str:
    hidden = {
        "no results": [label for label, rows in curves.items() if rows.empty],
        "no regret": [
            label for label, rows in curves.items() if scale == "log" and len(rows) and not (rows["mean"] > 0).any()
        ],
    }
    notes = [
        absent(reason, [titles[label] for label in labels], len(curves)) for reason, labels in hidden.items() if labels
    ]
    if infinite:
        notes.append(f"infinite: {', '.join(infinite)}")
    return "; ".join(notes)


def _coinciding(constants: Mapping[str, Sequence[float]]) -> list[list[str]]:
    """Return the names of bounds, in groups that have equal constants in every panel."""
    groups: list[list[str]] = []
    for name, values in constants.items():
        same = next((names for names in groups if np.allclose(constants[names[0]], values, rtol=1e-6, atol=0)), None)
        if same is None:
            groups.append([name])
        else:
            same.append(name)
    return groups


def _horizontal_range(scale: Scale, checkpoints: Sequence[int]) -> tuple[float, float]:
    first, last = checkpoints[0], checkpoints[-1]
    if scale == "linear":
        return 0.0, 1.02 * last
    margin = (last / first) ** 0.02 if first < last else 10.0
    return first / margin, last * margin


def _draw_bounds(panel: Axes, bounds: Mapping[str, float], scale: Scale, checkpoints: Sequence[int]) -> None:
    """Draw constant · log t for each bound; on a log axis only where it is positive."""
    for name, constant in bounds.items():
        if math.isinf(constant):
            continue
        t, regret = bound_curve(constant, checkpoints)
        visible = (regret > 0) | (scale == "linear")
        if visible.any():
            panel.plot(t[visible], regret[visible], label=name, **bound_style(name))


def bound_curve(constant: float, checkpoints: Sequence[int]) -> tuple[Floats, Floats]:
    """Return t and constant · log t."""
    t = np.geomspace(checkpoints[0], checkpoints[-1], _BOUND_POINTS)
    return t, constant * np.log(t)


def _draw_panel(
    panel: Axes,
    content: RegretPanel,
    places: Mapping[str, int],
    figure: RegretFigure,
    titles: Mapping[str, str],
    limits: tuple[float, float],
) -> list[End]:
    """Draw the curves of a panel and return their ends."""
    curves: Mapping[str, pd.DataFrame] = content.curves
    panel.set(xscale=figure.x, yscale=figure.y, xlim=limits)
    panel.grid(True)
    for change in content.changes:
        panel.axvline(change, **CHANGE_STYLE)
    if figure.x == "linear":
        linear_ticks(panel.xaxis, 5)
    if figure.y == "linear":
        linear_ticks(panel.yaxis, 5)
        shown, floor = curves, lowest(curves.values())
    else:
        shown = {label: rows[rows["mean"] > 0] for label, rows in curves.items()}
        floor = log_floor(curves.values())
    lines = {
        label: _draw_curve(panel, rows, figure.band, places[label], floor) for label, rows in shown.items() if len(rows)
    }
    if any(rows["mean"].max() > 0 for rows in curves.values()):
        panel.set_ylim(bottom=floor)
    else:
        panel.set_ylim(floor, 10.0)

    place_markers(panel, [*lines.values()], [places[label] for label in lines], len(places))
    return [each for label in lines if (each := end_of(lines[label], titles[label], places[label]))]


def lowest(curves: Iterable[pd.DataFrame]) -> float:
    """Return the smallest mean regret, or 0 if none is negative: only adversarial regret can be."""
    return min(0.0, *(float(rows["mean"].min()) for rows in curves if len(rows)), 0.0)


def log_floor(curves: Iterable[pd.DataFrame]) -> float:
    """Return the lower limit of a logarithmic axis of regret."""
    return float(
        0.7 * min((rows["mean"][rows["mean"] > 0].min() for rows in curves if (rows["mean"] > 0).any()), default=1.0)
    )


def band_of(rows: pd.DataFrame, band: Band) -> tuple[pd.Series[float], pd.Series[float]] | None:
    """Return the lower and upper ends of the band around the means; None if there is no band."""
    if band == "none" or rows["runs"].max() == 1:
        return None
    if band == "quantiles":
        return rows["q05"], rows["q95"]
    return rows["mean"] - rows[band], rows["mean"] + rows[band]


def _draw_curve(panel: Axes, rows: pd.DataFrame, band: Band, place: int, floor: float) -> Line2D:
    style = line_style(place)
    few = len(rows) <= FEW_ROWS
    (line,) = panel.plot(rows["t"], rows["mean"], markevery=1, **style)
    ends = band_of(rows, band)
    if ends is None:
        return line
    low, high = ends[0].clip(lower=floor), ends[1]
    if few:
        panel.vlines(rows["t"], low, high, colors=style["color"], linewidth=0.8)
    else:
        panel.fill_between(rows["t"], low, high, color=style["color"], alpha=BAND_OPACITY, linewidth=0)
    return line
