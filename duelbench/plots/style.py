"""The style of all figures: fonts, and a look for each algorithm that is distinct in greyscale, too."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from zlib import crc32

from duelbench.spec.figures import MARKERS, Look

if TYPE_CHECKING:
    from duelbench.spec.resolved import ResolvedAlgorithm

COLOURS = (
    "#000000", "#7a4a1e", "#d9601a", "#4fb0e8", "#1b8a5a", "#c79a00", "#b2182b", "#8c8c8c", "#2a1a8a", "#8a5fd0",
    "#d1479e", "#86b21c",
)  # fmt: skip
_DASHED, _DOTTED, _DASH_DOTTED = (0, (4, 1.4)), (0, (1, 1.1)), (0, (6, 1.4, 1, 1.4))
"""Lengths of strokes and gaps in line widths."""
_DASHES: tuple[Any, ...] = ("-", _DASHED, _DOTTED, _DASH_DOTTED, (0, (4, 1.2, 1, 1.2, 1, 1.2)))
_SHAPES = len(_DASHES) * len(MARKERS)
_PALEST = 0.6
"""The share of white in the lightest variants of an algorithm is below this."""
_SIGNS: dict[str, Any] = {"-": "-", "--": _DASHED, ":": _DOTTED, "-.": _DASH_DOTTED}
PLACES = (
    "d-ts", "sparring", "ccb", "d-ts+", "rmed1", "scb", "rucb", "btm", "ecw-rmed", "savage", "rcs", "scomp2",
    "dexp3-hp", "btwr", "wsw-pe", "swiss", "trace-the-best", "plpac-ampr", "knockout", "pl-pac", "scomp",
    "sequential-elimination", "btm-pac", "asap", "probe-rank-se", "secs", "iir", "sparring-exp3", "tra-pocowista",
    "doubt", "crowd-bt", "ws-w", "naive", "multisbm", "pbr", "mallows-mpi", "halving-battle", "seebs", "pcomp",
    "opt-maximize", "anaconda", "rmed2", "parwis", "dkwt", "pbr-copeland", "ws-s", "sparring-exp3s",
    "borda-elimination", "rankel", "cw-rmed", "select-then-verify", "select", "pocowista", "uniform", "if",
    "mallows-mpr", "uniform-exploration", "gap-variance", "probe-rank", "mdb", "btw", "eqs", "repeated-sort", "seeks",
    "self-sparring", "active-ranking", "dexp3", "nts", "rmed2fh", "detect", "wrapped", "merge-dts", "doubler",
    "merge-rucb", "versatile-db", "explore-verify", "hybrid-mst", "mbtw", "bcb", "arena-pairs", "rex3",
    "divide-and-battle", "tks",
)  # fmt: skip
"""Algorithms with a chosen look, such that few algorithms in a figure of our specs share a colour.

