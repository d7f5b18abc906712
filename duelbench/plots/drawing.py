"""``duelbench plot``: all figures of an experiment, written beside its summary."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, count
from pathlib import Path
from string import ascii_lowercase
from typing import Any, BinaryIO

from matplotlib.figure import Figure
from PIL import Image

from duelbench.errors import UserError, did_you_mean
from duelbench.files import whole
from duelbench.plots.bars import bars_figure, std_bars
from duelbench.plots.contents import curves_of
from duelbench.plots.curves import Curves, curves_figure
from duelbench.plots.identification import error_bars, heat_table
from duelbench.plots.style import bound_style, line_styles, styled
from duelbench.results.results import Results
from duelbench.spec.figure_options import (
    Band,
    CurvesFigure,
    IdentificationFigure,
    Look,
    RanksFigure,
    RegretFigure,
    Scale,
    ScalingFigure,
    StdFigure,
    distinct_figures,
)
from duelbench.spec.figure_options import Figure as FigureEntry
from duelbench.spec.resolved import ResolvedAlgorithm

# Metadata without the date that a format would add, so that the same results give the same bytes.
_UNDATED: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
FORMATS = ("png", *_UNDATED)
_COLOURS = 32
"""The size of the palette of PNG files."""
_SCALES: dict[tuple[Scale, Scale], str] = {
    ("log", "linear"): "regret",
    ("log", "log"): "regret-loglog",
    ("linear", "linear"): "regret-linear",
    ("linear", "log"): "regret-logy",
}


def draw(
    directory: Path,
    *,
    formats: Sequence[str] = FORMATS,
    x: Scale | None = None,
    y: Scale | None = None,
    band: Band | None = None,
) -> list[Path]:
    """Draw the figures of an experiment, beside its summary, and return the files written.

    Raises UserError when the directory has no results, or a figure needs something that they do not have.
    """
    check_formats(formats)
    return list(draw_results(Results(directory), directory, formats=formats, x=x, y=y, band=band))


def check_formats(formats: Sequence[str]) -> None:
    """Raise UserError for a name that is not a format of figures."""
    for name in formats:
        if name not in FORMATS:
            near = did_you_mean(name, FORMATS)
            raise UserError(f"{name!r} is not a format of figures{near}: choose among {', '.join(FORMATS)}")


def draw_results(
    results: Results,
    into: Path,
    *,
    formats: Sequence[str] = FORMATS,
    x: Scale | None = None,
    y: Scale | None = None,
    band: Band | None = None,
) -> Iterator[Path]:
    """Draw the figures of results into a directory, and yield each file once it is written.

    ``x``, ``y`` and ``band`` override the settings of every regret figure; figures that become equal are drawn once.
    Raises UserError when a figure needs something that the results do not have, or cannot be written.
    """
    figures = distinct_figures(_overridden(results.spec.figures, {"x": x, "y": y, "band": band}))
    with styled():
        for name, figure in zip(file_names(figures), figures, strict=True) if formats else ():
            drawing = drawing_of(figure, results)
            # Lay out once for all formats: this takes as long as drawing.
            drawing.draw_without_rendering()
            drawing.set_layout_engine("none")
            for suffix in formats:
                yield save(drawing, into / f"{name}.{suffix}", suffix)


def _overridden(figures: Sequence[FigureEntry], overrides: Mapping[str, Any]) -> list[FigureEntry]:
    """Return the figures with these settings, unless they are None, in those of regret."""
    given = {key: value for key, value in overrides.items() if value is not None}
    return [each.model_copy(update=given) if isinstance(each, RegretFigure) else each for each in figures]


def outdated(results: Results, into: Path, suffix: str) -> bool:
    """Return whether a figure in a directory is missing in a format, or older than the results."""
    figures = [into / f"{name}.{suffix}" for name in file_names(results.spec.figures)]
    return not all(each.is_file() and each.stat().st_mtime_ns >= results.changed for each in figures)


def drawing_of(figure: FigureEntry, results: Results) -> Figure:
    """Return the drawing of a figure of the spec."""
    match figure:
        case StdFigure():
            return bars_figure(figure, std_bars(figure, results))
        case IdentificationFigure(show="errors"):
            return bars_figure(figure, error_bars(figure, results))
        case IdentificationFigure(show="table"):
            return heat_table(figure, results)
        case RanksFigure():
            from duelbench.plots.rank_diagram import ranks_figure  # scipy's tests take half a second to load

            return ranks_figure(figure, results)
    assert isinstance(figure, CurvesFigure)
    return curves_figure(figure, curves_of(figure, results))


def draw_panels(several: Sequence[Results], path: Path, **overrides: Any) -> Path:
    """Draw the first figure of each of several results as the panels of one figure, and return its path.

    Curves with the same title look the same and are named once; the title, the size and the legend are those of the
    first figure. Raises UserError as ``draw_results``, and when one of the figures has no curves.
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
        contents.append(curves_of(figure, results))
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


def _stem(figure: FigureEntry) -> str:
    match figure:
        case RegretFigure():
            return _SCALES[figure.x, figure.y]
        case ScalingFigure():
            return f"{figure.show}-by-{figure.against}"
        case IdentificationFigure():
            return f"identification-{figure.show}"
        case _:
            return figure.kind


def file_names(figures: Iterable[FigureEntry]) -> list[str]:
    """Return the stem of each figure's file: its ``file``, else its kind and scales; repeated stems get -2, -3, …."""
    names: list[str] = []
    for figure in figures:
        stem = figure.file or _stem(figure)
        numbered = (f"{stem}-{number}" for number in count(2))
        names.append(next(name for name in chain([stem], numbered) if name not in names))
    return names


def save(drawing: Figure, path: Path, suffix: str) -> Path:
    """Write a figure in one of ``FORMATS`` and return its path; the same figure gives the same bytes.

    PNG files have a palette, and are a quarter as large with it. Raises UserError when the file cannot be written.
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
