"""A critical-difference diagram: mean ranks over datasets; bars join algorithms without significant difference.

Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7, 2006,
Fig. 1.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from duelbench.errors import UserError
from duelbench.plots.assumptions import titles_of, with_sign
from duelbench.plots.labels import in_prose, printable, text_width
from duelbench.plots.panels import LINE_SPACING, add_title, legend_below, runs_shown
from duelbench.plots.style import COLUMN_WIDTH, FONT_SIZE, NOTE_COLOUR, PAGE_WIDTH
from duelbench.ranks import LEVEL, Ranks, mean_ranks, p_said
from duelbench.results.results import Results
from duelbench.spec.figure_options import RanksFigure

_LINE = 0.15
"""Distance between names, in inches."""
_JOIN = 0.07
"""Distance between the bars that join algorithms, in inches."""
_ABOVE = 0.3
"""Heights of the numbers above the axis and of the critical difference, each, in inches."""
_NAMES = 0.3
"""Maximum width of the names at each side, as a share of the figure's width."""
_TICK = 0.05


class Ranked(NamedTuple):
    """The ranks of the algorithms with these titles, their description, and a note on algorithms that are left out."""

    ranks: Ranks
    titles: list[str]
    of: str
    missing: str


def ranks_figure(figure: RanksFigure, results: Results) -> Figure:
    """Draw the axis, with the best algorithm at the left, and the names below it. Raises as ``_ranked``."""
    shown = _ranked(figure, results)
    drawing = _drawn(figure, shown.ranks, shown.titles)
    caption = with_sign(f"{shown.of}; {_result(shown.ranks)}{shown.missing}", shown.titles)
    add_title(drawing, figure.title)
    legend_below(drawing, [], figure.captioned(caption) if figure.xlabel is None else figure.xlabel)
    if figure.height is not None:
        drawing.set_figheight(figure.height)
    return drawing


def _ranked(figure: RanksFigure, results: Results) -> Ranked:
    """Return the mean ranks of the algorithms that have results on all datasets of the figure.

    Raises UserError if these are fewer than two algorithms, or there are fewer than two datasets, or the results do not
    have the regret or the round.
    """
    kind, at = results.regret_kind(figure.regret), results.round_shown(figure.at)
    asked, panels = results.shown_algorithms(figure), results.shown_panels(figure)
    cells = [[results.value("mean", dataset, label, kind, at) for label in asked] for dataset, _ in panels]
    values = np.array([[math.nan if cell is None else cell for cell in line] for line in cells])
    there = ~np.isnan(values).any(axis=0)
    if len(panels) < 2 or there.sum() < 2:
        raise UserError(
            "a figure of ranks needs two algorithms with results on the same two datasets: remove it, or change its "
            "`datasets` and `algorithms`",
            source=str(results.directory),
        )
    titles = titles_of(asked, figure, results)
    missing = [title for title, known in zip(titles, there, strict=True) if not known]
    runs = {int(results.value("runs", dataset, label, kind, at) or 0) for dataset, _ in panels for label in asked}
    grids = results.grids
    ranks = mean_ranks(values[:, there], [grids[dataset] for dataset, _ in panels])
    over = f"{ranks.datasets} dataset{'' if ranks.datasets == 1 else 's'}"
    return Ranked(
        ranks,
        [title for title, known in zip(titles, there, strict=True) if known],
        f"mean rank over {over} by {in_prose(kind)} regret at {results.at(at)}, {runs_shown('', runs)}",
        f". Without results on all of them: {', '.join(missing)}" if missing else "",
    )


def _result(ranks: Ranks) -> str:
    """Return the result of the tests, and how the figure shows it."""
    if not ranks.enough:
        return "too few datasets for a test"
    if not ranks.differ:
        return f"no significant differences (Friedman, {p_said(ranks.p)})"
    how = "bars join algorithms that do not differ significantly"
    return f"{how} at {100 * LEVEL:g} % (Nemenyi; Friedman {p_said(ranks.p)})"


