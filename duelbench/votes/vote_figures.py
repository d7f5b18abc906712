"""Draw figures of votes: a ranking with rank intervals, and the progress of a session."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from duelbench.errors import UserError, did_you_mean
from duelbench.plots.drawing import FORMATS, save
from duelbench.plots.panels import linear_ticks
from duelbench.plots.style import BAR_COLOUR, COLUMN_WIDTH, LINE_SPACING, NOTE_COLOUR, PAGE_WIDTH, line_style, styled
from duelbench.votes.ranking import Ranking
from duelbench.votes.sessions.standings import ProgressCurves, Standings

_RANKED = 70
"""The largest number of arms in the figure; we draw the best."""
_WIDE = 20
"""With more arms than this, the figure is as wide as a page."""
_LONGEST = 30
"""The largest number of characters of a name; of a longer name we show the beginning and the end."""
_RANK_LINE, _RANK_FRAME = 0.165, 0.75
"""Heights in inches: of one arm, and of everything around the panel."""
_BAND = "#eef2f7"
"""The background colour of every second tier."""


def draw(path: Path, figure: Callable[..., Figure], *content: Any) -> None:
    """Draw and save a figure. Raises UserError if the suffix is not a format, or the file cannot be written."""
    suffix = format_of(path)
    with styled():
        drawing = figure(*content)
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
        save(drawing, path, suffix)


def format_of(path: Path) -> str:
    """Return the format of a figure's file. Raises UserError if its suffix is not a format."""
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in FORMATS:
        raise UserError(
            f"{path.name!r} does not say which kind of figure it is{did_you_mean(suffix, FORMATS)}: "
            f"let it end in {', '.join('.' + each for each in FORMATS)}"
        )
    return suffix


def rank_figure(found: Ranking) -> Figure:
    """Draw a ranking, best arm first."""
    arms = found.order[:_RANKED]
    width = PAGE_WIDTH if found.arms > _WIDE else COLUMN_WIDTH
    drawing = Figure(figsize=(width, _RANK_FRAME + _RANK_LINE * max(len(arms), 3)), layout="constrained")
    panel = drawing.add_subplot()
    for place, end in enumerate(np.cumsum([len(tier) for tier in found.tiers]).tolist()):
        begin = end - len(found.tiers[place])
        if place % 2 and begin < len(arms):
            panel.axhspan(begin + 0.5, min(end, len(arms)) + 0.5, color=_BAND, linewidth=0, zorder=0)
    places = np.arange(1, len(arms) + 1)
    best, worst = found.ranks[arms].T
    panel.hlines(places, best - 0.25, worst + 0.25, color=BAR_COLOUR, linewidth=2.4)
    panel.plot(places, places, "o", color="black", markersize=3.2, linestyle="none", zorder=3)
    panel.set_yticks(places, [_short(found.names[arm]) for arm in arms], parse_math=False)
    panel.set_ylim(len(arms) + 0.6, 0.4)
    panel.set_xlim(0.4, float(worst.max()) + 0.6)
    panel.tick_params(axis="y", length=0)
    panel.grid(True, axis="x")
    linear_ticks(panel.xaxis, min(8, max(2, int(worst.max()) - 1)))
    kind = "jointly" if found.intervals == "simultaneous" else "each"
    panel.set_xlabel(f"rank, {100 * found.level:.4g} % intervals ({kind})")
    if len(arms) < found.arms:
        panel.set_title(f"the best {len(arms)} of {found.arms:,} arms", color=NOTE_COLOUR)
    return drawing


def _short(name: str) -> str:
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[: half - 1]}…{name[-half:]}"


LEADING = 6
"""The largest number of arms with their own curve and colour."""
SHOWN = 30
"""The largest number of arms whose standing is drawn; we draw the best."""
# Heights in inches: a line of text, the frame of a panel, the smallest figure, and the largest panel of curves.
_LINE, _FRAME, _LOWEST, _TALLEST = 0.125, 0.7, 2.3, 2.8


def session_figure(found: Standings, progress: ProgressCurves, until: float | None = None) -> Figure:
    """Draw the leading arms' probabilities of being best (left), and the arms' Borda scores (right).

    ``until`` is the probability at which the session may stop.
    """
    shown = found.arms[:SHOWN]
    rest = len(found.arms) - len(shown)
    height = max(_LOWEST, _FRAME + _LINE * 1.35 * len(shown))
    drawing = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
    # The curves need not be as high as a long list of names.
    cut = [_TALLEST, height - _TALLEST] if height > 1.3 * _TALLEST else [1]
    grid = drawing.add_gridspec(len(cut), 2, width_ratios=[1.15, 1], height_ratios=cut)
    left, right = drawing.add_subplot(grid[0, 0]), drawing.add_subplot(grid[:, 1])

    chances = progress.chances
    leading = [row.arm for row in found.arms if chances[:, row.arm].max() > 0][:LEADING]
    if found.leader not in leading:  # we always draw the recommended arm
        leading = [*leading[: LEADING - 1], found.leader]
    styles = {arm: line_style(place) for place, arm in enumerate(leading)}
    every = max(1, len(progress.votes) // 8)
    for place, (arm, style) in enumerate(styles.items()):
        left.plot(progress.votes, chances[:, arm], markevery=(place % every, every), clip_on=False, **style)
    if until is not None:
        left.axhline(until, color=NOTE_COLOUR, linewidth=0.8, linestyle=(0, (5, 2.5)))
        left.annotate(
            f"{until:.3g}",
            (0, until),
            xycoords=("axes fraction", "data"),
            xytext=(2, 1.5),
            textcoords="offset points",
            color=NOTE_COLOUR,
            va="bottom",
        )
    first, last = progress.votes[0], max(progress.votes[-1], progress.votes[0] + 1)
    left.set(ylim=(0, 1.02), xlim=(first, last))
    left.set_xlabel("votes")
    left.set_ylabel("probability")
    left.set_title(f"which arm {found.best_does} (colours as at the right)")
    linear_ticks(left.xaxis, int(min(5, last - first)))
    left.grid(True)

    for y, row in enumerate(shown):
        style = styles.get(row.arm, {"color": NOTE_COLOUR, "marker": "o", "markeredgecolor": "white"})
        right.plot([row.borda.low, row.borda.high], [y, y], color=style["color"], linewidth=1.0)
        right.plot([row.borda.value], [y], color=style["color"], marker=style["marker"], markeredgecolor="white")
    right.axvline(0.5, color=NOTE_COLOUR, linewidth=0.6, zorder=0)
    right.set_yticks(range(len(shown)), [_short(row.name) for row in shown], parse_math=False)
    right.set_ylim(len(shown) - 0.35, -0.65)
    right.tick_params(axis="y", length=0)
    right.grid(True, axis="x")
    linear_ticks(right.xaxis, 4)
    right.set_xlabel("probability to be preferred\nto another arm, 95 % intervals")
    said = [f"{found.votes:,.6g} vote{'' if found.votes == 1 else 's'}"]
    said += [] if found.recommended is None else ["recommended arm in bold"]
    said += [f"{rest} more arms not shown"] if rest else []
    right.set_title("\n".join(textwrap.wrap("; ".join(said), 44)), linespacing=LINE_SPACING)
    for label, row in zip(right.get_yticklabels(), shown, strict=True):
        if row.arm == found.recommended:
            label.set_fontweight("bold")
    return drawing
