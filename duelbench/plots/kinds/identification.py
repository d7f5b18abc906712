"""Figures of identification: the share of runs that find the goal, or their distance from it.

Curves are against votes; a heat table shows algorithms by datasets for each budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from duelbench.arrays import Flags, Floats, Ints
from duelbench.plots.content import (
    Bar,
    BarPanels,
    Curve,
    Curves,
    Panel,
    absent,
    in_prose,
    marked,
    runs_at,
    runs_shown,
    titles_of,
    unmet_titles,
    values_at,
    with_sign,
)
from duelbench.plots.curves import CurvesFigure
from duelbench.plots.style import NOTE_COLOUR, PAGE_WIDTH, SHADES, line_styles
from duelbench.proportions import NORMAL
from duelbench.spec.figures import Look, RoundFigure, Scale, check_ordered, check_recommended
from duelbench.spec.titles import distinct_titles
from duelbench.spec.validation import mistake
from duelbench.spec.values import Horizon, goal_met

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from duelbench.results.results import Results
    from duelbench.spec.resolved import ResolvedAlgorithm

_COLUMN = {"right": "recommended_right", "simple": "simple", "tau": "tau"}
"""The column of the summary that curves show."""
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


class IdentificationFigure(CurvesFigure, RoundFigure):
    """How reliably the goal is found: one panel per dataset, or a table; needs a budget, or `recommend`."""

    against_rounds: ClassVar[bool] = True

    kind: Literal["identification"] = Field(description="The quality of the recommended arms, against votes.")
    show: Literal["right", "simple", "tau", "errors", "table"] = Field(
        "right",
        description="Curves of the share of runs that find a best arm, or what `find` says (right), of the simple "
        "regret (simple), or of the Kendall tau distance of the order, if that is the goal (tau); bars of the share of "
        "runs that are wrong at `at` (errors); or a table of the share of runs that are right after each horizon or, "
        "with `find: ranking`, of pairs in the right order, darker where it is larger, algorithms sorted by their mean "
        "(table).",
    )
    at: Horizon | None = Field(None, description="The number of votes at which bars are shown. Default: the budget.")
    x: Scale = Field("log", description="Scale of the votes.")
    y: Scale = Field("linear", description="Scale of the vertical axis.")

    @property
    def has_curves(self) -> bool:
        """Whether the figure shows curves, not bars or a table."""
        return self.show not in ("errors", "table")

    @model_validator(mode="after")
    def _of_curves(self) -> Self:
        if not self.has_curves:
            for name in Look.model_fields:
                if getattr(self, name):
                    raise mistake(f"{name!r} is for curves, and this figure has none: remove it", name)
        return self

    @property
    def stem(self) -> str:
        """The default name of its file."""
        return f"identification-{self.show}"

    def defaults(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that follow from the spec. Raises an error if it records no recommended arms."""
        if self.show == "tau":
            check_ordered(spec)
        found = super().defaults(spec)
        check_recommended(spec, "kind")
        return found

    def draw(self, results: Results) -> Figure:
        """Return the figure of these results. Raises UserError if they have no recommended arms."""
        if self.show == "table":
            return _heat_table(self, results)
        if self.show == "errors":
            from duelbench.plots.panels import bars_figure

            return bars_figure(self, self._error_bars(results))
        return super().draw(results)

    def curves(self, results: Results) -> Curves:
        """Return curves against votes, one panel per dataset."""
        kind, column = self._recommended_kind(results), _COLUMN[self.show]
        shown, panels, titles = results.shown_algorithms(self), results.shown_panels(self), results.titles
        styles = line_styles(results.spec.algorithms, self)
        found, runs = [], set[int]()
        for dataset, title in panels:
            curves, missing = [], []
            for label in shown:
                rows = results.series(dataset, label, kind)
                rows = rows[rows["t"].between(*self.span) & ((rows[column] > 0) | (self.y == "linear"))]
                runs |= {int(count) for count in rows["runs"]}
                missing += [titles[label]] * rows.empty
                ends = (rows["right_low"].to_numpy(), rows["right_high"].to_numpy()) if self.show == "right" else None
                curves.append(Curve(titles[label], styles[label], rows["t"].to_numpy(), rows[column].to_numpy(), ends))
            ends_of_axis = (0, 1.02) if self.show == "right" else (0 if self.y == "linear" else None, None)
            x, y = self.axes(results.counted, self._vertical(results, kind), (None, None), ends_of_axis)
            note = absent("no results", missing, len(shown))
            found.append(Panel(title, curves, x, y, note=note))
        what = "share with its 95 % interval (Wilson)" if self.show == "right" else "mean"
        return Curves(found, what, runs)

    def _error_bars(self, results: Results) -> BarPanels:
        """Return the share of wrong runs as a bar per algorithm and dataset."""
        kind, at = self._recommended_kind(results), results.round_shown(self.at)
        right, low, high = (values_at(self, results, column, kind, at) for column in _BAR_COLUMNS)
        wrong = [
            [
                Bar(0.0, "no results") if math.isnan(share) else Bar(1 - share, f"{1 - share:.1%}", 1 - most, 1 - least)
                for share, least, most in zip(*shares, strict=True)
            ]
            for shares in zip(right, low, high, strict=True)
        ]
        titles = [title for _, title in results.shown_panels(self)]
        label = f"share of runs that do not {goal_met(results.spec.find, in_prose(kind))} at {results.at(at)}"
        caption = runs_shown("95 % intervals (Wilson)", runs_at(self, results, kind, at))
        return BarPanels(titles_of(self, results), [*zip(titles, wrong, strict=True)], label, caption)

    def _vertical(self, results: Results, kind: str) -> str:
        """Return the label of the vertical axis."""
        if self.show == "tau":
            return "Kendall tau distance"
        if self.show == "simple":
            return f"simple {in_prose(kind)} regret"
        return f"share of runs that {goal_met(results.spec.find, in_prose(kind))}"

    def _recommended_kind(self, results: Results) -> str:
        """Return the kind of regret shown. Raises UserError if the runs did not record it, or recommended arms."""
        kind = results.regret_kind(self.regret)
        if self.show == "tau" or (self.show == "table" and results.spec.find == "ranking"):
            results.check_recorded("tau", "the distance of orders")
        results.check_recorded("recommended_right", "recommended arms")
        return kind


