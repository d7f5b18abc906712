"""A ranking as a figure: the interval of the rank of each arm, tier by tier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from duelbench.plots.drawing import save
from duelbench.plots.panels import linear_ticks
from duelbench.plots.style import BAR_COLOUR, COLUMN_WIDTH, NOTE_COLOUR, PAGE_WIDTH, styled
from duelbench.votes.ranking.ranking import Ranking

SHOWN = 70
"""Arms that are drawn, the best."""
WIDE = 20
"""With more arms than this, the figure is as wide as a page."""
LONGEST = 30
"""Characters of a name: of a longer one, the beginning and the end."""
LINE, FRAME = 0.165, 0.75
"""Inches, of an arm and of all around the panel."""
BAND = "#eef2f7"
"""Behind every second tier."""


def draw(path: Path, found: Ranking) -> Path:
    """Write the figure in the format of the path's suffix, and return the path.

    Raises UserError when it cannot be written.
    """
    with styled():
        drawing = rank_figure(found)
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")
        return save(drawing, path, path.suffix.removeprefix("."))


def rank_figure(found: Ranking) -> Figure:
    """Return the figure, best arm first. Draw it within the style context of ``draw``."""
    arms = found.order[:SHOWN]
    width = PAGE_WIDTH if found.arms > WIDE else COLUMN_WIDTH
    drawing = Figure(figsize=(width, FRAME + LINE * max(len(arms), 3)), layout="constrained")
    panel = drawing.add_subplot()
    for place, end in enumerate(np.cumsum([len(tier) for tier in found.tiers]).tolist()):
        begin = end - len(found.tiers[place])
        if place % 2 and begin < len(arms):
            panel.axhspan(begin + 0.5, min(end, len(arms)) + 0.5, color=BAND, linewidth=0, zorder=0)
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
    kind = {"simultaneous": "jointly", "marginal": "each"}.get(found.intervals, "by the bootstrap")
    panel.set_xlabel(f"rank, {100 * found.level:.4g} % intervals ({kind})")
    if len(arms) < found.arms:
        panel.set_title(f"the best {len(arms)} of {found.arms:,} arms", color=NOTE_COLOUR)
    return drawing


def _short(name: str) -> str:
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[: half - 1]}…{name[-half:]}"
