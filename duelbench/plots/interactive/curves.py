"""Figures of curves for the page: regret, identification and scaling."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from duelbench.plots.identification import COLUMN, curves_caption, recommended_kind, vertical
from duelbench.plots.interactive.section import Json, Panel, Section, axes, band, curve, look, numbers
from duelbench.plots.interactive.text import readable
from duelbench.plots.layout import absent
from duelbench.plots.regret import CHANGE_STYLE, RegretPanel, band_of, bound_curve, log_floor, lowest, regret_shown
from duelbench.plots.scaling import ScalingCurve, scaling_shown
from duelbench.plots.style import bound_style, line_style
from duelbench.results.reader import Results
from duelbench.spec.figures import IdentificationFigure, RegretFigure, ScalingFigure

MOST_TICKS = 10


def regret_section(figure: RegretFigure, results: Results) -> Section:
    """Return the curves, bands and bounds that ``regret_figure`` draws. Raises as it does."""
    shown = regret_shown(figure, results)
    labels = results.shown_algorithms(figure)
    scales = {"x": figure.x, "y": figure.y}
    looks = _looks(results, labels)
    looks += [look(" = ".join(names), bound_style(names[0])) for names in shown.together]
    places = {label: place for place, label in enumerate(labels)}
    places |= {names[0]: len(labels) + place for place, names in enumerate(shown.together)}
    layout = axes(*_said(figure, results.counted, shown.vertical), scales)
    panels = [
        Panel(
            panel.title,
            panel.note,
            _regret_traces(figure, results, panel, looks, places),
            layout | {"shapes": [_change(t) for t in panel.changes]} if panel.changes else layout,
            panel.dataset,
        )
        for panel in shown.panels
    ]
    return Section(figure.title or "", shown.caption, panels, looks, scales)


def _change(t: int) -> Json:
    """Return the vertical line at a round in which preferences change."""
    look = {"color": CHANGE_STYLE["color"], "width": 1, "dash": "dot"}
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": t,
        "x1": t,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": look,
    }


def _regret_traces(
    figure: RegretFigure, results: Results, panel: RegretPanel, looks: Sequence[Json], places: dict[str, int]
) -> list[Json]:
    floor = log_floor(panel.curves.values())
    bands, lines = [], []
    for label, rows in panel.curves.items():
        if rows.empty:
            continue
        place = places[label]
        texts = [
            f"{_at(results, t)}<br>regret {mean:,.5g}{_error(sem)}<br>{_runs(runs)}"
            for t, mean, sem, runs in zip(rows["t"], rows["mean"], rows["sem"], rows["runs"], strict=True)
        ]
        lines.append(curve(place, looks[place], rows["t"], rows["mean"], texts))
        if ends := band_of(rows, figure.band):
            bands.append(band(place, looks[place], rows["t"], ends[0].clip(lower=lowest([rows])), ends[1], floor))
    for name, constant in panel.bounds.items():
        if math.isinf(constant):
            continue
        t, regret = bound_curve(constant, results.checkpoints)
        texts = [f"{constant:,.5g} log t = {bound:,.5g}" for bound in regret]
        lines.append(curve(places[name], looks[places[name]], t, regret, texts))
    return [*bands, *lines]


def identification_section(figure: IdentificationFigure, results: Results) -> Section:
    """Return the curves that ``identification_figure`` draws. Raises as it does."""
    kind = recommended_kind(figure, results)
    labels = results.shown_algorithms(figure)
    looks = _looks(results, labels)
    scales = {"x": figure.x, "y": figure.y}
    layout = axes(*_said(figure, results.counted, vertical(figure, results, kind)), scales)
    panels = []
    for dataset, title in results.shown_panels(figure):
        bands, lines, missing = [], [], []
        for place, label in enumerate(labels):
            rows = results.series(dataset, label, kind)
            if rows.empty:
                missing.append(results.titles[label])
                continue
            column = COLUMN[figure.show]
            lines.append(curve(place, looks[place], rows["t"], rows[column], _recommended(results, rows, figure.show)))
            if figure.show == "right":
                floor = 0.7 * min((share for share in rows["right_low"] if share > 0), default=0.01)
                bands.append(band(place, looks[place], rows["t"], rows["right_low"], rows["right_high"], floor))
        note = absent("no results", missing, len(labels)) if missing else ""
        panels.append(Panel(title, note, [*bands, *lines], layout, dataset))
    return Section(figure.title or "", curves_caption(figure, results, kind), panels, looks, scales)


def _recommended(results: Results, rows: pd.DataFrame, show: str) -> list[str]:
    if show == "right":
        shares = zip(rows["recommended_right"], rows["right_low"], rows["right_high"], strict=True)
        said = [f"{right:.1%} right ({low:.1%} to {high:.1%})" for right, low, high in shares]
    else:
        what = "simple regret" if show == "simple" else "tau distance"
        said = [f"{what} {value:,.4g}" for value in rows[COLUMN[show]]]
    return [
        f"{_at(results, t)}<br>{text}<br>{_runs(runs)}"
        for t, text, runs in zip(rows["t"], said, rows["runs"], strict=True)
    ]


def scaling_section(figure: ScalingFigure, results: Results) -> Section:
    """Return the curves that ``scaling_figure`` draws. Raises as it does."""
    # The page can switch to a linear axis, so it has all points; the browser omits those that a log axis cannot show.
    shown = scaling_shown(figure.model_copy(update={"y": "linear"}), results)
    firsts = {curve.first: curve.title for panel in shown.panels for curve in panel.curves if curve.points}
    looks = [look(title, shown.styles[first]) for first, title in firsts.items()]
    places = {first: place for place, first in enumerate(firsts)}
    scales = {"x": figure.x, "y": figure.y}
    horizontal, vertical = _said(figure, shown.horizontal, shown.vertical)
    layout = axes(horizontal, vertical, scales)
    panels = [
        Panel(
            panel.title,
            panel.note,
            [
                _scaling_trace(places[each.first], looks[places[each.first]], each, readable(shown.horizontal))
                for each in panel.curves
                if each.points
            ],
            layout | {"xaxis": layout["xaxis"] | _ticks(panel.xs)},
        )
        for panel in shown.panels
    ]
    return Section(figure.title or "", shown.caption, panels, looks, scales)


def _ticks(xs: Sequence[float]) -> Json:
    """Return ticks at the values that were run, if they are few."""
    values = sorted(set(xs))
    if len(values) > MOST_TICKS:
        return {}
    return {"tickmode": "array", "tickvals": numbers(values), "ticktext": [f"{x:,g}" for x in values]}


def _scaling_trace(place: int, series: Json, shown: ScalingCurve, horizontal: str) -> Json:
    points = shown.points
    texts = [
        f"{horizontal} = {point.x:,g}<br>{point.value:,.5g}"
        + (f" ({point.low:,.4g} to {point.high:,.4g})" if point.low < point.high else "")
        for point in points
    ]
    trace = curve(place, series, [point.x for point in points], [point.value for point in points], texts)
    if not shown.level:
        # A log axis cannot show 0 or less.
        least = [max(point.low, 0.1 * point.value) for point in points]
        trace["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": numbers(point.high - point.value for point in points),
            "arrayminus": numbers(point.value - low for point, low in zip(points, least, strict=True)),
            "width": 0,
            "thickness": 1,
        }
        color = series["color"]
        trace["marker"] = {
            "symbol": series["symbol"],
            "size": 8,
            "color": [color if point.whole else "white" for point in points],
            "line": {"color": ["white" if point.whole else color for point in points], "width": 1},
        }
    return trace


def _looks(results: Results, labels: Sequence[str]) -> list[Json]:
    order = results.algorithms
    return [look(results.titles[label], line_style(order.index(label))) for label in labels]


def _said(
    figure: RegretFigure | IdentificationFigure | ScalingFigure, horizontal: str, vertical: str
) -> tuple[str, str]:
    return (
        horizontal if figure.xlabel is None else figure.xlabel,
        vertical if figure.ylabel is None else figure.ylabel,
    )


def _at(results: Results, t: float) -> str:
    return f"{t:,.0f} votes" if results.spec.count == "votes" else f"t = {t:,.0f}"


def _error(sem: float) -> str:
    return "" if math.isnan(sem) else f" ± {sem:,.3g} (s.e.)"


def _runs(count: float) -> str:
    return f"{count:,.0f} run{'' if count == 1 else 's'}"
