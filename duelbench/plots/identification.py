"""Identification figures: the share of runs that find the goal, or how far they are from it.

Curves are against votes; a heat table has algorithms by datasets for each budget.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.plots.assumptions import marked, titles_of, unmet_titles, with_sign
from duelbench.plots.bars import Bar, BarPanels
from duelbench.plots.curves import Curve, Curves, Panel, axes_of
from duelbench.plots.labels import in_prose, printable
from duelbench.plots.panels import absent, add_title, legend_below, runs_shown
from duelbench.plots.style import NOTE_COLOUR, PAGE_WIDTH, SHADES, line_styles
from duelbench.proportions import NORMAL
from duelbench.results.results import Results
from duelbench.spec.figure_options import IdentificationFigure
from duelbench.spec.resolved import ResolvedAlgorithm
from duelbench.spec.titles import distinct_titles
from duelbench.spec.values import goal_met

_COLUMN = {"right": "recommended_right", "simple": "simple", "tau": "tau"}
"""The column of the summary that curves show."""


def _vertical(figure: IdentificationFigure, results: Results, kind: str) -> str:
    """Return the label of the vertical axis."""
    if figure.show == "tau":
        return "Kendall tau distance"
    share = f"share of runs that {goal_met(results.spec.find, in_prose(kind))}"
    return f"simple {in_prose(kind)} regret" if figure.show == "simple" else share


def _recommended_kind(figure: IdentificationFigure, results: Results) -> str:
    """Return the regret shown. Raises UserError when the runs recorded no recommended arms, or not this regret."""
    kind = results.regret_kind(figure.regret)
    if results.spec.recommend == "none":
        raise UserError(
            "a figure shows recommended arms, which these runs did not record: add a 'budget', or 'recommend: own', "
            "to the spec and run again",
            source=str(results.directory),
        )
    return kind


def identification_curves(figure: IdentificationFigure, results: Results) -> Curves:
    """Return curves against votes, one panel per dataset. Raises as ``_recommended_kind``."""
    kind, column = _recommended_kind(figure, results), _COLUMN[figure.show]
    shown, panels, titles = results.shown_algorithms(figure), results.shown_panels(figure), results.titles
    styles = line_styles(results.spec.algorithms, figure)
    found, runs = [], set[int]()
    for dataset, title in panels:
        curves, missing = [], []
        for label in shown:
            rows = results.series(dataset, label, kind)
            rows = rows[rows["t"].between(*figure.span) & ((rows[column] > 0) | (figure.y == "linear"))]
            runs |= {int(count) for count in rows["runs"]}
            missing += [titles[label]] * rows.empty
            ends = (rows["right_low"].to_numpy(), rows["right_high"].to_numpy()) if figure.show == "right" else None
            curves.append(Curve(titles[label], styles[label], rows["t"].to_numpy(), rows[column].to_numpy(), ends))
        ends_of_axis = (0, 1.02) if figure.show == "right" else (0 if figure.y == "linear" else None, None)
        x, y = axes_of(figure, results.counted, _vertical(figure, results, kind), (None, None), ends_of_axis)
        note = absent("no results", missing, len(shown)) if missing else ""
        found.append(Panel(title, curves, x, y, note=note))
    what = "share with its 95 % interval (Wilson)" if figure.show == "right" else "mean"
    return Curves(found, what, runs)


def error_bars(figure: IdentificationFigure, results: Results) -> BarPanels:
    """Return the share of wrong runs as a bar per algorithm and dataset. Raises as ``_recommended_kind``."""
    kind, at = _recommended_kind(figure, results), results.round_shown(figure.at)
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
    runs = {int(results.value("runs", dataset, label, kind, at) or 0) for dataset, _ in shown for label in labels}
    horizontal = f"share of runs that do not {goal_met(results.spec.find, in_prose(kind))} at {results.at(at)}"
    return BarPanels(
        titles_of(labels, figure, results), panels, horizontal, runs_shown("95 % intervals (Wilson)", runs)
    )


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


def heat_table(figure: IdentificationFigure, results: Results) -> Figure:
    """Draw a table for each budget of the spec, side by side; the columns are the datasets and their mean.

    Rows are sorted by the mean over all cells, the best first. Numbers that are not significantly worse than the best
    of their column are bold; in the column of means they also have a frame.
    """
    kind = _recommended_kind(figure, results)
    table = shares_shown(figure, results, kind)
    rows, budgets, names = table.rows, table.budgets, table.columns
    unmet = unmet_titles(figure, results)
    titles = [marked(row.title, unmet) for row in rows]
    drawing = Figure(figsize=(PAGE_WIDTH, _HEADER + _ROW_HEIGHT * (len(rows) + 5)), dpi=_DPI, layout="constrained")
    panels = drawing.subplots(1, len(budgets), sharey=True, squeeze=False)[0]
    for panel, budget, shares, best in zip(panels, budgets, table.shares, table.best, strict=True):
        _draw(panel, shares, best)
        counted = "votes" if results.spec.count == "votes" else "rounds"
        panel.set_title(f"{budget:,} {counted}")
        panel.set_xticks(range(len(names)), [printable(name, 1.2) for name in names], rotation=90, fontsize=_SMALL)
        panel.get_xticklabels()[0].set_fontweight("bold")
    panels[0].set_yticks(range(len(rows)), [printable(title, PAGE_WIDTH) for title in titles], fontsize=_SMALL)
    add_title(drawing, figure.title)
    patches = [Patch(facecolor=shade, edgecolor=NOTE_COLOUR, linewidth=0.4) for shade in SHADES]
    for patch, key in zip(patches, _SHADE_NAMES, strict=True):
        patch.set_label(key)
    framed = Patch(
        facecolor="none", edgecolor="black", linewidth=0.9, label="the best mean, or not significantly worse"
    )
    legend_below(drawing, [*patches, framed], figure.captioned(with_sign(heat_caption(results, kind), titles)))
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
    return Table([rows[i] for i in order], names, budgets, cells, best)


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
