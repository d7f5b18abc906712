"""Identification figures: the share of runs that find the goal, or how far they are from it.

Curves are against votes; a heat table has algorithms by datasets for each budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.plots.bars import Bar, BarPanels, bar_grid, finish_bars
from duelbench.plots.labels import end_of, in_prose, printable
from duelbench.plots.panels import (
    FEW_ROWS,
    absent,
    add_note,
    add_title,
    finish,
    label_axes,
    legend_below,
    linear_ticks,
    panel_grid,
    place_markers,
    runs_shown,
)
from duelbench.plots.style import BAND_OPACITY, BAR_COLOUR, NOTE_COLOUR, PAGE_WIDTH, SHADES, line_style
from duelbench.proportions import NORMAL
from duelbench.results.reader import Results
from duelbench.spec.figure_options import IdentificationFigure
from duelbench.spec.resolved import ResolvedAlgorithm
from duelbench.spec.titles import distinct_titles, round_number
from duelbench.spec.values import goal_met

COLUMN = {"right": "recommended_right", "simple": "simple", "tau": "tau"}
"""The column of the summary that curves show."""


def identification_figure(figure: IdentificationFigure, results: Results) -> Figure:
    """Draw a table, or one panel per dataset with a curve or a bar for each algorithm.

    Raises UserError when the runs recorded no recommended arms, not this kind of regret, or nothing at ``at``.
    """
    kind = recommended_kind(figure, results)
    if figure.show == "table":
        return _heat_table(figure, results, kind)
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
            range(len(bars)), lengths, height=0.66, color=BAR_COLOUR, xerr=spread.tolist(), error_kw=_WHISKER
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
        cells = [[results.value(column, dataset, label, kind, at) for column in _BAR_COLUMNS] for label in labels]
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


_WHISKER = {"linewidth": 0.8}
_BAR_COLUMNS = ("recommended_right", "right_low", "right_high")


_ROW_HEIGHT = 0.125
_HEADER = 0.75
"""Heights of a line, and of the space above and below all lines, in inches."""
_DPI = 130
"""Dots per inch of PNG files: a large table then takes 100 kB."""
_SMALL = 5.8
"""Font size of numbers and labels, in points."""
LIMITS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)
"""The lower limit of each of ``SHADES``, as a share of runs."""
_SHADE_NAMES = (f"below {100 * LIMITS[1]:g} %", *(f"from {100 * limit:g} %" for limit in LIMITS[1:]))
_LIGHT_TEXT_FROM = 4
"""The first shade with white numbers."""


class Row(NamedTuple):
    """A line of the table: its title, and the label of the algorithm it shows at each budget."""

    title: str
    series: Mapping[int, str]


class Shares(NamedTuple):
    """Shares that are right, the ends of their intervals and standard errors, shape (budgets, rows, datasets).

    They are shares of runs or, where the goal is the order of all arms, means of the share of pairs in the right order.
    NaN: no runs.
    """

    right: Floats
    low: Floats
    high: Floats
    error: Floats


class Table(NamedTuple):
    """The cells of a heat table for each budget: shares, and which are best, shape (rows, columns).

    The first column is the mean over datasets.
    """

    rows: list[Row]
    columns: list[str]
    budgets: list[int]
    shares: list[Floats]
    best: list[Flags]
    known: Shares


def _heat_table(figure: IdentificationFigure, results: Results, kind: str) -> Figure:
    """Draw a table for each budget of the spec, side by side; the columns are the datasets and their mean.

    Rows are sorted by the mean over all cells, the best first. Numbers that are not significantly worse than the best
    of their column are bold; in the column of means they also have a frame.
    """
    table = shares_shown(figure, results, kind)
    rows, budgets, names = table.rows, table.budgets, table.columns
    drawing = Figure(figsize=(PAGE_WIDTH, _HEADER + _ROW_HEIGHT * (len(rows) + 5)), dpi=_DPI, layout="constrained")
    panels = drawing.subplots(1, len(budgets), sharey=True, squeeze=False)[0]
    for panel, budget, shares, best in zip(panels, budgets, table.shares, table.best, strict=True):
        _draw(panel, shares, best)
        counted = "votes" if results.spec.count == "votes" else "rounds"
        panel.set_title(f"{budget:,} {counted}")
        panel.set_xticks(range(len(names)), [printable(name, 1.2) for name in names], rotation=90, fontsize=_SMALL)
        panel.get_xticklabels()[0].set_fontweight("bold")
    panels[0].set_yticks(range(len(rows)), [printable(row.title, PAGE_WIDTH) for row in rows], fontsize=_SMALL)
    add_title(drawing, figure.title)
    patches = [Patch(facecolor=shade, edgecolor=NOTE_COLOUR, linewidth=0.4) for shade in SHADES]
    for patch, key in zip(patches, _SHADE_NAMES, strict=True):
        patch.set_label(key)
    framed = Patch(
        facecolor="none", edgecolor="black", linewidth=0.9, label="the best mean, or not significantly worse"
    )
    legend_below(drawing, [*patches, framed], heat_caption(results, kind))
    return drawing


def heat_caption(results: Results, kind: str) -> str:
    """Return the caption of a table."""
    runs, find = results.spec.runs, results.spec.find
    what = f"percent of {runs:,} runs that {goal_met(find, in_prose(kind))}"
    if find == "ranking":
        what = f"percent of pairs in the right order, mean of {runs:,} runs"
    return f"{what}; bold: not significantly worse than the best"


def shares_shown(figure: IdentificationFigure, results: Results, kind: str) -> Table:
    """Return the cells of a table, its rows sorted by their mean, the best first."""
    budgets = sorted(results.spec.horizons)
    rows = rows_of(results.spec.algorithms, budgets, figure.algorithms or results.algorithms)
    shares = _shares(results, rows, budgets, kind)
    order = np.argsort(-np.nan_to_num(np.nanmean(np.nan_to_num(shares.right), axis=(0, 2))), kind="stable")
    shares = Shares(*(each[:, order] for each in shares))
    names = ["mean", *(title for _, title in results.panels)]
    cells, best = [], []
    for right, low, high, error in zip(*shares, strict=True):
        means, best_means = _means(right, error)
        cells.append(np.column_stack([means, right]))
        best.append(np.column_stack([best_means, _best(right, low, high)]))
    return Table([rows[i] for i in order], names, budgets, cells, best, shares)


def _shades_of(shares: Floats) -> Ints:
    """Return the index into ``SHADES`` of each share."""
    return np.digitize(np.nan_to_num(shares), LIMITS) - 1


def rows_of(algorithms: Sequence[ResolvedAlgorithm], budgets: Sequence[int], shown: Sequence[str]) -> list[Row]:
    """Return the rows in the order of the spec: one per algorithm, or per group that differs only in ``budget``.

    Such a row shows, at each budget, the algorithm that was given this budget.
    """
    rows: dict[object, dict[int, str]] = {}
    titles: dict[object, tuple[str, str]] = {}
    for algorithm in algorithms:
        if algorithm.label not in shown:
            continue
        given = algorithm.parameters.get("budget")
        if isinstance(given, int) and given in budgets:
            others = {name: value for name, value in algorithm.parameters.items() if name != "budget"}
            base = algorithm.label.removesuffix(f"-budget={given}")
            key: object = (algorithm.name, base, repr(others))
            rows.setdefault(key, {})[given] = algorithm.label
            titles[key] = base, algorithm.called("budget").removesuffix(f"-budget={given}")
        else:
            rows[algorithm.label] = dict.fromkeys(budgets, algorithm.label)
            titles[algorithm.label] = algorithm.label, algorithm.called()
    distinct = distinct_titles([*titles.values()])
    return [Row(distinct[titles[key][0]], series) for key, series in rows.items()]


def _shares(results: Results, rows: Sequence[Row], budgets: Sequence[int], kind: str) -> Shares:
    def cell(column: str, budget: int, row: Row, dataset: str) -> float:
        value = results.value(column, dataset, row.series[budget], kind, budget) if budget in row.series else None
        return math.nan if value is None else value

    def cells(column: str) -> Floats:
        return np.array(
            [
                [[cell(column, budget, row, each.label) for each in results.spec.datasets] for row in rows]
                for budget in budgets
            ]
        )

    if results.spec.find == "ranking":
        right, error = 1.0 - cells("tau"), np.nan_to_num(cells("tau_sem"))
        return Shares(right, right - NORMAL * error, right + NORMAL * error, error)
    right = cells("recommended_right")
    return Shares(right, cells("right_low"), cells("right_high"), np.sqrt(right * (1 - right) / results.spec.runs))


def _best(right: Floats, low: Floats, high: Floats) -> Flags:
    """Return the cells, (rows, datasets), whose interval overlaps the interval of the best in their column."""
    known = np.nan_to_num(right, nan=-1.0)
    ends = np.take_along_axis(np.nan_to_num(low), known.argmax(axis=0)[None], axis=0)
    best: Flags = (known >= 0) & (np.nan_to_num(high, nan=-1.0) >= ends)
    return best


def _means(right: Floats, errors: Floats) -> tuple[Floats, Flags]:
    """Return the mean of each row over the datasets, and which means are not significantly worse than the best."""
    means = right.mean(axis=1)
    error = np.sqrt((errors**2).sum(axis=1)) / right.shape[1]
    if np.isnan(means).all():
        return means, np.zeros(len(means), np.bool_)
    best = int(np.nanargmax(means))
    return means, np.nan_to_num(means, nan=-1.0) >= means[best] - NORMAL * np.hypot(np.nan_to_num(error), error[best])


def _draw(panel: Axes, shown: Floats, best: Flags) -> None:
    shades = _shades_of(shown)
    norm = BoundaryNorm(np.arange(len(SHADES) + 1) - 0.5, len(SHADES))
    panel.imshow(shades, cmap=ListedColormap(SHADES), norm=norm, aspect="auto", interpolation="none")
    for (line, column), share in np.ndenumerate(shown):
        text = "–" if math.isnan(share) else f"{100 * share:.0f}"
        colour = "white" if shades[line, column] >= _LIGHT_TEXT_FROM else "black"
        weight = "bold" if best[line, column] else "normal"
        panel.text(
            column,
            line,
            text,
            ha="center",
            va="center_baseline",
            fontsize=_SMALL - 0.6,
            color=colour,
            fontweight=weight,
        )
        if best[line, column] and column == 0:
            panel.add_patch(
                Rectangle(
                    (column - 0.46, line - 0.46),
                    0.92,
                    0.92,
                    fill=False,
                    edgecolor="black",
                    linewidth=0.9,
                    clip_on=False,
                )
            )
    panel.axvline(0.5, color="white", linewidth=2)
    panel.tick_params(length=0, labeltop=True, labelbottom=False, pad=1.5)
    for spine in panel.spines.values():
        spine.set_visible(False)