class HeatRow(NamedTuple):
    """A row of the table: its title, and the label of its algorithm at each budget."""

    title: str
    series: Mapping[int, str]


class HeatTable(NamedTuple):
    """The cells of a heat table for each budget: shares, and which ones are best, shape (rows, columns).

    The first column is the mean over datasets.
    """

    rows: list[HeatRow]
    columns: list[str]
    budgets: list[int]
    shares: list[Floats]
    best: list[Flags]


def _heat_table(figure: IdentificationFigure, results: Results) -> Figure:
    """Draw a table for each budget of the spec, side by side; the columns are the datasets and their mean.

    Rows are sorted by the mean over all cells, best first. Numbers that are not significantly worse than the best of
    their column are bold; in the column of means they also have a frame.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from duelbench.plots.panels import add_title, legend_below, printable

    kind = figure._recommended_kind(results)
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


def shares_shown(figure: IdentificationFigure, results: Results, kind: str) -> HeatTable:
    """Return the cells of a table, its rows sorted by their mean, the best first."""
    budgets = sorted(results.spec.horizons)
    rows = rows_of(results.spec.algorithms, budgets, figure.algorithms or results.algorithms)
    shares = _shares(results, rows, budgets, kind)
    order = np.argsort(-np.nan_to_num(shares[0]).mean(axis=(0, 2)), kind="stable")
    names = ["mean", *(title for _, title in results.panels)]
    cells, best = [], []
    for right, low, high, error in zip(*(each[:, order] for each in shares), strict=True):
        means, best_means = _means(right, error)
        cells.append(np.column_stack([means, right]))
        best.append(np.column_stack([best_means, _best(right, low, high)]))
    return HeatTable([rows[i] for i in order], names, budgets, cells, best)


def _shades_of(shares: Floats) -> Ints:
    """Return the index into ``SHADES`` of each share."""
    return np.digitize(np.nan_to_num(shares), LIMITS) - 1


def rows_of(algorithms: Sequence[ResolvedAlgorithm], budgets: Sequence[int], shown: Sequence[str]) -> list[HeatRow]:
    """Return the rows in the order of the spec: one per algorithm, or per group that differs only in ``budget``.

    At each budget, a group's row shows the algorithm with that ``budget``.
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
    return [HeatRow(distinct[titles[key][0]], series) for key, series in rows.items()]


def _shares(results: Results, rows: Sequence[HeatRow], budgets: Sequence[int], kind: str) -> tuple[Floats, ...]:
    """Return shares, the ends of their intervals and their standard errors, each of shape (budgets, rows, datasets).

    A share is the share of right runs or, if the goal is the order of all arms, the mean share of pairs in the right
    order; NaN without runs.
    """

    def cell(column: str, budget: int, row: HeatRow, dataset: str) -> float:
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
        return right, right - NORMAL * error, right + NORMAL * error, error
    right = cells("recommended_right")
    return right, cells("right_low"), cells("right_high"), np.sqrt(right * (1 - right) / results.spec.runs)


def _best(right: Floats, low: Floats, high: Floats) -> Flags:
    """Return (rows, datasets) flags of the cells whose interval overlaps that of the best cell of their column."""
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
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.patches import Rectangle

    shades = _shades_of(shown)
    norm = BoundaryNorm(np.arange(len(SHADES) + 1) - 0.5, len(SHADES))
    panel.imshow(shades, cmap=ListedColormap(SHADES), norm=norm, aspect="auto", interpolation="none")
    for (line, column), share in np.ndenumerate(shown):
        text = "–" if math.isnan(share) else f"{100 * share:.0f}"
        colour = "white" if shades[line, column] >= _LIGHT_TEXT_FROM else "black"
        weight = "bold" if best[line, column] else "normal"
        panel.text(
            *(column, line, text), ha="center", va="center_baseline", fontsize=_SMALL - 0.6, color=colour,
            fontweight=weight,
        )  # fmt: skip
        if best[line, column] and column == 0:
            corner = (column - 0.46, line - 0.46)
            frame = Rectangle(corner, 0.92, 0.92, fill=False, edgecolor="black", linewidth=0.9, clip_on=False)
            panel.add_patch(frame)
    panel.axvline(0.5, color="white", linewidth=2)
    panel.tick_params(length=0, labeltop=True, labelbottom=False, pad=1.5)
    for spine in panel.spines.values():
        spine.set_visible(False)
