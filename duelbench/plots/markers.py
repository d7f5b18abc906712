"""Placing the markers of curves: on their visible part, and not at the same places as those of other curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

FEW_ROWS = 15
"""With at most this many rows (a sweep of horizons, each with its own runs) every point has a marker and a bar."""
SPACING = 0.3
"""Distance between the markers of a longer curve, as a share of the panel's width."""
FOOT = 0.04
"""Share of a panel's height. Below it curves near zero coincide, so they have no markers there."""


def place_markers(panel: Axes, lines: Sequence[Line2D], places: Sequence[int], total: int) -> None:
    """Choose the points of curves that have markers; the axes must have their limits.

    ``places`` are the indices of the curves among ``total``: the first marker of each is at a different place.
    """
    to_axes = panel.transData + panel.transAxes.inverted()
    for line, place in zip(lines, places, strict=True):
        points = to_axes.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
        if len(points) <= FEW_ROWS:
            continue
        seen = np.flatnonzero((points[:, 1] > FOOT) & (points[:, 1] <= 1) & (points[:, 0] >= 0) & (points[:, 0] <= 1))
        if not len(seen):
            line.set_markevery([len(points) - 1])
            continue
        along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points[seen], axis=0).T))])
        wanted = np.arange(SPACING * (place + 0.5) / total, along[-1], SPACING)
        chosen = seen[np.searchsorted(along, wanted).clip(max=len(seen) - 1)] if len(wanted) else seen[-1:]
        line.set_markevery(sorted({int(each) for each in chosen}))
