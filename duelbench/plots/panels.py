"""Draw panels of curves and of bars: their grid, titles, labels, legend, and the markers on curves.

Lines of text are not broken within mathematics. If the ends of curves are closer than lines of text, an isotonic
regression moves their names apart: it keeps their order and minimises the sum of squared displacements. A short line
leads from the end of each curve to its name.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.textpath import TextToPath
from matplotlib.ticker import FixedLocator, FuncFormatter, LogFormatterMathtext, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation
from scipy.optimize import isotonic_regression

from duelbench.arrays import Floats
from duelbench.plots import content
from duelbench.plots.content import BarPanels, Curve, Curves, Panel, marked, with_sign
from duelbench.plots.style import (
    BAND_OPACITY,
    BAR_COLOUR,
    COLUMN_WIDTH,
    FONT_SIZE,
    LINE_SPACING,
    NOTE_COLOUR,
    PAGE_WIDTH,
)
from duelbench.spec.figures import FigureEntry, Scale
from duelbench.spec.titles import round_number

# A word, together with any mathematics in it.
_WORD = re.compile(r"(?:\$K\$ = \d|(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+", re.DOTALL)

_DOLLAR = re.compile(r"(?<!\\)\$")
_ARMS = re.compile(r"\bK = (?=\d)")


def printable(text: str, inches: float, size: float | None = None) -> str:
    """Return free text wrapped to a width; dollar signs are literal unless they enclose valid mathtext.

    ``size`` is the font size in points, by default that of the figures. K, as in K = 5, is italic.
    """
    try:
        if "$" in text or "\\" in text:  # parsing is the slow part
            MathTextParser("path").parse(text)
        parts = _DOLLAR.split(text)
        parts[::2] = [_ARMS.sub("$K$ = ", part) for part in parts[::2]]
        words = _WORD.findall("$".join(parts))
    except ValueError:
        words = [word.replace(r"\$", "$").replace("$", r"\$") for word in text.split()]
    return "\n".join(_lines(words, inches, size or float(rcParams["font.size"])))


def _lines(words: list[str], inches: float, size: float) -> Iterator[str]:
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= inches:
            line = longer
            continue
        if line:
            yield line
        line = word
        while "$" not in line and len(line) > 1 and text_width(line, size) > inches:  # break a long word
            fit = max(1, next((n for n in range(len(line), 0, -1) if text_width(line[:n], size) <= inches), 1))
            yield line[:fit]
            line = line[fit:]
    if line:
        yield line


@lru_cache(maxsize=10_000)
def text_width(text: str, size: float) -> float:
    """Return the width of a line in inches."""
    mathematics = len(re.findall(r"(?<!\\)\$", text)) > 1
    font = FontProperties(family=rcParams["font.family"], size=size)
    width, _, _ = TextToPath().get_text_width_height_descent(
        text if mathematics else text.replace(r"\$", "$"), font, ismath=mathematics
    )
    return float(width) / 72


LABEL_SIZE = 7.0
"""Font size in points."""
LABEL_WIDTH = 1.25
"""Width of the names and their leader lines beside a panel, in inches."""
_LEADER = 0.32
"""Distance from the panel to a name, in inches."""
_LINE = 1.15 * LABEL_SIZE / 72


class End(NamedTuple):
    """The end of a curve in data coordinates, its title and its line style."""

    title: str
    x: float
    y: float
    style: dict[str, Any]


def room_for(titles: Sequence[str]) -> float:
    """Return the height of the names of curves, in inches."""
    return _LINE * sum(1 + printable(title, LABEL_WIDTH - _LEADER, LABEL_SIZE).count("\n") for title in titles)


def label_ends(drawing: Figure, panels: Sequence[Axes], ends: Sequence[Sequence[End]]) -> None:
    """Name the curves of each panel at their ends. Call it last: it lays out the figure."""
    away = ScaledTranslation(_LEADER, 0, drawing.dpi_scale_trans)
    texts = [
        [
            panel.text(1.0, 0.5, printable(end.title, LABEL_WIDTH - _LEADER, LABEL_SIZE), size=LABEL_SIZE, va="center",
                       linespacing=1.0, transform=panel.transAxes + away, color=end.style["color"])
            for end in each
        ]
        for panel, each in zip(panels, ends, strict=True)
    ]  # fmt: skip
    drawing.draw_without_rendering()
    for panel, each, named in zip(panels, ends, texts, strict=True):
        _place(drawing, panel, each, named)


def _place(drawing: Figure, panel: Axes, ends: Sequence[End], texts: Sequence[Text]) -> None:
    if not ends:
        return
    box = panel.bbox
    to_axes = panel.transData + panel.transAxes.inverted()
    lasts, targets = np.clip([to_axes.transform((end.x, end.y)) for end in ends], 0, 1).T
    heights = np.array([text.get_window_extent().height for text in texts]) * 1.04 / box.height
    heights = np.maximum(heights, _LINE * drawing.dpi / box.height)
    places = spread(targets, heights, 0.0, 1.0)
    far = _LEADER * drawing.dpi / box.width
    for end, text, last, target, place in zip(ends, texts, lasts, targets, places, strict=True):
        text.set_y(place)
        level = [1 + 0.55 * far, 1 + 0.9 * far]
        pieces = (
            ([last, level[0]], [target, place], {"linestyle": "-", "linewidth": 0.4, "marker": ""}),
            (level, [place, place], {"linewidth": 0.9, "marker": ""}),
            ([sum(level) / 2], [place], {"linestyle": "", "markersize": 3.6}),
        )
        for x, y, changes in pieces:
            (piece,) = panel.plot(x, y, transform=panel.transAxes, clip_on=False, **end.style | changes)
            piece.set_in_layout(False)


def spread(targets: Sequence[float] | Floats, heights: Sequence[float] | Floats, low: float, high: float) -> Floats:
    """Return the centres of items with these heights, as close to the targets as possible without overlap.

    The items keep the order of the targets, and the sum of squared distances is minimal. They lie between ``low`` and
    ``high`` if all of them fit; otherwise they start at ``low``.
    """
    targets, heights = np.asarray(targets, dtype=float), np.asarray(heights, dtype=float)
    order = np.argsort(targets, kind="stable")
    sizes = heights[order]
    steps = np.concatenate([[0.0], np.cumsum((sizes[:-1] + sizes[1:]) / 2)])
    first = isotonic_regression(targets[order] - steps).x
    least, most = low + sizes[0] / 2, high - sizes[-1] / 2 - steps[-1]
    places = np.empty(len(order))
    places[order] = np.clip(first, least, max(least, most)) + steps
    return places


_MOST_IN_A_LEGEND = 8
"""With more curves than this in a single panel, they are named at their ends, unless the spec has a ``legend``."""
_MARGIN = 0.2
"""Inches that captions leave free at the sides."""
_LEAST_PANEL = 1.7
_LEAST_PANEL_WITH_NAMES = 3.0
"""Minimum width of a panel in inches; fewer panels are put side by side if they would be narrower."""


class PanelGrid(NamedTuple):
    """A figure, its panels row by row, the panels at its left edge, and the lowest panel of each column.

    ``beside``: the width for the names of curves at the right of each panel, in inches.
    """

    drawing: Figure
    panels: list[Axes]
    left: list[Axes]
    lowest: list[Axes]
    beside: float


def panel_grid(
    figure: FigureEntry, titles: Sequence[str], panel_height: float | None = None, curves: Sequence[str] = ()
) -> PanelGrid:
    """Return a figure with one panel per title. Its width is given in the spec, else a column (one panel) or the page.

    ``panel_height`` is in inches; by default it depends on the width, and on the number of ``curves`` if they are named
    at their ends.
    """
    count = len(titles)
    ends = bool(curves) and _legend_place(figure, len(curves), count) == "ends"
    beside = LABEL_WIDTH if ends else 0.0
    asked = figure.width or {"column": COLUMN_WIDTH, "page": PAGE_WIDTH, None: None}[figure.size]
    total = asked or (COLUMN_WIDTH if count == 1 and not ends else PAGE_WIDTH)
    if ends and count == 1 and not asked:
        total = COLUMN_WIDTH + LABEL_WIDTH
    least = _LEAST_PANEL_WITH_NAMES if ends else _LEAST_PANEL
    columns = max(1, min({1: 1, 2: 2, 4: 2}.get(count, 3), int(total / least)))
    width = total / columns
    height = panel_height or 0.3 + 0.66 * min(width - beside, COLUMN_WIDTH)
    if ends:
        height = max(height, room_for(curves) + 0.5)
    rows = math.ceil(count / columns)
    drawing = Figure(figsize=(total, rows * height), layout="constrained")
    panels = [drawing.add_subplot(rows, columns, 1 + place) for place in range(count)]
    free = width - 0.75 - beside
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(printable(title, free), linespacing=LINE_SPACING)
    return PanelGrid(drawing, panels, left=panels[::columns], lowest=panels[-columns:], beside=beside)


def label_axes(grid: PanelGrid, horizontal: Sequence[str], vertical: Sequence[str]) -> None:
    """Label the axes of all panels if their labels differ, else only those at the edges of the figure."""
    drawing = grid.drawing
    rows = math.ceil(len(grid.panels) / max(1, len(grid.lowest)))
    tall, wide = drawing.get_figheight() / rows - 0.4, drawing.get_figwidth() / len(grid.lowest) - 0.4
    for panel, below, beside in zip(grid.panels, horizontal, vertical, strict=True):
        if panel in grid.lowest or len({*horizontal}) > 1:
            panel.set_xlabel(printable(below, wide), linespacing=LINE_SPACING)
        if panel in grid.left or len({*vertical}) > 1:
            panel.set_ylabel(printable(beside, tall), linespacing=LINE_SPACING)


def _legend_place(figure: FigureEntry, curves: int, panels: int) -> str:
    """Return where to name curves: by default at their ends if a single panel has many curves, else below."""
    at_ends = getattr(figure, "named_at_ends", False)
    return figure.legend or ("ends" if at_ends and curves > _MOST_IN_A_LEGEND and panels == 1 else "below")


def finish(
    grid: PanelGrid, figure: FigureEntry, handles: Sequence[Line2D], caption: str, ends: Sequence[Sequence[End]] = ()
) -> None:
    """Add the title of the figure and the names of its curves, and set its height if the spec gives one.

    ``ends`` are the ends of the curves in each panel, in the order of ``handles``; handles of other lines come last.
    """
    add_title(grid.drawing, figure.title)
    curves = max(map(len, ends), default=0)
    named = {end.title for each in ends for end in each}
    place, caption = _legend_place(figure, len(named), len(grid.panels)), figure.captioned(caption)
    if place == "ends" and curves:
        handles = [handle for handle in handles if handle.get_label() not in named]
    if place != "none":
        _add_legend(grid, place, handles, caption)
    if figure.height is not None:
        grid.drawing.set_figheight(figure.height)
    if place == "ends":
        label_ends(grid.drawing, grid.panels, ends)


def _add_legend(grid: PanelGrid, place: str, handles: Sequence[Line2D], caption: str) -> None:
    drawing = grid.drawing
    if place == "inside":
        panel = grid.panels[0]
        _legend(panel, handles, caption, 0.6 * drawing.get_figwidth() / len(grid.lowest), 1, loc="best")
        return
    if place == "right":
        _legend(drawing, handles, caption, 0.3 * drawing.get_figwidth(), 1, loc="outside right upper")
        return
    legend_below(drawing, handles, caption)


def legend_below(drawing: Figure, handles: Sequence[Line2D | Patch], caption: str) -> None:
    """Add a legend with a caption below all panels, in as many columns as fit; the figure grows by its height."""
    width = drawing.get_figwidth()
    if not handles:
        if caption:
            _grow(drawing, drawing.supxlabel(printable(caption, width - _MARGIN), linespacing=LINE_SPACING))
        return
    for rows in range(1, len(handles) + 1):
        columns = math.ceil(len(handles) / rows)
        # Legends fill column by column.
        ordered = [handle for column in range(columns) for handle in handles[column::columns]]
        legend = _legend(drawing, ordered, caption, width, columns, loc="outside lower center")
        if columns == 1 or legend.get_window_extent().width <= drawing.bbox.width:
            break
        legend.remove()
    _grow(drawing, legend)


def _legend(
    where: Figure | Axes, handles: Sequence[Line2D | Patch], caption: str, inches: float, columns: int, loc: str
) -> Legend:
    """Return a legend; names that exceed the available width are wrapped."""
    room = inches - 0.6
    title = printable(caption, inches - _MARGIN) or None
    labels = [printable(str(handle.get_label()), room) for handle in handles]
    inside = {"frameon": True, "framealpha": 0.85, "edgecolor": "none", "borderaxespad": 0.5} if loc == "best" else {}
    legend: Legend = where.legend(  # type: ignore[call-overload]
        handles=list(handles), labels=labels, ncols=columns, loc=loc, title=title, **inside
    )
    legend.get_title().set_multialignment("center")
    for text in legend.get_texts():
        text.set_linespacing(1.0)
    return legend


def add_title(drawing: Figure, title: str | None) -> None:
    """Add the title of the figure above the panels, if it has one; the figure grows by its height."""
    if title:
        _grow(drawing, drawing.suptitle(printable(title, drawing.get_figwidth()), linespacing=LINE_SPACING))


def add_shared_label(drawing: Figure, text: str) -> None:
    """Add one label below all horizontal axes; the figure grows by its height."""
    _grow(drawing, drawing.supxlabel(printable(text, drawing.get_figwidth() - _MARGIN), linespacing=LINE_SPACING))


def _grow(drawing: Figure, outside: Artist) -> None:
    drawing.set_figheight(drawing.get_figheight() + outside.get_window_extent().height / drawing.dpi)


def add_note(grid: PanelGrid, panel: Axes, text: str) -> None:
    """Add a note to the upper left corner of a panel, where there are seldom regret curves."""
    room = grid.drawing.get_figwidth() / len(grid.lowest) - 0.9 - grid.beside
    panel.text(
        *(0.03, 0.97, printable(text, max(0.8, room), LABEL_SIZE)), transform=panel.transAxes, va="top",
        color=NOTE_COLOUR, size=LABEL_SIZE, linespacing=1.0,
    )  # fmt: skip


def linear_ticks(axis: Axis, most: int) -> None:
    """Set at most ``most`` ticks on a linear axis, all in one unit: 0, 500, 1000; 0, 5k, 10k; or 0, 0.5M, 1M."""

    def label(x: float, _: int | None) -> str:
        farthest = max(axis.get_view_interval())
        if x == 0 or farthest < 10_000:
            return f"{x:g}"
        factor, suffix = (1e9, "G") if farthest >= 1e9 else (1e6, "M") if farthest >= 1e6 else (1e3, "k")
        return f"{x / factor:g}{suffix}"

    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(label))


FEW_ROWS = 15
"""With at most this many rows (a sweep of horizons, each with its own runs) every point has a marker and a bar."""
_SPACING = 0.3
"""Distance between the markers of a longer curve, as a share of the panel's width."""
FOOT = 0.04
"""Share of a panel's height below which curves have no markers, since curves near zero coincide."""