The looks of other algorithms follow from their names.
"""
BAND_OPACITY = 0.18
# Bounds are black lines without markers, whatever the algorithms look like.
BOUND_DASHES: dict[str, Any] = {"LB": (0, (5, 2.5)), "ECWB": (0, (1, 1.6)), "RMED": (0, (5, 2, 1, 2))}
BAR_COLOUR = "#3f5f8a"
NOTE_COLOUR = "#606060"
# For tables whose darker cells are better, lightest first. One hue keeps the order in greyscale and for all readers.
SHADES = ("#ffffff", "#e3ecf4", "#bcd3e6", "#7fa9cc", "#3f77a8", "#123f6b")

FONT_SIZE = 8.0
LINE_SPACING = 1.05
# The text width of most two-column papers, and the width of a column, in inches.
PAGE_WIDTH = 7.0
COLUMN_WIDTH = 3.5

_FONTS = ("STIXGeneral", "DejaVu Sans")
OTHER_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK TC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP",
    "Noto Sans KR", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback",
    "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans", "Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo",
    "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Symbols2",
    "Noto Emoji", "Symbola", "Arial Unicode MS",
)  # fmt: skip
"""Fonts for other scripts, which are used if they are installed."""

STYLE: dict[str, Any] = {
    "font.family": list(_FONTS),
    "mathtext.fontset": "stix",
    "font.size": FONT_SIZE,
    **dict.fromkeys((f"{part}.titlesize" for part in ("axes", "figure")), FONT_SIZE),
    **dict.fromkeys((f"{part}.labelsize" for part in ("axes", "figure", "xtick", "ytick")), FONT_SIZE),
    **dict.fromkeys(("legend.fontsize", "legend.title_fontsize"), FONT_SIZE),
    "figure.titleweight": "bold",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.6,
    "lines.markeredgewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "legend.borderaxespad": 0.0,
    "legend.frameon": False,
    "legend.borderpad": 0.1,
    "legend.columnspacing": 1.3,
    "legend.handlelength": 3.0,
    "legend.handletextpad": 0.6,
    "figure.dpi": 200,
    "text.hinting": "none",  # the same letter spacing as in vector files
    # Text stays text in PDF (publishers refuse Type 3) and becomes outlines in SVG (the same with any fonts installed).
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "duelbench",
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style; replace Matplotlib's warnings about missing glyphs by one note."""
    import matplotlib.style
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    families = [*_FONTS, *(font for font in OTHER_FONTS if font in installed)]
    with (
        matplotlib.style.context(["default", STYLE, {"font.family": families}]),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.filterwarnings("always", r"Glyph \d+ ")
        yield
    boxes = [each for each in caught if str(each.message).startswith("Glyph ")]
    for each in caught:
        if each not in boxes:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if boxes:
        print(
            "note: no installed font has some characters of the figure, which shows boxes: install a font such as Noto "
            "Sans CJK",
            file=sys.stderr,
        )


def bound_style(name: str) -> dict[str, Any]:
    """Return the line properties of a bound."""
    return {"color": "#000000", "linestyle": BOUND_DASHES[name], "linewidth": 1.0}


def line_style(place: int) -> dict[str, Any]:
    """Return the line properties of a place: the first 12 differ in colour, the first 55 in dashes or marker."""
    return _style(COLOURS[place % len(COLOURS)], place)


def _style(colour: str, shape: int) -> dict[str, Any]:
    return {
        "color": colour,
        "linestyle": _DASHES[shape % len(_DASHES)],
        "marker": MARKERS[shape % len(MARKERS)],
        "markeredgecolor": "white",
    }


def line_styles(algorithms: Sequence[ResolvedAlgorithm], look: Look) -> dict[str, dict[str, Any]]:
    """Return the line properties of the algorithms of a spec by label; the figure's ``look`` takes precedence.

    The first 12 algorithms differ in colour, and the first 55 entries in dashes or marker. An algorithm of the
    catalogue has a fixed look unless another one in the spec has taken it. Variants of an algorithm, such as the points
    of a grid, are shades of its colour.
    """
    variants = Counter(each.name for each in algorithms)
    colours = _colours([*variants])
    shown, shapes, looks = Counter[str](), Counter[int](), Counter[tuple[int, int]]()
    styles = {}
    for each in algorithms:
        colour = colours[each.name]
        first = _own_place(each.name) or 0
        turned = [(first + step) % _SHAPES for step in range(_SHAPES)]
        shape = min(turned, key=lambda shape: (looks[colour, shape], shapes[shape]))
        style = _style(_lighter(COLOURS[colour], _PALEST * shown[each.name] / variants[each.name]), shape)
        shown[each.name] += 1
        shapes[shape] += 1
        looks[colour, shape] += 1
        for name in (each.grid, each.label):
            if name in look.colors:
                style["color"] = look.colors[name]
            if name in look.styles:
                dashes = look.styles[name].rstrip("".join(MARKERS))
                style |= {"linestyle": _SIGNS[dashes], "marker": look.styles[name].removeprefix(dashes)}
        styles[each.label] = style
    return styles


def _own_place(name: str) -> int | None:
    """Return the place of an algorithm of the catalogue; None for a class in a user's file."""
    if name in PLACES:
        return PLACES.index(name)
    return None if ":" in name else crc32(name.encode())


def _colours(names: Sequence[str]) -> dict[str, int]:
    """Return an index in ``COLOURS`` for each algorithm: its own if it is still free, else a rarely used one."""
    found: dict[str, int] = {}
    for name in names:
        own = _own_place(name)
        if own is not None and own % len(COLOURS) not in found.values():
            found[name] = own % len(COLOURS)
    uses = Counter(found.values())
    for name in names:
        if name not in found:
            found[name] = min(range(len(COLOURS)), key=uses.__getitem__)
            uses[found[name]] += 1
    return found


def _lighter(colour: str, share: float) -> str:
    """Return a mixture of a colour and a share of white."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (part + share * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))
