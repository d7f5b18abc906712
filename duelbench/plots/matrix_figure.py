"""A preference matrix as a heat map, with the arms ordered by their scores."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from duelbench.errors import UserError
from duelbench.plots.drawing import FORMATS, save
from duelbench.plots.labels import printable
from duelbench.plots.style import NOTE_COLOUR, PAGE_WIDTH, styled
from duelbench.preferences.matrix import PreferenceMatrix

_WRITTEN = 20
"""With at most this many arms each cell has its number."""
_NAMED = 70
"""With at most this many arms each row has its name; otherwise only every second, third, … row."""
_LONGEST = 28
"""Characters of a name: longer names are shortened in the middle, as names of versions differ at the end."""
_INCHES = 0.055
"""Width of a character of seven points."""
_COLOURS = "RdBu"
_DARK = 0.28
"""Numbers further than this from 1/2 are white, as their cells are dark."""


def heat_map(matrix: PreferenceMatrix, title: str) -> Figure:
    """Return the figure: row against column, best arm first by Copeland score, then by Borda score.

    It must be drawn within the style context of ``draw_matrix``.
    """
    arms = matrix.arms
    order = np.lexsort((-matrix.borda_scores(), -matrix.copeland_scores()))
    P = np.ma.masked_where(np.eye(arms, dtype=bool), matrix.P[np.ix_(order, order)])
    names = [_short(matrix.names[arm]) if matrix.names else str(arm) for arm in order]
    size = 7.0 if arms <= 25 else 4.5
    side = min(PAGE_WIDTH, max(2.4, 0.27 * arms))
    beside = 0.25 + size / 7 * _INCHES * max(map(len, names))
    figure = Figure(figsize=(side + beside + 0.8, side + beside + 0.3), layout="constrained")
    panel = figure.add_subplot()
    image = panel.imshow(P, cmap=_COLOURS, vmin=0, vmax=1, interpolation="nearest")
    panel.set_facecolor("#e4e4e4")
    panel.set_title(printable(title, side))
    step = -(-arms // _NAMED)
    places = range(0, arms, step)
    panel.set_xticks(places, [names[place] for place in places], rotation=90, fontsize=size, parse_math=False)
    panel.set_yticks(places, [names[place] for place in places], fontsize=size, parse_math=False)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if arms <= _WRITTEN:
        for (row, column), p in np.ndenumerate(P.filled(np.nan)):
            if row != column:
                colour = "white" if abs(p - 0.5) > _DARK else "black"
                panel.text(column, row, _cell(p), ha="center", va="center", fontsize=5.5, color=colour)
    bar = figure.colorbar(image, ax=panel, shrink=0.6, aspect=25, pad=0.02)
    bar.set_label("probability that the row beats the column", color=NOTE_COLOUR)
    bar.outline.set_visible(False)
    return figure


def draw_matrix(matrix: PreferenceMatrix, title: str, path: Path) -> Path:
    """Write the heat map of ``matrix`` to a .png, .pdf or .svg file and return its path.

    Raises:
        UserError: the suffix is another one, or the file cannot be written.
    """
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UserError(
            f"this is not a format of figures: write to a file with {', '.join(f'.{each}' for each in FORMATS)}",
            source=str(path),
        )
    with styled():
        return save(heat_map(matrix, title), path, suffix)


def _short(name: str) -> str:
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[: half - 1]}…{name[-half:]}"


def _cell(p: float) -> str:
    """Return a probability with two digits, as .73; 0 and 1 only if it is exactly 0 or 1."""
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    return f"{min(max(p, 0.01), 0.99):.2f}".removeprefix("0")