def place_markers(panel: Axes, lines: Sequence[Line2D], places: Sequence[int], total: int) -> None:
    """Choose the points of curves that have markers; the axes must have their limits.

    ``places`` are the indices of the curves among ``total``; they stagger the first markers.
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
        wanted = np.arange(_SPACING * (place + 0.5) / total, along[-1], _SPACING)
        chosen = seen[np.searchsorted(along, wanted).clip(max=len(seen) - 1)] if len(wanted) else seen[-1:]
        line.set_markevery(sorted({int(each) for each in chosen}))


_CHANGE_STYLE: Mapping[str, Any] = {"color": "#737373", "linewidth": 0.6, "linestyle": (0, (1, 2)), "zorder": 0.5}
"""The style of the vertical line at a round in which preferences change."""
_ALIKE = 3.0
"""Linear axes whose ends differ by at most this factor are shared."""
_LEAST_APART = 0.11
"""Minimum distance between numbers on the horizontal axis, as a share of its length."""


def curves_figure(figure: FigureEntry, shown: Curves, *, share: bool = False) -> Figure:
    """Draw panels of curves, and one legend with the curves in the order in which they first appear.

    ``share``: axes with the same label and scale share their ends; only those at the edges of the figure have numbers.
    """
    panels, unmet = shown.panels, shown.unmet
    curves = {curve.title: curve.style for panel in panels for curve in panel.curves}
    lines = {line.title: line.style for panel in panels for line in panel.lines}
    grid = panel_grid(figure, [panel.title for panel in panels], curves=[*curves])
    drawn = [_draw(axes, panel) for axes, panel in zip(grid.panels, panels, strict=True)]
    if share:
        _share(grid, panels)
    order, ends = [*curves], []
    for axes, panel, there in zip(grid.panels, panels, drawn, strict=True):
        place_markers(axes, [*there.values()], [order.index(title) for title in there], len(order))
        ends.append([_end(curve, unmet) for curve in panel.curves if curve.title in there])
        if panel.note:
            add_note(grid, axes, panel.note)
    label_axes(grid, [panel.x.label for panel in panels], [panel.y.label for panel in panels])
    handles = [Line2D([], [], label=marked(title, unmet), **style) for title, style in (curves | lines).items()]
    finish(grid, figure, handles, shown.caption, ends)
    return grid.drawing


def _end(curve: Curve, unmet: Collection[str]) -> End:
    return End(marked(curve.title, unmet), float(curve.x[-1]), float(curve.y[-1]), dict(curve.style))


def _draw(axes: Axes, panel: Panel) -> dict[str, Line2D]:
    """Draw the content of a panel, and return the lines of its curves by title."""
    axes.set(xscale=panel.x.scale, yscale=panel.y.scale)
    if None not in panel.x.ends:  # before the curves: a single point has no range
        axes.set(xlim=panel.x.ends)
    axes.grid(True)
    for change in panel.changes:
        axes.axvline(change, **_CHANGE_STYLE)
    for line in panel.lines:
        if len(line.x):
            axes.plot(line.x, line.y, label=line.title, **line.style)
    drawn = {curve.title: _draw_curve(axes, curve, panel.x.steps) for curve in panel.curves if len(curve.x)}
    for axis, shown in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        if shown.numbers:
            axis.set_major_locator(FixedLocator(_apart(sorted(set(shown.numbers)), shown.scale)))
            axis.set_major_formatter(
                FuncFormatter(lambda x, _: round_number(round(x)) if x == round(x) >= 1 else f"{x:g}")
            )
            axis.set_minor_locator(NullLocator())
        elif shown.scale == "linear":
            linear_ticks(axis, 5)
        else:
            axis.set_major_formatter(_Powers())
            axis.set_minor_formatter(_Powers(minor_thresholds=(1.5, 0.4)))
    axes.set(xlim=panel.x.ends, ylim=panel.y.ends)
    return drawn


class _Powers(LogFormatterMathtext):
    """Powers of ten, or plain numbers such as 200 and 300 if an axis shows at most one power of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = super().__call__(x, pos)
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        if not text or math.floor(math.log10(high)) > math.ceil(math.log10(low)):
            return text
        crowded = self.axis.axis_name == "x" and high > 4 * low  # type: ignore[union-attr]
        return "" if crowded and f"{x:e}"[0] in "36" else f"{x:,.10g}"  # keep 1, 2 and 4