def _drawn(figure: RanksFigure, ranks: Ranks, titles: Sequence[str]) -> Figure:
    """Return the figure; its coordinates are inches from the upper left corner."""
    count = len(titles)
    width = figure.width or {"column": COLUMN_WIDTH, "page": PAGE_WIDTH, None: COLUMN_WIDTH}[figure.size]
    order = np.argsort(ranks.mean, kind="stable")
    names = [printable(f"{titles[place]} ({ranks.mean[place]:.1f})", _NAMES * width) for place in order]
    side = 0.1 + max(text_width(line, FONT_SIZE) for name in names for line in name.split("\n"))
    joined = ranks.alike() if ranks.enough else []
    top = 2 * _ABOVE + _TICK if ranks.enough and ranks.differ else _ABOVE
    first = top + 0.08 + _JOIN * (len(joined) + 1)
    left = [*range(math.ceil(count / 2))]
    right = [*range(count - 1, math.ceil(count / 2) - 1, -1)]
    lows = {place: low for half in (left, right) for place, low in zip(half, _lows(names, half, first), strict=True)}
    height = max(lows.values()) + _LINE
    drawing = Figure(figsize=(width, height), layout="constrained")
    panel = drawing.add_subplot()
    panel.set(xlim=(0, width), ylim=(height, 0))
    panel.set_axis_off()

    def x(rank: float) -> float:
        return side + (rank - 1) / (count - 1) * (width - 2 * side)

    _axis(panel, [x(rank) for rank in range(1, count + 1)], top)
    if ranks.enough and ranks.differ:
        _critical(panel, x(1), x(1 + min(ranks.critical, count - 1)), ranks, count)
    for place, low in lows.items():
        at, is_left = x(ranks.mean[order[place]]), place in left
        end = side - 0.04 if is_left else width - side + 0.04
        panel.plot([at, at, end], [top, low, low], color="black", linewidth=0.6, solid_joinstyle="miter")
        panel.text(
            *(end + (-0.04 if is_left else 0.04), low, names[place]), ha="right" if is_left else "left", va="center",
            linespacing=LINE_SPACING,
        )  # fmt: skip
    for level, (best, worst) in enumerate(joined):
        ends = [x(ranks.mean[order[best]]) - 0.03, x(ranks.mean[order[worst]]) + 0.03]
        panel.plot(ends, [top + 0.08 + _JOIN * level] * 2, color="black", linewidth=2.4, solid_capstyle="butt")
    return drawing


def _lows(names: Sequence[str], half: Sequence[int], first: float) -> list[float]:
    """Return the vertical position of each name of one side, from top to bottom."""
    lows, low = [], first
    for place in half:
        lines = 1 + names[place].count("\n")
        lows.append(low + _LINE * lines / 2)
        low += _LINE * lines
    return lows


def _axis(panel: Axes, places: Sequence[float], top: float) -> None:
    panel.plot([places[0], places[-1]], [top, top], color="black", linewidth=0.6)
    apart = max(1, math.ceil(0.2 * (len(places) - 1) / (places[-1] - places[0])))
    for rank, place in enumerate(places, start=1):
        numbered = (rank - 1) % apart == 0
        panel.plot([place, place], [top - _TICK * (1 if numbered else 0.5), top], color="black", linewidth=0.6)
        if numbered:
            panel.text(place, top - _TICK - 0.02, f"{rank}", ha="center", va="bottom")


def _critical(panel: Axes, low: float, high: float, ranks: Ranks, count: int) -> None:
    """Draw the critical difference above the axis, at most as long as the axis."""
    y = _ABOVE - 0.02
    panel.plot([low, high], [y, y], color=NOTE_COLOUR, linewidth=1.0)
    for end in (low, high) if ranks.critical <= count - 1 else (low,):
        panel.plot([end, end], [y - _TICK, y + _TICK], color=NOTE_COLOUR, linewidth=1.0)
    panel.text(
        *((low + high) / 2, y - _TICK - 0.02, f"critical difference {ranks.critical:.2f}"), ha="center", va="bottom",
        color=NOTE_COLOUR,
    )  # fmt: skip
