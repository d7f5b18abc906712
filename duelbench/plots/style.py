"""The style of all figures: fonts, and a line style for each algorithm that remains distinct in greyscale."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib.style

# Ordered by luminance, in steps of about a tenth, and distinct for colour-blind readers.
COLOURS = ("#000000", "#2a1a8a", "#b2182b", "#1b8a5a", "#d9601a", "#4fb0e8")
# Lengths of strokes and gaps in line widths. Five patterns and six colours: thirty algorithms before a pair repeats.
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.4)), (0, (1, 1.1)), (0, (6, 1.4, 1, 1.4)), (0, (4, 1.2, 1, 1.2, 1, 1.2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "h")
BAND_OPACITY = 0.18
# Bounds are black lines without markers, whatever the algorithms look like.
BOUND_DASHES: dict[str, Any] = {"LB": (0, (5, 2.5)), "ECWB": (0, (1, 1.6)), "RMED": (0, (5, 2, 1, 2))}
BAR_COLOUR = "#3f5f8a"
NOTE_COLOUR = "#606060"
# For tables whose darker cells are better, lightest first. One hue keeps the order in greyscale and for all readers.
SHADES = ("#ffffff", "#e3ecf4", "#bcd3e6", "#7fa9cc", "#3f77a8", "#123f6b")

FONT_SIZE = 8.0
# Inches: the text width of most two-column papers, and one of its columns.
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
"""Fonts for other scripts, which are used where they are installed."""
_SHOWN = 10
"""Characters without a font that are named."""

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
    "text.hinting": "none",  # letters are as far apart as in vector files
    # Text stays text in PDF (publishers refuse Type 3) and becomes outlines in SVG (the same with any fonts installed).
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "duelbench",
}


@contextmanager
def styled(more: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draw in this style; characters that no font has are named in one sentence instead of warnings."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    families = [*_FONTS, *(font for font in OTHER_FONTS if font in installed)]
    missing: dict[str, None] = {}
    with (
        matplotlib.style.context(["default", STYLE, {"font.family": families, **(more or {})}]),
        warnings.catch_warnings(),
    ):
        show = warnings.showwarning

        def note(message: Warning | str, *others: Any, **named: Any) -> None:
            if glyph := re.match(r"Glyph (\d+) ", str(message)):
                missing[chr(int(glyph[1]))] = None
            else:
                show(message, *others, **named)

        warnings.filterwarnings("always", r"Glyph \d+ ")
        warnings.showwarning = note
        yield
    if missing:
        some = [each if each.isprintable() else f"U+{ord(each):04X}" for each in missing]
        named = ", ".join([*some[:_SHOWN], *["…"] * (len(some) > _SHOWN)])
        print(
            f"note: no installed font has {named}, so the figure has boxes: install a font that has them, such as "
            "Noto Sans CJK",
            file=sys.stderr,
        )


def bound_style(name: str) -> dict[str, Any]:
    """Return the line properties of a bound."""
    return {"color": "#000000", "linestyle": BOUND_DASHES[name], "linewidth": 1.0}


def line_style(position: int) -> dict[str, Any]:
    """Return the line properties of the algorithm at this position in the spec, the same in all figures."""
    return {
        "color": COLOURS[position % len(COLOURS)],
        "linestyle": _DASHES[position % len(_DASHES)],
        "marker": MARKERS[position % len(MARKERS)],
        "markeredgecolor": "white",
    }
