"""The page of ``duelbench plot -f html``: figures, numbers, specs, versions and failures in one file.

It works offline: its content security policy forbids the browser to request anything, and to run any script but those
of Plotly, whatever titles and tracebacks contain.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from itertools import product
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from duelbench import __version__
from duelbench.plots.bars import Bar, BarPanels, std_bars
from duelbench.plots.identification import (
    COLUMN,
    LIMITS,
    curves_caption,
    error_bars,
    heat_caption,
    recommended_kind,
    shares_shown,
    vertical,
)
from duelbench.plots.panels import absent
from duelbench.plots.regret_curves import CHANGE_STYLE, band_of, bound_curve, log_floor, lowest, regret_shown
from duelbench.plots.scaling import scaling_shown
from duelbench.plots.style import BAND_OPACITY, BAR_COLOUR, MARKERS, NOTE_COLOUR, SHADES, bound_style, line_style
from duelbench.results.reader import Results
from duelbench.spec.figure_options import (
    Figure,
    IdentificationFigure,
    RanksFigure,
    RegretFigure,
    ScalingFigure,
    StdFigure,
)
from duelbench.spec.titles import plain

MOST_FAILURES = 50  # tracebacks on the page
_CONFIG = {"displaylogo": False, "showSendToCloud": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
_AXIS = {"automargin": True, "gridcolor": "#e4e4e4", "zeroline": False}
_MARGIN = {"t": 90, "b": 60, "l": 60, "r": 20}
_LOOK = {"layout": {"xaxis": _AXIS, "yaxis": _AXIS, "margin": _MARGIN, "hoverlabel_align": "left"}}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; script-src"
_STYLE = """
body { max-width: 1200px; margin: auto; padding: 1rem; font: 15px/1.45 system-ui, sans-serif; }
h2 { border-top: 1px solid #ddd; padding-top: 1rem; }
nav a { margin-right: 1rem; }
pre { background: #f6f6f6; padding: 1rem; overflow: auto; }
"""
_NUMBERS_CAPTION = "Columns of summary.csv, the least mean regret first. Choose a dataset above, a checkpoint below."


def page_text(results: Results, figures: Mapping[str, Figure]) -> str:
    """Return the HTML of the page of these figures, by file name; the same results give the same text.

    Raises UserError when a figure needs something that the results do not have.
    """
    shown = [(figure.title or stem, *drawn(figure, results)) for stem, figure in figures.items()]
    shown.append(("Numbers at a checkpoint", checkpoints(results), _NUMBERS_CAPTION))
    scripts, sections = [get_plotlyjs()], []
    for place, (title, figure, caption) in enumerate(shown, 1):
        figure.layout.template = _LOOK
        text = to_html(figure, _CONFIG, include_plotlyjs=False, full_html=False, div_id=f"figure-{place}")
        # To the last closing tag: if a title could end the script, the browser would not run it, as its hash differs.
        scripts += re.findall(r"<script[^>]*>(.*)</script>", text, re.DOTALL)
        sections.append((title, f"{text}<p>{_title(caption)}</p>"))
    named = len(results.sources) > 1
    sections.append(("Spec, versions and failures", "".join(_provenance(each, named) for each in results.sources)))
    title = _title(" + ".join(dict.fromkeys(each.spec.title or each.spec.name for each in results.sources)))
    hashes = " ".join(f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in scripts)
    links = "".join(f'<a href="#{place}">{_title(name)}</a>' for place, (name, _) in enumerate(sections, 1))
    body = "".join(f'<h2 id="{place}">{_title(name)}</h2>{text}\n' for place, (name, text) in enumerate(sections, 1))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY} {hashes}">
<title>{title}</title>
<style>{_STYLE}</style>
<script>{scripts[0]}</script>
</head>
<body>
<h1>{title}</h1>
<nav>{links}</nav>
<noscript><p>The figures are drawn by a script in this file: enable JavaScript to see them.</p></noscript>
{body}<footer>duelbench {__version__}</footer>
</body>
</html>
"""


def _title(title: str) -> str:
    """Return a title for HTML: ``$\\alpha$-RUCB`` as ``α-RUCB``."""
    return escape(plain(title))


def _provenance(results: Results, named: bool) -> str:
    """Return the spec of results, the executions that made them, and the tracebacks of runs that failed."""
    manifest, failures = results.manifest, list(results.failures())
    texts = {
        "Spec": manifest.spec_text,
        "Spec with every default and name resolved": json.dumps(manifest.spec, indent=1, ensure_ascii=False),
        "Executions: command, versions, commit, machine": json.dumps(manifest.executions, indent=1, ensure_ascii=False),
    }
    for labels, number, text in failures[:MOST_FAILURES]:
        last = (text.strip().splitlines() or ["no traceback"])[-1]
        texts[f"Failed: {'/'.join(labels)} run {number}: {last}"] = text.strip()
    if len(failures) > MOST_FAILURES:
        texts["Failed"] = f"{len(failures) - MOST_FAILURES:,} more runs"
    heading = f"<h3>{escape(str(results.directory))}</h3>" if named else ""
    return heading + "".join(
        f"<details><summary>{escape(what)}</summary><pre>{escape(text)}</pre></details>" for what, text in texts.items()
    )


_SYMBOLS = (
    "circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "triangle-left", "pentagon",
    "triangle-right", "hexagon",
)  # fmt: skip
"""Plotly's names of ``MARKERS``."""
_NUMBERS = (
    "mean", "sem", "std", "q05", "q50", "q95", "runs", "declared", "duels_to_declaration", "right", "votes",
    "recommended_right", "right_low", "right_high", "simple", "tau", "overlap", "epsilon", "within",
)  # fmt: skip
"""Columns of the summary in the table of a checkpoint, unless they are empty."""
_PANEL, BETWEEN, AROUND = 330, 130, 150
"""Heights in pixels: panels of curves, the space between panels for titles and labels, that above and below all."""
_AT = "%{xaxis.title.text}: %{x:,}<br>"  # what the mouse shows first
Panel = tuple[str, str, list[Any]]  # title, note, traces
Drawn = tuple[Any, str]  # figure, caption


def drawn(figure: Figure, results: Results) -> Drawn:
    """Return a figure of the spec and its caption. Raises UserError as ``duelbench.plots.drawing.drawing_of``."""
    match figure:
        case RegretFigure():
            return _regret(figure, results)
        case StdFigure():
            return _bars(figure, std_bars(figure, results))
        case ScalingFigure():
            return _scaling(figure, results)
        case IdentificationFigure(show="table"):
            return _heat_map(figure, results)
        case IdentificationFigure(show="errors"):
            return _bars(figure, error_bars(figure, results, recommended_kind(figure, results)))
        case IdentificationFigure():
            return _identification(figure, results)
        case RanksFigure():
            from duelbench.plots.rank_diagram import rank_bars  # scipy's tests take half a second to load

            return _bars(figure, rank_bars(figure, results))


def _regret(figure: RegretFigure, results: Results) -> Drawn:
    shown = regret_shown(figure, results)
    panels = []
    for panel in shown.panels:
        traces = []
        for rank, (label, rows) in enumerate(panel.curves.items()):
            least = log_floor(panel.curves.values()) if figure.y == "log" else lowest([rows])
            errors = ["" if math.isnan(sem) else f" ± {sem:,.3g} (s.e.)" for sem in rows["sem"]]
            ends = None if rows.empty else band_of(rows, figure.band)
            traces += _series(results, label, rank, rows, "mean", "regret %{y:,.5~r}", errors, ends, least)
        for names in shown.together:
            if math.isfinite(constant := panel.bounds[names[0]]):
                t, regret = bound_curve(constant, results.checkpoints)
                title, said = " = ".join(names), f"{constant:,.5g} log t = %{{y:,.5~r}}"
                traces.append(_curve(title, bound_style(names[0]), t, regret, said))
        panels.append((panel.title, panel.note, traces))
    grid = _curves(figure, panels, results.counted, shown.vertical)
    for panel, cell in zip(shown.panels, _cells(len(panels)), strict=True):
        for change in panel.changes:
            grid.add_vline(change, line={"color": CHANGE_STYLE["color"], "width": 1, "dash": "dot"}, **cell)
    return grid, shown.caption


def _identification(figure: IdentificationFigure, results: Results) -> Drawn:
    kind, column = recommended_kind(figure, results), COLUMN[figure.show]
    with_band = figure.show == "right"
    what = "simple regret" if figure.show == "simple" else "tau distance"
    said = "%{y:.1%} right" if with_band else f"{what} %{{y:,.4~r}}"
    labels = results.shown_algorithms(figure)
    panels = []
    for dataset, title in results.shown_panels(figure):
        traces, missing = [], []
        for rank, label in enumerate(labels):
            rows = results.series(dataset, label, kind)
            low, high = rows["right_low"], rows["right_high"]
            errors = [f" ({a:.1%} to {b:.1%})" if with_band else "" for a, b in zip(low, high, strict=True)]
            least = 0.7 * min((share for share in low if share > 0), default=0.01) if figure.y == "log" else 0.0
            ends = (low, high) if with_band else None
            traces += _series(results, label, rank, rows, column, said, errors, ends, least)
            missing += [results.titles[label]] * rows.empty
        panels.append((title, absent("no results", missing, len(labels)) if missing else "", traces))
    grid = _curves(figure, panels, results.counted, vertical(figure, results, kind))
    return grid, curves_caption(figure, results, kind)


def _series(
    results: Results, label: str, rank: int, rows: pd.DataFrame, column: str, said: str, errors: Iterable[str],
    ends: tuple[pd.Series[float], pd.Series[float]] | None, least: float,
) -> list[Any]:  # fmt: skip
    """Return the traces of an algorithm: a band, if it has ``ends``, cut off at ``least``, and its curve."""
    title, style = results.titles[label], line_style(results.algorithms.index(label))
    runs = [f"{count:,.0f} run{'' if count == 1 else 's'}" for count in rows["runs"]]
    texts = [f"{error}<br>{count}" for error, count in zip(errors, runs, strict=True)]
    traces = [_curve(title, style, rows["t"], rows[column], f"{_AT}{said}%{{text}}", text=texts, legendrank=rank)]
    if ends:
        band = pd.DataFrame({"t": rows["t"], "low": ends[0], "high": ends[1]}).dropna()
        fill = {"fill": "toself", "fillcolor": style["color"], "opacity": BAND_OPACITY, "mode": "none"}
        x, y = [*band["t"], *band["t"][::-1]], [max(y, least) for y in (*band["high"], *band["low"][::-1])]
        traces.insert(0, go.Scatter(x=x, y=y, legendgroup=title, showlegend=False, hoverinfo="skip", **fill))
    return traces if len(rows) else []


def _scaling(figure: ScalingFigure, results: Results) -> Drawn:
    shown = scaling_shown(figure, results)
    panels = []
    for panel in shown.panels:
        traces = []
        for curve in (each for each in panel.curves if each.points):
            points, style = pd.DataFrame(curve.points), shown.styles[curve.first]
            texts = [f" ({a:,.4g} to {b:,.4g})" if a < b else "" for a, b in zip(points.low, points.high, strict=True)]
            trace = _curve(curve.title, style, points.x, points.value, f"{_AT}%{{y:,.5~r}}%{{text}}", text=texts)
            if not curve.level:
                below = np.minimum(points.value - points.low, 0.9 * points.value)  # a log axis cannot show 0 or less
                trace.error_y = _whiskers(below, points.high - points.value)
                trace.marker.color = np.where(points.whole, style["color"], "white").tolist()  # as captions say
                trace.marker.line = {"color": np.where(points.whole, "white", style["color"]).tolist(), "width": 1}
            traces.append(trace)
        panels.append((panel.title, panel.note, traces))
    grid = _curves(figure, panels, shown.horizontal, shown.vertical)
    for panel, cell in zip(shown.panels, _cells(len(panels)), strict=True):
        ticks = sorted(set(panel.xs))
        if len(ticks) <= 10:  # else Plotly chooses
            grid.update_xaxes(tickvals=ticks, ticktext=[f"{x:,g}" for x in ticks], **cell)
    return grid, shown.caption


def _curve(title: str, style: Any, x: Iterable[float], y: Iterable[float], said: str, **settings: Any) -> Any:
    """Return the trace of a curve; the mouse shows ``said``, a template of Plotly."""
    colour, dash, width = style["color"], style["linestyle"], 1.6 * style.get("linewidth", 1.2)
    marker = style.get("marker")
    dashes = "solid" if dash == "-" else ",".join(f"{round(length * width, 2)}px" for length in dash[1])
    return go.Scatter(
        x=list(x), y=list(y), name=escaped(title, 40), legendgroup=title, mode="lines+markers" if marker else "lines",
        line={"color": colour, "width": width, "dash": dashes},
        marker={"symbol": _SYMBOLS[MARKERS.index(marker)] if marker else None, "color": colour, "size": 7},
        marker_line={"color": "white", "width": 0.5}, marker_maxdisplayed=9,
        hovertemplate=f"<b>%{{fullData.name}}</b><br>{said}<extra></extra>", **settings,
    )  # fmt: skip


def _whiskers(below: Any, above: Any) -> dict[str, Any]:
    """Return the settings of error bars."""
    ends = {"arrayminus": below.tolist(), "array": above.tolist()}
    return {**ends, "symmetric": False, "width": 0, "thickness": 1}


def _curves(
    figure: RegretFigure | IdentificationFigure | ScalingFigure, panels: list[Panel], horizontal: str, vertical: str
) -> Any:
    """Return panels of curves. A click on a name in their legend hides or shows the curve in all panels."""
    grid = _grid([panel[:2] for panel in panels], _PANEL)
    named = set()
    for (_, _, traces), cell in zip(panels, _cells(len(panels)), strict=True):
        for trace in sorted(traces, key=lambda each: each.fill is None):  # bands below curves
            if trace.fill is None:
                trace.showlegend = trace.legendgroup not in named
                named.add(trace.legendgroup)
            for axis, scale in (("x", figure.x), ("y", figure.y)):
                if scale == "log":  # Plotly would draw a line to 0
                    trace[axis] = [each if each > 0 else None for each in trace[axis]]
            grid.add_trace(trace, **cell)
    powers = {"log": "power", "linear": "SI"}
    grid.update_xaxes(title_text=escaped(horizontal if figure.xlabel is None else figure.xlabel, 50))
    grid.update_xaxes(type=figure.x, exponentformat=powers[figure.x])
    grid.update_yaxes(title_text=escaped(vertical if figure.ylabel is None else figure.ylabel, 40), col=1)
    grid.update_yaxes(type=figure.y, exponentformat=powers[figure.y], rangemode="tozero", nticks=6)
    return grid


def _bars(figure: StdFigure | IdentificationFigure | RanksFigure, shown: BarPanels) -> Drawn:
    """Return panels of horizontal bars, with the label of their axes as the caption."""
    names, places = [escaped(name, 30) for name in shown.names], list(range(len(shown.names)))
    grid = _grid([(title, "") for title, _ in shown.panels], sum(36 + 16 * name.count("<br>") for name in names))
    for (_, each), cell in zip(shown.panels, _cells(len(shown.panels)), strict=True):
        bars = pd.DataFrame(each, columns=Bar._fields)
        low, high = bars.low.fillna(bars.length), bars.high.fillna(bars.length)
        said = [escaped(text) for text in bars.text]
        ends = [f" ({a:.1%} to {b:.1%})" if a < b else "" for a, b in zip(low, high, strict=True)]
        hover = [f"<b>{name}</b><br>{text}{end}" for name, text, end in zip(names, said, ends, strict=True)]
        bar = go.Bar(x=bars.length.tolist(), y=places, orientation="h", marker_color=BAR_COLOUR, hovertext=hover)
        grid.add_trace(bar.update(error_x=_whiskers(bars.length - low, high - bars.length), hoverinfo="text"), **cell)
        texts = go.Scatter(x=high.tolist(), y=places, text=[f" {text}" for text in said], mode="text", cliponaxis=False)
        grid.add_trace(texts.update(textposition="middle right", hoverinfo="skip"), **cell)
        grid.update_xaxes(range=[0, 1.3 * high.max() or 1], **cell)  # room for the text of the longest bar
    grid.update_yaxes(tickvals=places, ticktext=names, range=[len(names) - 0.5, -0.5])
    return grid.update_layout(showlegend=False), shown.horizontal if figure.xlabel is None else figure.xlabel


def _heat_map(figure: IdentificationFigure, results: Results) -> Drawn:
    """Return the heat tables for budgets; the mouse shows the intervals."""
    kind = recommended_kind(figure, results)
    table = shares_shown(figure, results, kind)
    rows, columns = [escaped(row.title, 40) for row in table.rows], [escaped(name, 30) for name in table.columns]
    counted = "votes" if results.spec.count == "votes" else "rounds"
    grid = make_subplots(1, len(table.budgets), shared_yaxes=True, horizontal_spacing=0.02)
    for place, (budget, shares, best) in enumerate(zip(table.budgets, table.shares, table.best, strict=True)):
        numbers = np.array(["–" if math.isnan(share) else f"{100 * share:.0f}" for share in shares.flat])
        numbers = np.where(best.flat, [f"<b>{number}</b>" for number in numbers], numbers).reshape(shares.shape)
        ends = zip(table.known.low[place], table.known.high[place], strict=True)
        intervals = [["", *(f"({a:.1%} to {b:.1%})" for a, b in zip(*each, strict=True))] for each in ends]
        cells = go.Heatmap(
            z=shares.tolist(), y=rows, x=columns, text=numbers.tolist(), texttemplate="%{text}", textfont_size=10,
            customdata=intervals, hoverongaps=False, xgap=1, ygap=1, coloraxis="coloraxis",
            hovertemplate="<b>%{y}</b><br>%{x}<br>%{z:.1%} %{customdata}<extra></extra>",
        )  # fmt: skip
        grid.add_trace(cells, row=1, col=1 + place)
        grid.update_xaxes(side="top", tickangle=-90, title_text=f"{budget:,} {counted}", col=1 + place)
    grid.update_xaxes(type="category").update_yaxes(type="category", autorange="reversed")
    steps = [(end, shade) for *limits, shade in zip(LIMITS, [*LIMITS[1:], 1.0], SHADES, strict=True) for end in limits]
    key = {"tickvals": LIMITS, "tickformat": ".0%", "lenmode": "pixels", "len": 300}
    grid.update_layout(
        coloraxis={"cmin": 0, "cmax": 1, "colorscale": steps, "colorbar": key}, height=2 * AROUND + 20 * len(rows)
    )
    return grid, heat_caption(results, kind)


def checkpoints(results: Results) -> Any:
    """Return tables of the summary, the least mean regret first: a list chooses a dataset, and a slider the t."""
    known = [name for name in _NUMBERS if name in results.summary and results.summary[name].notna().any()]
    tables: dict[str, dict[Any, Any]] = {}
    for (dataset, title), kind in product(results.panels, results.spec.regret):
        rows = pd.concat([results.series(dataset, each, kind) for each in results.algorithms])
        rows = rows.sort_values("mean", kind="stable")
        cells = {"algorithm": [escaped(results.titles[each], 40) for each in rows["algorithm"]]}
        cells |= {name: [_number(value) for value in rows[name]] for name in known}
        by_t = pd.DataFrame(cells).groupby(rows["t"].to_numpy())
        tables[f"{escaped(title)}: {kind} regret"] = {t: each.to_numpy().T.tolist() for t, each in by_t}
    shown, header = list(tables.values()), ["algorithm", *(name.replace("_", " ") for name in known)]
    figure = go.Figure(layout={"font_size": 11, "height": 2 * AROUND + 24 * min(len(results.algorithms), 30)})
    for each in shown:
        table = go.Table(header_values=header, cells_height=24, columnwidth=[3, *[1] * len(known)])
        figure.add_trace(table.update(cells_values=each.get(results.checkpoints[-1], []), visible=each is shown[0]))
    lists = [_choice(title, "visible", [each == title for each in tables]) for title in tables]
    steps = [_choice(f"{t:,}", "cells.values", [each.get(t, []) for each in shown]) for t in results.checkpoints]
    return figure.update_layout(
        updatemenus=[{"buttons": lists, "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "pad": {"b": 10}}],
        sliders=[{"steps": steps, "active": len(steps) - 1, "currentvalue_prefix": f"{plain(results.counted)}: "}],
    )


def _choice(name: str, changed: str, to: Sequence[Any]) -> dict[str, Any]:
    """Return an entry of a list or a slider, which changes a property of each trace."""
    return {"label": name, "method": "restyle", "args": [changed, to]}


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{float(f'{value:.5g}'):,.10g}"


def _grid(titles: Sequence[tuple[str, str]], height: int) -> Any:
    """Return a figure with a panel of this height for each title and note."""
    cells = _cells(len(titles))
    rows, columns = (max(cell[name] for cell in cells) for name in ("row", "col"))
    inner = rows * height + (rows - 1) * BETWEEN
    small = f'<br><span style="font-size:11px;color:{NOTE_COLOUR}">'
    grid = make_subplots(
        rows, columns, vertical_spacing=BETWEEN / inner if rows > 1 else 0, horizontal_spacing=0.07,
        specs=[[{} if {"row": row, "col": col} in cells else None for col in range(1, columns + 1)]
               for row in range(1, rows + 1)],
        subplot_titles=[f"{escaped(title, 45)}{small}{escaped(note, 60)}</span>" for title, note in titles],
    )  # fmt: skip
    return grid.update_annotations(font_size=14).update_layout(height=AROUND + inner)


def _cells(count: int) -> list[dict[str, int]]:
    """Return the rows and columns of panels."""
    columns = {1: 1, 2: 2, 4: 2}.get(count, 3)
    return [{"row": 1 + place // columns, "col": 1 + place % columns} for place in range(count)]


def escaped(title: str, longest: int = 1000) -> str:
    """Return a title in lines for Plotly, which reads ``<b>``, ``&lt;`` and ``%{x}`` as markup, but not quotes."""
    return "<br>".join(escape(line, quote=False).replace("%{", "&#37;{") for line in wrap(plain(title), longest))
