"""Figures of the standard deviation of regret, a measure of risk, as in the D-TS paper (Wu and Liu 2016)."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from duelbench.errors import UserError, did_you_mean
from duelbench.plots.bars import Bar, BarPanels, bar_grid, finish_bars
from duelbench.plots.layout import linear_ticks, runs_shown
from duelbench.plots.style import BAR_COLOUR
from duelbench.plots.text import in_prose
from duelbench.results.reader import Results
from duelbench.spec.figure_options import StdFigure
from duelbench.spec.titles import round_number


def std_figure(figure: StdFigure, results: Results) -> Figure:
    """Draw the bars of ``std_bars``: one panel per dataset, one bar per algorithm."""
    shown = std_bars(figure, results)
    grid = bar_grid(figure, [title for title, _ in shown.panels], shown.names)
    for panel, (_, bars) in zip(grid.panels, shown.panels, strict=True):
        _draw_bars(panel, bars)
    finish_bars(grid, figure, shown.horizontal)
    return grid.drawing


def std_bars(figure: StdFigure, results: Results) -> BarPanels:
    """Return one bar per algorithm and dataset; the text of a bar without a value says why.

    Raises UserError when nothing was recorded at ``at``, ``normalize_by`` is not an algorithm of the spec, or the runs
    did not record this kind of regret.
    """
    kind = results.regret_kind(figure.regret)
    at = results.round_shown(figure.at)
    base = figure.normalize_by
    if base is not None and base not in results.algorithms:
        raise UserError(
            f"a figure divides by the mean regret of {base!r}, which is not the label of an algorithm"
            f"{did_you_mean(base, results.algorithms)}: correct its `normalize_by`",
            source=str(results.directory),
        )

    shown, datasets = results.shown_algorithms(figure), results.shown_panels(figure)
    panels = [
        (title, [_bar(results, dataset, label, kind, at, base) for label in shown]) for dataset, title in datasets
    ]
    unit = f" (% of the mean regret of {results.titles[base]})" if base else ""
    runs = {int(results.value("runs", each, label, kind, at) or 0) for each, _ in datasets for label in shown}
    horizontal = (
        f"standard deviation of {in_prose(kind)} regret at $t$ = {round_number(at)}{unit}, {runs_shown('', runs)}"
    )
    return BarPanels([results.titles[label] for label in shown], panels, horizontal)


def _bar(results: Results, dataset: str, label: str, kind: str, at: int, base: str | None) -> Bar:
    """Return a bar with its value as text, or with the reason that it has none."""
    std = results.value("std", dataset, label, kind, at)
    if std is None:
        return Bar(0.0, "no results")
    if math.isnan(std):
        return Bar(0.0, "1 run")
    if base is None:
        return Bar(std, f"{std:.0f}" if std >= 100 else f"{std:.3g}")
    mean = results.value("mean", dataset, base, kind, at)
    if not mean:
        name = results.titles[base]
        return Bar(0.0, f"no results of {name}" if mean is None else f"{name} has no regret")
    return Bar(100 * std / mean, f"{100 * std / mean:.1f}")


def _draw_bars(panel: Axes, bars: list[Bar]) -> None:
    lengths = [bar.length for bar in bars]
    drawn = panel.barh(range(len(bars)), lengths, height=0.66, color=BAR_COLOUR)
    panel.bar_label(drawn, [bar.text for bar in bars], padding=2.5)
    # Room for the number at the end of the longest bar.
    panel.set_xlim(0, 1.25 * max(lengths) or 1.0)
    linear_ticks(panel.xaxis, 4)
    panel.grid(True, axis="x")
