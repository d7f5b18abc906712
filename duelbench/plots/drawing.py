"""Write the figures of an experiment, and heat maps of preference matrices, to files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, count
from pathlib import Path
from string import ascii_lowercase
from typing import Any, BinaryIO

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from duelbench.errors import UserError, did_you_mean
from duelbench.files import whole
from duelbench.plots.content import Curves
from duelbench.plots.curves import CurvesFigure
from duelbench.plots.kinds.regret import RegretFigure
from duelbench.plots.panels import curves_figure, printable
from duelbench.plots.style import NOTE_COLOUR, PAGE_WIDTH, bound_style, line_styles, styled
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.results.results import Results
from duelbench.spec.figures import FigureEntry, Look
from duelbench.spec.resolved import ResolvedAlgorithm

# No date in the metadata, so that the same results give the same bytes.
_UNDATED: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
FORMATS = ("png", *_UNDATED)
_COLOURS = 32
"""The size of the palette of PNG files."""


def check_formats(formats: Sequence[str]) -> None:
    """Raise UserError for a name that is not a format of figures."""
    for name in formats:
        if name not in FORMATS:
            near = did_you_mean(name, FORMATS)
            raise UserError(f"{name!r} is not a format of figures{near}: choose among {', '.join(FORMATS)}")


def draw_results(results: Results, into: Path, *, formats: Sequence[str] = FORMATS, **overrides: Any) -> Iterator[Path]:
    """Draw the figures of results into a directory, and yield each file once it is written.

    Options such as ``x``, ``y`` and ``band`` override those of every regret figure unless they are None; figures that
    become equal are drawn once. Raises UserError if the results lack the data of a figure, or it cannot be written.
    """
    drawn = _overridden(results.spec.figures, overrides)
    figures = [figure for place, figure in enumerate(drawn) if figure not in drawn[:place]]
    with styled():
        for name, figure in zip(file_names(figures), figures, strict=True) if formats else ():
            drawing = figure.draw(results)
            # Lay out once for all formats: this takes as long as drawing.
            drawing.draw_without_rendering()
            drawing.set_layout_engine("none")
            for suffix in formats:
                yield save(drawing, into / f"{name}.{suffix}", suffix)


def _overridden(figures: Sequence[FigureEntry], overrides: Mapping[str, Any]) -> list[FigureEntry]:
    """Return the figures, with the options that are not None set in all regret figures."""
    given = {key: value for key, value in overrides.items() if value is not None}
    return [each.model_copy(update=given) if isinstance(each, RegretFigure) else each for each in figures]


def outdated(results: Results, into: Path, suffix: str) -> bool:
    """Return whether a figure with this suffix is missing in a directory, or older than the results."""
    figures = [into / f"{name}.{suffix}" for name in file_names(results.spec.figures)]
    return not all(each.is_file() and each.stat().st_mtime_ns >= results.changed for each in figures)


def draw_panels(several: Sequence[Results], path: Path, **overrides: Any) -> Path:
    """Draw the first figure of each of several results as the panels of one figure, and return its path.

    Curves with the same title look the same and are named once; the title, the size and the legend are those of the
    first figure. Raises UserError as ``draw_results``, and if one of the figures has no curves.
    """
    shown: list[CurvesFigure] = []
    joint: dict[str, ResolvedAlgorithm] = {}
    look: dict[str, dict[str, str]] = {"colors": {}, "styles": {}}
    contents = []
    for results in several:
        figure = next(iter(_overridden(results.spec.figures, overrides)), None)
        if not isinstance(figure, CurvesFigure) or not figure.has_curves:
            raise UserError(
                "the first figure of its spec has no curves: put one with curves first, such as {kind: regret}",
                source=str(results.directory),
            )
        shown.append(figure)
        contents.append(figure.content(results))
        for each in results.spec.algorithms:
            title = results.titles[each.label]
            joint.setdefault(title, each.model_copy(update={"label": title}))
            for name, given in look.items():
                own = getattr(figure, name)
                if own.keys() & {each.grid, each.label}:
                    given.setdefault(title, own.get(each.label) or own[each.grid])
    styles = line_styles([*joint.values()], Look.model_construct(**look))  # type: ignore[arg-type]
    panels = [
        panel._replace(
            title=panel.title or results.spec.title,
            curves=[curve._replace(style=styles.get(curve.title, curve.style)) for curve in panel.curves],
            lines=[
                line._replace(title=name, style=bound_style(name))
                for line in panel.lines
                for name in line.title.split(" = ")
            ],
        )
        for content, results in zip(contents, several, strict=True)
        for panel in content.panels
    ]
    if len(panels) <= len(ascii_lowercase):
        letters = zip(ascii_lowercase, panels, strict=False)
        panels = [panel._replace(title=f"({letter}) {panel.title}") for letter, panel in letters]
    joined = Curves(
        panels,
        "; ".join(dict.fromkeys(content.statistic for content in contents)),
        {count for content in contents for count in content.runs},
        "; ".join(dict.fromkeys(content.remark for content in contents if content.remark)),
        frozenset[str]().union(*(content.unmet for content in contents)),
    )
    with styled():
        return save(curves_figure(shown[0], joined, share=True), path, path.suffix[1:])


def file_names(figures: Iterable[FigureEntry]) -> list[str]:
    """Return the stem of each figure's file: its ``file``, else its kind and scales; repeated stems get -2, -3, …."""
    names: list[str] = []
    for figure in figures:
        stem = figure.file or figure.stem
        numbered = (f"{stem}-{number}" for number in count(2))
        names.append(next(name for name in chain([stem], numbered) if name not in names))
    return names


def save(drawing: Figure, path: Path, suffix: str) -> Path:
    """Write a figure in one of ``FORMATS`` and return its path; the same figure gives the same bytes.

    PNG files use a palette, which makes them four times smaller. Raises UserError if the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as file:
            if suffix == "png":
                _save_with_palette(drawing, file)
            else:
                drawing.savefig(file, format=suffix, metadata=_UNDATED[suffix])
    except OSError as error:
        raise UserError(
            f"the figure cannot be written ({error.strerror}): choose another place with -o", source=str(path)
        ) from error
    return path


def _save_with_palette(drawing: Figure, file: BinaryIO) -> None:
    pixels = BytesIO()
    drawing.savefig(pixels, format="png")
    with Image.open(pixels) as image:
        small = image.convert("RGB").quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
        small.save(file, "png", optimize=True, dpi=image.info["dpi"])


_WRITTEN = 20
"""With at most this many arms each cell has its number."""
_NAMED = 70
"""With at most this many arms each row has its name; otherwise only every second, third, … row."""
_LONGEST = 28
"""Characters of a name: longer names are shortened in the middle, as names of versions differ at the end."""
_INCHES = 0.055
"""Width of a character of seven points."""
_COLOUR_MAP = "RdBu"
_DARK = 0.28
"""Numbers further than this from 1/2 are white, as their cells are dark."""


def heat_map(matrix: PreferenceMatrix, title: str) -> Figure:
    """Return the heat map of ``matrix``, with the arms sorted by Copeland score, then by Borda score.

    Call it within the style context of ``draw_matrix``.
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
    image = panel.imshow(P, cmap=_COLOUR_MAP, vmin=0, vmax=1, interpolation="nearest")
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

    Raises UserError for another suffix, or if the file cannot be written.
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
    """Return a probability with two digits, such as .73; 0 and 1 only if it is exactly 0 or 1."""
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    return f"{min(max(p, 0.01), 0.99):.2f}".removeprefix("0")
