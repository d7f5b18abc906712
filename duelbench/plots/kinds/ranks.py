"""A critical-difference diagram: mean ranks over datasets; bars join algorithms without significant difference.

Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7, 2006,
Fig. 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from duelbench.errors import UserError
from duelbench.plots.content import in_prose, runs_at, runs_shown, titles_of, values_at, with_sign
from duelbench.plots.style import COLUMN_WIDTH, FONT_SIZE, LINE_SPACING, NOTE_COLOUR, PAGE_WIDTH
from duelbench.spec.figures import RoundFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from duelbench.ranks import Ranks
    from duelbench.results.results import Results

_LINE = 0.15
"""Distance between names, in inches."""
_JOIN = 0.07
"""Distance between the bars that join algorithms, in inches."""
_ABOVE = 0.3
"""Heights of the numbers above the axis and of the critical difference, each, in inches."""
_NAMES = 0.3
"""Maximum width of the names at each side, as a share of the figure's width."""
_TICK = 0.05


class RanksFigure(RoundFigure):
    """Mean ranks over datasets on one axis; bars join algorithms without significant difference."""

    kind: Literal["ranks"] = Field(description="Mean ranks over datasets, with Nemenyi's critical difference.")

    def draw(self, results: Results) -> Figure:
        """Return the figure of the algorithms that have results on all of its datasets, the best at the left.

        Raises UserError if there are fewer than two such algorithms or fewer than two datasets, or the results lack the
        regret or the round.
        """
        from duelbench.plots.panels import add_title, legend_below
        from duelbench.ranks import mean_ranks

        kind, at = results.regret_kind(self.regret), results.round_shown(self.at)
        values = values_at(self, results, "mean", kind, at)
        there = ~np.isnan(values).any(axis=0)
        if len(values) < 2 or there.sum() < 2:
            raise UserError(
                "a figure of ranks needs two algorithms with results on the same two datasets: remove it, or change "
                "its `datasets` and `algorithms`",
                source=str(results.directory),
            )
        titles = np.array(titles_of(self, results))
        ranked, others = titles[there].tolist(), titles[~there].tolist()
        ranks = mean_ranks(values[:, there], [results.grids[dataset] for dataset, _ in results.shown_panels(self)])
        over = f"{ranks.datasets} dataset{'' if ranks.datasets == 1 else 's'}"
        by = f"{in_prose(kind)} regret at {results.at(at)}, {runs_shown('', runs_at(self, results, kind, at))}"
        missing = f". Without results on all of them: {', '.join(others)}" if others else ""
        caption = with_sign(f"mean rank over {over} by {by}; {_result(ranks)}{missing}", ranked)
        drawing = _drawn(self, ranks, ranked)
        add_title(drawing, self.title)
        legend_below(drawing, [], self.captioned(caption) if self.xlabel is None else self.xlabel)
        if self.height is not None:
            drawing.set_figheight(self.height)
        return drawing


def _result(ranks: Ranks) -> str:
    """Return a sentence with the result of the tests and how the figure shows it."""
    from duelbench.ranks import LEVEL, p_said

    if not ranks.enough:
        return "too few datasets for a test"
    if not ranks.differ:
        return f"no significant differences (Friedman, {p_said(ranks.p)})"
    how = "bars join algorithms that do not differ significantly"
    return f"{how} at {100 * LEVEL:g} % (Nemenyi; Friedman {p_said(ranks.p)})"


def _drawn(figure: RanksFigure, ranks: Ranks, titles: Sequence[str]) -> Figure:
    """Return the figure; its coordinates are inches from the upper left corner."""
    from matplotlib.figure import Figure

    from duelbench.plots.panels import printable, text_width

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
    """Return the vertical positions of the names on one side, from top to bottom."""
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