def _draw_curve(axes: Axes, curve: Curve, steps: str) -> Line2D:
    (line,) = axes.plot(curve.x, curve.y, markevery=1, drawstyle=steps, **curve.style)
    colour = curve.style["color"]
    if curve.ends is not None and (curve.bars or len(curve.x) <= FEW_ROWS):
        axes.vlines(curve.x, *curve.ends, colors=colour, linewidth=0.8)
    elif curve.ends is not None:
        axes.fill_between(curve.x, *curve.ends, color=colour, alpha=BAND_OPACITY, linewidth=0)
    if curve.hollow is not None:
        hollow = {**curve.style, "markerfacecolor": "white", "markeredgecolor": colour, "linestyle": ""}
        axes.plot(curve.x[curve.hollow], curve.y[curve.hollow], **hollow)
    return line


def _apart(xs: Sequence[float], scale: Scale) -> list[float]:
    """Return the numbers to show on an axis: far enough apart not to overlap."""
    places = np.log(xs) if scale == "log" else np.array(xs)
    least = _LEAST_APART * (places[-1] - places[0])
    kept = [len(xs) - 1]
    for index in range(len(xs) - 2, 0, -1):
        if min(places[kept[-1]] - places[index], places[index] - places[0]) >= least:
            kept.append(index)
    return [xs[index] for index in sorted({0, *kept})]


