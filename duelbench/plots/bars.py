"""Panels of horizontal bars, one for each algorithm, and the figure of the standard deviation of regret.

The standard deviation is a measure of risk, as in the D-TS paper (Wu and Liu 2016).
"""

import math
from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from duelbench.errors import UserError, did_you_mean
from duelbench.plots.assumptions import titles_of, with_sign
from duelbench.plots.labels import in_prose, printable, text_width
from duelbench.plots.panels import (
    LINE_SPACING,
    Grid,
    add_shared_label,
    add_title,
    linear_ticks,
    panel_grid,
    runs_shown,
)
from duelbench.plots.style import BAR_COLOUR, FONT_SIZE
from duelbench.results.results import Results
from duelbench.spec.figure_options import AnyFigure, StdFigure
from duelbench.spec.titles import round_number

_LINE = 0.125
"""Height of a line of text, in inches."""
_GAP = 0.055
"""Gap between bars, in inches."""
_FRAME = 0.5
"""Height of the title, the ticks and their labels, in inches."""
_LABEL_WIDTH = 1.6
"""Maximum width of names, in inches, unless the figure is narrower than a column."""


class Bar(NamedTuple):
    """The length of a bar, the text at its end, and the interval of the length (NaN: unknown)."""

    length: float
    text: str
    low: float = nan
    high: float = nan


class BarPanels(NamedTuple):
    """The names of the bars; (title, bars) of each panel, in that order; the label of the axes, and the caption."""

    names: list[str]
    panels: list[tuple[str, list[Bar]]]
    horizontal: str
    caption: str


def _bar_grid(figure: AnyFigure, panels: Sequence[str], bars: Sequence[str]) -> Grid:
    """Return a titled panel for each of the ``panels``, with room for the names of the bars at the left."""
    grid = panel_grid(figure, panels, 1.0)
    names = [printable(bar, min(_LABEL_WIDTH, 0.4 * grid.drawing.get_figwidth())) for bar in bars]
    pitch = _GAP + _LINE * max((1 + name.count("\n") for name in names), default=1)
    # The panels share the width that the names leave.
    beside = max((text_width(line, FONT_SIZE) for name in names for line in name.split("\n")), default=0)
    free = (grid.drawing.get_figwidth() - beside) / len(grid.lowest) - 0.3
    for panel, title in zip(grid.panels, panels, strict=True):
        panel.set_title(printable(title, max(0.8, free)), linespacing=LINE_SPACING)
    rows = len(grid.panels) // len(grid.lowest) + (len(grid.panels) % len(grid.lowest) > 0)
    grid.drawing.set_figheight(rows * (_FRAME + pitch * len(bars)))
    for panel in grid.panels:
        panel.set_yticks(range(len(bars)), names if panel in grid.left else [""] * len(bars))
        panel.set_ylim(len(bars) - 0.5, -0.5)
        for name in panel.get_yticklabels():
            name.set_linespacing(1.0)
        panel.tick_params(axis="y", length=0)
    return grid


def bars_figure(figure: AnyFigure, shown: BarPanels) -> Figure:
    """Draw panels of bars, with one label below all of them."""
    grid = _bar_grid(figure, [title for title, _ in shown.panels], shown.names)
    for panel, (_, bars) in zip(grid.panels, shown.panels, strict=True):
        lengths, low, high = np.array([(bar.length, bar.low, bar.high) for bar in bars]).T
        spread = np.nan_to_num(np.array([lengths - low, high - lengths])).clip(min=0)  # older results: rounding
        drawn = panel.barh(
            range(len(bars)), lengths, height=0.66, color=BAR_COLOUR, xerr=spread.tolist() if spread.any() else None,
            error_kw={"linewidth": 0.8},
        )  # fmt: skip
        panel.bar_label(drawn, [bar.text for bar in bars], padding=2.5)
        # Room for the number at the end of the longest bar.
        panel.set_xlim(0, 1.3 * max(*lengths, *np.nan_to_num(high)) or 1.0)
        linear_ticks(panel.xaxis, 4)
        panel.grid(True, axis="x")
    for panel in grid.left:
        panel.set_ylabel(printable(figure.ylabel or "", grid.drawing.get_figheight()), linespacing=LINE_SPACING)
    caption = with_sign(shown.caption, shown.names)
    label, caption = (shown.horizontal, caption) if figure.xlabel is None else (figure.xlabel, "")
    if text := ", ".join(filter(None, (label, figure.captioned(caption)))):
        add_shared_label(grid.drawing, text)
    add_title(grid.drawing, figure.title)
    if figure.height is not None:
        grid.drawing.set_figheight(figure.height)
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
    said = "± standard error" if max(runs) > 1 else ""
    horizontal = f"standard deviation of {in_prose(kind)} regret at $t$ = {round_number(at)}{unit}"
    return BarPanels(titles_of(shown, figure, results), panels, horizontal, runs_shown(said, runs))


def _bar(results: Results, dataset: str, label: str, kind: str, at: int, base: str | None) -> Bar:
    """Return a bar with its value as text, and its standard error, or with the reason that it has none.

    The standard error of a standard deviation s follows from the kurtosis κ of the runs: s √((κ − 1) / n) / 2 to the
    first order in 1/n.
    """
    std = results.value("std", dataset, label, kind, at)
    if std is None:
        return Bar(0.0, "no results")
    if math.isnan(std):
        return Bar(0.0, "1 run")
    kurtosis, runs = (results.value(name, dataset, label, kind, at) or math.nan for name in ("kurtosis", "runs"))
    error = std * math.sqrt(max(kurtosis - 1, 0) / runs) / 2
    if base is None:
        return Bar(std, f"{std:.0f}" if std >= 100 else f"{std:.3g}", std - error, std + error)
    mean = results.value("mean", dataset, base, kind, at)
    if not mean:
        name = results.titles[base]
        return Bar(0.0, f"no results of {name}" if mean is None else f"{name} has no regret")
    low, percent, high = (100 * each / mean for each in (std - error, std, std + error))
    return Bar(percent, f"{percent:.1f}", low, high)
