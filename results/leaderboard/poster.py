"""The leaderboard as a figure: a grid of algorithms and datasets, darker where the regret is closer to the best.

Numbers are mean regrets. Cells have no colour if the dataset does not meet the assumptions of the algorithm. The figure
is as wide as a page and as high as it needs to be.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from duelbench.plots.drawing import FORMATS, save
from duelbench.plots.panels import printable
from duelbench.plots.style import NOTE_COLOUR, PAGE_WIDTH, styled
from results.leaderboard.board import Board

LIMITS = (1.5, 3, 10, 30, 100, 1000)
"""Upper limits of ``SHADES``, as multiples of the best regret on the dataset; larger multiples have the last shade."""
SHADES = ("#0b2e59", "#1d5c8f", "#3c8fb0", "#7fbfb5", "#c3e0b4", "#f2eeb8", "#fbf9ec")
"""From dark to light, also in greyscale."""
_FRAME = "#e07b00"
"""The colour of the frame of the best cells."""
_LIGHT_TEXT_BEFORE = 3
"""The first shade with black numbers; darker shades have white ones."""
_ABOVE, _HEAD, _HEADING, _ROW, _BELOW = 1.52, 0.2, 0.27, 0.147, 0.92
"""Heights in inches: above the grid, its head, the heading of a group, a row, and below the grid."""
STYLE = {
    "savefig.dpi": 115,
    **dict.fromkeys(("font.size", "legend.fontsize", "legend.title_fontsize"), 7.0),
    "legend.loc": "lower left",
    "legend.handlelength": 1.5,
    "legend.columnspacing": 1.1,
}
_SMALL = 6.2
"""The font size of numbers, in points."""
_MARGIN = 0.012
"""The left margin, as a share of the width."""
_GAP = 0.35
"""Width of the gaps between tables with and without a Condorcet winner, and before the last columns, in columns."""


def save_poster(board: Board, path: Path) -> None:
    """Write the figure in each format; the path has no suffix."""
    with styled(), rc_context(STYLE):
        drawing = poster(board)
        for suffix in FORMATS:
            save(drawing, path.with_suffix(f".{suffix}"), suffix)


def poster(board: Board) -> Figure:
    """Return the figure."""
    groups = [*board.algorithms.groupby("group", observed=True)]
    body = _HEAD + sum(_HEADING + _ROW * len(rows) for _, rows in groups)
    height = _ABOVE + body + _BELOW
    split = [] if board.changing else board.others
    places = {label: place + _GAP * (label in split) for place, label in enumerate(board.tables)}
    right = max(places.values()) + 1 + _GAP
    drawing = Figure(figsize=(PAGE_WIDTH, height))
    panel = drawing.add_axes((0.205, _BELOW / height, 0.785, body / height))
    panel.set(xlim=(0, right + 2.25), ylim=(body, 0))
    panel.set_axis_off()
    _headings(panel, board, places, right)
    top = _HEAD - 0.12
    for group, rows in groups:
        y = (_BELOW + body - top - 0.2) / height
        drawing.text(_MARGIN, y, f"Algorithms that {group}", fontsize=7.2, fontweight="bold", color=SHADES[0])
        top += _HEADING
        for row in rows.itertuples():
            _row(panel, row, board.cells[board.cells.algorithm == row.Index], places, top, right)
            top += _ROW
    _around(drawing, board, height)
    return drawing


def short(value: float) -> str:
    """Return a regret in about four characters: 87, 640, 2.2k, 31k, 5.3M."""
    for factor, suffix in ((1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * factor:
            scaled = value / factor
            return f"{scaled:.1f}{suffix}" if scaled < 9.95 else f"{scaled:.0f}{suffix}"
    return f"{value:.0f}"


def duration(seconds: float) -> str:
    """Return a number of seconds as text with a unit."""
    return f"{1000 * seconds:.0f} ms" if seconds < 0.0995 else f"{seconds:.1f} s"


def _row(panel: Axes, row: Any, cells: pd.DataFrame, places: dict[str, float], top: float, right: float) -> None:
    def write(x: float, text: str, ha: str, **how: Any) -> None:
        panel.text(x, top + _ROW / 2, text, ha=ha, va="center_baseline", **how)

    write(-0.12, row.title, "right")
    for label in [each for each in places if each not in set(cells.dataset)]:
        write(places[label] + 0.5, "·", "center", color=NOTE_COLOUR)
    for cell in cells.itertuples():
        left = places[cell.dataset]
        box = (left + 0.025, top + 0.006), 0.95, _ROW - 0.012
        how: dict[str, Any] = {"color": NOTE_COLOUR, "fontstyle": "italic"}
        if not cell.unmet:
            shade = int(np.searchsorted(LIMITS, cell.times))
            panel.add_patch(Rectangle(*box, facecolor=SHADES[shade], edgecolor="none", linewidth=0))
            how = {"color": "white" if shade < _LIGHT_TEXT_BEFORE else "black"}
        if cell.best:
            panel.add_patch(Rectangle(*box, facecolor="none", edgecolor=_FRAME, linewidth=1.1, zorder=3))
            how["fontweight"] = "bold"
        write(left + 0.5, short(cell.mean), "center", fontsize=_SMALL, **how)
    if row.ranked:
        write(right + 0.5, f"{row.mean_rank:.1f}", "right", fontweight="bold")
    write(right + 0.58, f"on {row.ranked}" if row.ranked else "no rank", "left", fontsize=_SMALL, color=NOTE_COLOUR)
    write(right + 2.1, duration(row.seconds), "right", fontsize=_SMALL)


def _headings(panel: Axes, board: Board, places: dict[str, float], right: float) -> None:
    for label, left in places.items():
        title = board.tables[label] if board.changing else f"{board.tables[label].replace(', K = ', ' (')})"
        panel.text(left + 0.42, 0.04, title, va="bottom", rotation=52, rotation_mode="anchor")
    where = "sequences" if board.changing else "tables"
    for text, place in ((f"mean rank,\non {where}", right + 0.5), ("time of\na run", right + 1.85)):
        panel.text(place, 0.04, text, ha="center", va="bottom", fontweight="bold", linespacing=1.1)
    for text, labels in (("with a Condorcet winner", board.with_winner), ("without", board.others)):
        if not board.changing:
            ends = places[labels[0]] + 0.03, places[labels[-1]] + 0.97
            panel.plot(ends, (0.09, 0.09), color=SHADES[0], linewidth=1.4, clip_on=False, solid_capstyle="butt")
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            panel.text(sum(ends) / 2, 0.23, text, ha="center", color=SHADES[0], fontweight="bold", bbox=box)


def _around(drawing: Figure, board: Board, height: float) -> None:
    """Write the title above the panel, and below it the legend and a note."""

    def write(inches: float, text: str, size: float, room: float, **how: Any) -> None:
        drawing.text(_MARGIN, inches / height, printable(text, room, size), fontsize=size, linespacing=1.15, **how)

    labels = [*(f"up to {limit:,g} ×" for limit in LIMITS), "more"]
    shades = zip(SHADES, labels, strict=True)
    legend = [Patch(facecolor=shade, edgecolor=NOTE_COLOUR, linewidth=0.3, label=label) for shade, label in shades]
    marks = [Patch(facecolor="none", edgecolor=_FRAME, linewidth=1.1, label="the best, or not significantly worse")]
    if board.changing:
        title, regret, where = "Preferences that change", "Dynamic Copeland regret", "sequences of preferences"
        compared = "Regret as a multiple of the best:"
        note = "All algorithms are ranked together: no assumption of constant preferences holds here."
    else:
        title, regret, where = "The dueling bandits’ leaderboard", "Copeland regret", "preference matrices"
        compared = "Regret as a multiple of the best among the algorithms ranked together whose assumptions hold:"
        unmet = "no colour: assumptions not met, not ranked   ·: not played"
        marks.append(Patch(facecolor="none", edgecolor="none", label=unmet))
        note = (
            "Mean rank: over the tables where the assumptions hold. Algorithms that identify a winner with a given "
            "confidence are ranked separately: they stop learning, and if the winner is wrong, every later duel costs "
            "regret."
        )
    subtitle = (
        f"{regret} after {board.horizon:,} duels: means over {board.runs} runs of {len(board.algorithms)} algorithms "
        f"on {len(board.tables)} {where}"
    )
    write(height - 0.1, title, 17, PAGE_WIDTH, va="top", weight="bold", color=SHADES[0])
    write(height - 0.4, subtitle, 8.0, 2.6, va="top")
    for inches, patches, above in ((0.6, legend, compared), (0.33, marks, None)):
        corner = _MARGIN - 0.004, inches / height
        drawing.legend(handles=patches, ncols=len(patches), title=above, bbox_to_anchor=corner, alignment="left")
    write(0.06, note, 7.0, PAGE_WIDTH - 0.7, va="bottom", color=NOTE_COLOUR)