def _share(grid: PanelGrid, panels: Sequence[Panel]) -> None:
    """Share axes of the same kind, unless they are linear and their ends differ greatly."""
    for name, edge in (("x", grid.lowest), ("y", grid.left)):
        kinds: dict[tuple[str, Scale], list[Axes]] = {}
        for axes, panel in zip(grid.panels, panels, strict=True):
            axis: content.Axis = getattr(panel, name)
            kinds.setdefault((axis.label, axis.scale), []).append(axes)
        for (_, scale), group in kinds.items():
            lows, highs = zip(*(getattr(axes, f"get_{name}lim")() for axes in group), strict=True)
            if scale == "linear" and max(highs) > _ALIKE * min(highs):
                continue
            for axes in group:
                axes.set(**{f"{name}lim": (min(lows), max(highs))})
                if len(kinds) == 1 and axes not in edge:
                    getattr(axes, f"{name}axis").set_tick_params(labelbottom=False, labelleft=False)


_BAR_LINE = 0.125
"""Height of a line of text, in inches."""
_GAP = 0.055
"""Gap between bars, in inches."""
_FRAME = 0.5
"""Height of the title, the ticks and their labels, in inches."""
_LABEL_WIDTH = 1.6
"""Maximum width of names, in inches, unless the figure is narrower than a column."""


