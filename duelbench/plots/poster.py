"""The leaderboard as one figure: a grid of algorithms and tables, darker where the regret is closer to the best.

Numbers are mean regrets. Cells have no colour if the table does not meet the assumptions of the algorithm. The figure
is as wide as a page and as high as it needs to be. It consists of vector graphics and text, so it can be printed at any
size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from duelbench.analysis.board import Board, Cell, Row, seconds
from duelbench.plots.drawing import FORMATS, save
from duelbench.plots.labels import printable
from duelbench.plots.style import NOTE_COLOUR, PAGE_WIDTH, styled

LIMITS = (1.5, 3, 10, 30, 100, 1000)
"""Upper limits of ``SHADES``, as multiples of the best regret on the table; larger multiples have the last shade."""
SHADES = ("#0b2e59", "#1d5c8f", "#3c8fb0", "#7fbfb5", "#c3e0b4", "#f2eeb8", "#fbf9ec")
"""From dark to light, also in greyscale."""
_FRAME = "#e07b00"
"""The colour of the frame of the best cells."""
_LIGHT_TEXT_BEFORE = 3
"""The first shade with black numbers; darker shades have white ones."""
_ROW, HEADING = 0.147, 0.27
"""Heights of a line and of the heading of a group, in inches."""
_LABELS, NUMBERS, HEADINGS = 7.0, 6.2, 7.2
"""Font sizes in points."""
_DPI: dict[str, Any] = {"savefig.dpi": 115}
_HEAD = 0.2
"""Height of the line that tells which tables have a Condorcet winner, in inches."""
_MARGIN = 0.012
"""The left margin, as a share of the width."""
_GAP = 0.35
"""Width of the gaps between tables with and without a Condorcet winner, and before the last columns, in columns."""


def poster(board: Board) -> Figure:
    """Return the figure of the board."""
    with styled(_DPI):
        groups = [(name, [row for row in board.rows if row.group == place]) for place, name in enumerate(board.groups)]
        groups = [(name, rows) for name, rows in groups if rows]
        body = _HEAD + sum(HEADING + _ROW * len(rows) for _, rows in groups)
        above, below = 1.52, 0.92
        height = above + body + below
        drawing = Figure(figsize=(PAGE_WIDTH, height))
        panel = drawing.add_axes((0.205, below / height, 0.785, body / height))
        places = _columns(board)
        right = max(places.values()) + 1 + _GAP if places else 1.0
        panel.set_xlim(0, right + 2.25)
        panel.set_ylim(body, 0)
        panel.set_axis_off()
        _headings(panel, board, places, right)
        top = _HEAD - 0.12
        for name, rows in groups:
            panel.text(
                -0.1, top + HEADING - 0.07, f"Algorithms that {name}", ha="left", va="baseline",
                fontsize=HEADINGS, fontweight="bold", color=SHADES[0], clip_on=False,
            ).set_x(-0.1 - _left(panel, drawing))  # fmt: skip
            top += HEADING
            for row in rows:
                _line(panel, row, places, top, right)
                top += _ROW
        _around(drawing, board, height)
    return drawing


def save_poster(board: Board, directory: Path, name: str = "leaderboard") -> list[Path]:
    """Write the figure into a directory in each of ``FORMATS``, and return the files."""
    with styled(_DPI):
        drawing = poster(board)
        return [save(drawing, directory / f"{name}.{suffix}", suffix) for suffix in FORMATS]


def short(value: float) -> str:
    """Return a regret in about four characters: 87, 640, 2.2k, 31k, 5.3M."""
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * factor:
            scaled = value / factor
            return f"{scaled:.1f}{suffix}" if scaled < 9.95 else f"{scaled:.0f}{suffix}"
    return f"{value:.0f}"


def shade(times: float) -> int:
    """Return the index into ``SHADES`` for a multiple of the best regret."""
    return int(np.searchsorted(LIMITS, times))


def _columns(board: Board) -> dict[str, float]:
    """Return the left edges of the columns of tables."""
    return {
        label: place + (0.0 if board.changing or label in board.with_winner else _GAP)
        for place, label in enumerate(board.tables)
    }


def _left(panel: Axes, drawing: Figure) -> float:
    """Return the width of the figure to the left of the panel, without the margin, in columns."""
    box = panel.get_position()
    low, high = map(float, panel.get_xlim())
    return float(box.x0 - 0.012) / box.width * (high - low) - 0.1


def _line(panel: Axes, row: Row, places: dict[str, float], top: float, right: float) -> None:
    middle = top + _ROW / 2
    panel.text(-0.12, middle, row.title, ha="right", va="center_baseline", fontsize=_LABELS, parse_math=True)
    for label, left in places.items():
        cell = row.cells.get(label)
        if cell is None:
            panel.text(left + 0.5, middle, "·", ha="center", va="center_baseline", fontsize=_LABELS, color=NOTE_COLOUR)
        else:
            _cell(panel, cell, left, top)
    if row.ranked:
        panel.text(
            right + 0.5, middle, f"{row.mean_rank:.1f}", ha="right", va="center_baseline", fontsize=_LABELS,
            fontweight="bold",
        )  # fmt: skip
    over = f"on {len(row.ranked)}" if row.ranked else "no rank"
    panel.text(right + 0.58, middle, over, ha="left", va="center_baseline", fontsize=NUMBERS, color=NOTE_COLOUR)
    panel.text(right + 2.1, middle, seconds(row.seconds), ha="right", va="center_baseline", fontsize=NUMBERS)


def _cell(panel: Axes, cell: Cell, left: float, top: float) -> None:
    colour = shade(cell.times)
    box = (left + 0.025, top + 0.006), 0.95, _ROW - 0.012
    if cell.unmet:
        text = NOTE_COLOUR
    else:
        panel.add_patch(Rectangle(*box, facecolor=SHADES[colour], edgecolor="none", linewidth=0))
        text = "white" if colour < _LIGHT_TEXT_BEFORE else "black"
    panel.text(
        left + 0.5, top + _ROW / 2, short(cell.mean), ha="center", va="center_baseline", fontsize=NUMBERS, color=text,
        fontweight="bold" if cell.best else "normal", fontstyle="italic" if cell.unmet else "normal",
    )  # fmt: skip
    if cell.best:
        panel.add_patch(Rectangle(*box, facecolor="none", edgecolor=_FRAME, linewidth=1.1, zorder=3))


def _headings(panel: Axes, board: Board, places: dict[str, float], right: float) -> None:
    over = 0.04
    for label, left in places.items():
        title, _, arms = board.tables[label].rpartition(", K = ")
        title = f"{title} ({arms})" if title else board.tables[label]
        panel.text(
            left + 0.42, over, title, ha="left", va="bottom", rotation=52, rotation_mode="anchor", fontsize=_LABELS
        )
    where = "sequences" if board.changing else "tables"
    for text, place in ((f"mean rank,\non {where}", right + 0.5), ("time of\na run", right + 1.85)):
        panel.text(place, over, text, ha="center", va="bottom", fontsize=_LABELS, fontweight="bold", linespacing=1.1)
    for text, labels in (("with a Condorcet winner", board.with_winner), ("without", set(places) - board.with_winner)):
        if labels and not board.changing:
            ends = min(places[label] for label in labels) + 0.03, max(places[label] for label in labels) + 0.97
            panel.plot(ends, (0.09, 0.09), color=SHADES[0], linewidth=1.4, clip_on=False, solid_capstyle="butt")
            panel.text(
                sum(ends) / 2, 0.23, text, ha="center", va="baseline", fontsize=_LABELS, color=SHADES[0],
                fontweight="bold", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, clip_on=False,
            )  # fmt: skip


def _around(drawing: Figure, board: Board, height: float) -> None:
    """Write the title above the panel, and below it the legend of colours, hatches and numbers."""

    def write(inches: float, text: str, size: float, room: float, **how: Any) -> None:
        drawing.text(_MARGIN, inches / height, printable(text, room, size), fontsize=size, linespacing=1.15, **how)

    def explain(inches: float, patches: list[Patch], title: str | None = None) -> None:
        drawing.legend(
            handles=patches, ncols=len(patches), loc="lower left", bbox_to_anchor=(_MARGIN - 0.004, inches / height),
            fontsize=_LABELS, title=title, title_fontsize=_LABELS, alignment="left", handlelength=1.5,
            columnspacing=1.1,
        )  # fmt: skip

    title = "Preferences that change" if board.changing else "The dueling bandits’ leaderboard"
    write(height - 0.1, title, 17, PAGE_WIDTH, va="top", weight="bold", color=SHADES[0])
    regret, where = (
        ("Dynamic Copeland regret", "sequences of preferences")
        if board.changing
        else ("Copeland regret", "preference matrices")
    )
    subtitle = (
        f"{regret} after {board.horizon:,} duels: means over {board.runs} runs "
        f"of {len(board.rows)} algorithms on {len(board.tables)} {where}"
    )
    write(height - 0.4, subtitle, 8.0, 2.6, va="top")
    labels = [*(f"up to {limit:,g} ×" for limit in LIMITS), "more"]
    shades = zip(SHADES, labels, strict=True)
    best = Patch(facecolor="none", edgecolor=_FRAME, linewidth=1.1, label="the best, or not significantly worse")
    patches = [Patch(facecolor=each, edgecolor=NOTE_COLOUR, linewidth=0.3, label=label) for each, label in shades]
    text = "no colour: assumptions not met, not ranked   ·: not played"
    unmet = Patch(facecolor="none", edgecolor="none", label=text)
    if board.changing:
        compared, marks = "Regret as a multiple of the best:", [best]
        note = "All algorithms are ranked together: no assumption of constant preferences holds here."
    else:
        compared = "Regret as a multiple of the best among the algorithms ranked together whose assumptions hold:"
        marks = [best, unmet]
        note = (
            "Mean rank: over the tables where the assumptions hold. Algorithms that identify a winner with a given "
            "confidence are ranked separately: they stop learning, and if the winner is wrong, every later duel costs "
            "regret."
        )
    explain(0.6, patches, compared)
    explain(0.33, marks)
    write(0.06, note, _LABELS, PAGE_WIDTH - 0.7, va="bottom", color=NOTE_COLOUR)