def _bar_grid(figure: FigureEntry, panels: Sequence[str], bars: Sequence[str]) -> PanelGrid:
    """Return a titled panel for each of the ``panels``, with room for the names of the bars at the left."""
    grid = panel_grid(figure, panels, 1.0)
    names = [printable(bar, min(_LABEL_WIDTH, 0.4 * grid.drawing.get_figwidth())) for bar in bars]
    pitch = _GAP + _BAR_LINE * max((1 + name.count("\n") for name in names), default=1)
    # The panels share the width that is left beside the names.
    beside = max((text_width(line, FONT_SIZE) for name in names for line in name.split("\n")), default=0)
    free = (grid.drawing.get_figwidth() - beside) / len(grid.lowest) - 0.3
    for panel, title in zip(grid.panels, panels, strict=True):
        panel.set_title(printable(title, max(0.8, free)), linespacing=LINE_SPACING)
    rows = len(grid.panels) // len(grid.lowest) + (len(grid.panels) % len(grid.lowest) > 0)
    grid.drawing.set_figheight(rows * (_FRAME + pitch * len(bars)))
    for panel in grid.panels:
        panel.set_yticks(range(len(bars)), names if panel in grid.left else [""] * len(bars))
        panel.set_ylim(len(bars) - 0.5, -0.5)
        for name in panel.get_yticklabels():
            name.set_linespacing(1.0)
        panel.tick_params(axis="y", length=0)
    return grid


def bars_figure(figure: FigureEntry, shown: BarPanels) -> Figure:
    """Draw panels of bars, with one label below all of them."""
    grid = _bar_grid(figure, [title for title, _ in shown.panels], shown.names)
    for panel, (_, bars) in zip(grid.panels, shown.panels, strict=True):
        lengths, low, high = np.array([(bar.length, bar.low, bar.high) for bar in bars]).T
        spread = np.nan_to_num(np.array([lengths - low, high - lengths])).clip(min=0)  # rounding in older results
        drawn = panel.barh(
            range(len(bars)), lengths, height=0.66, color=BAR_COLOUR, xerr=spread.tolist() if spread.any() else None,
            error_kw={"linewidth": 0.8},
        )  # fmt: skip
        panel.bar_label(drawn, [bar.text for bar in bars], padding=2.5)
        # Room for the number at the end of the longest bar.
        panel.set_xlim(0, 1.3 * max(*lengths, *np.nan_to_num(high)) or 1.0)
        linear_ticks(panel.xaxis, 4)
        panel.grid(True, axis="x")
    for panel in grid.left:
        panel.set_ylabel(printable(figure.ylabel or "", grid.drawing.get_figheight()), linespacing=LINE_SPACING)
    caption = with_sign(shown.caption, shown.names)
    label, caption = (shown.horizontal, caption) if figure.xlabel is None else (figure.xlabel, "")
    if text := ", ".join(filter(None, (label, figure.captioned(caption)))):
        add_shared_label(grid.drawing, text)
    add_title(grid.drawing, figure.title)
    if figure.height is not None:
        grid.drawing.set_figheight(figure.height)
    return grid.drawing
