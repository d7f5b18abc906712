"""The page of ``duelbench plot -f html``: figures, numbers, specs, versions and failures in one file.

It works offline: its content security policy forbids the browser to request anything, and to run any script but those
of Plotly, whatever titles and tracebacks contain.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
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
from duelbench.plots.bars import Bar, BarPanels, label_of_bars, std_bars
from duelbench.plots.contents import curves_of
from duelbench.plots.curves import CHANGE_STYLE, Axis, Curve, Curves, Panel
from duelbench.plots.identification import LIMITS, error_bars, heat_caption, recommended_kind, shares_shown
from duelbench.plots.labels import rounded
from duelbench.plots.style import BAND_OPACITY, BAR_COLOUR, NOTE_COLOUR, SHADES
from duelbench.results.reader import Results
from duelbench.spec.figure_options import (
    MARKERS,
    CurvesFigure,
    Figure,
    IdentificationFigure,
    RanksFigure,
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
Drawn = tuple[Any, str]  # figure, caption


def drawn(figure: Figure, results: Results) -> Drawn:
    """Return a figure of the spec and its caption. Raises UserError as ``duelbench.plots.drawing.drawing_of``."""
    match figure:
        case StdFigure():
            return _bars(figure, std_bars(figure, results))
        case IdentificationFigure(show="table"):
            return _heat_map(figure, results)
        case IdentificationFigure(show="errors"):
            return _bars(figure, error_bars(figure, results))
        case RanksFigure():
            from duelbench.plots.rank_diagram import rank_bars  # scipy's tests take half a second to load

            return _bars(figure, rank_bars(figure, results))
        case CurvesFigure():
            shown = curves_of(figure, results)
            return _curves(shown), figure.captioned(shown.caption)
    raise AssertionError(figure)


def _curves(shown: Curves) -> Any:
    """Return panels of curves. A click on a name in their legend hides or shows the curve in all panels."""
    grid = _grid([(panel.title, panel.note) for panel in shown.panels], _PANEL)
    order = [*dict.fromkeys(curve.title for panel in shown.panels for curve in panel.curves)]
    named = set[str]()
    for panel, cell in zip(shown.panels, _cells(len(shown.panels)), strict=True):
        curves = [curve for curve in (*panel.curves, *panel.lines) if len(curve.x)]
        for curve in curves:
            if curve.ends is not None and not curve.bars:
                grid.add_trace(_band(curve), **cell)
        for curve in curves:
            rank = order.index(curve.title) if curve.title in order else None
            grid.add_trace(_curve(curve, panel, legendrank=rank, showlegend=curve.title not in named), **cell)
            named.add(curve.title)
        for change in panel.changes:
            grid.add_vline(change, line={"color": CHANGE_STYLE["color"], "width": 1, "dash": "dot"}, **cell)
        grid.update_xaxes(title_text=escaped(panel.x.label, 50), **_axis(panel.x), **cell)
        grid.update_yaxes(**_axis(panel.y), rangemode="tozero", nticks=6, **cell)
        if cell["col"] == 1:
            grid.update_yaxes(title_text=escaped(panel.y.label, 40), **cell)
        ticks = sorted(set(panel.x.numbers))
        if ticks and len(ticks) <= 10:  # else Plotly chooses
            grid.update_xaxes(tickvals=ticks, ticktext=[f"{x:,g}" for x in ticks], **cell)
    return grid


def _axis(axis: Axis) -> dict[str, Any]:
    """Return the settings of an axis; Plotly's range of a logarithmic one is in powers of ten."""
    log = axis.scale == "log"
    ends = [end if end is None or not log else math.log10(end) for end in axis.ends]
    given = ends if ends != [None, None] else None
    return {"type": axis.scale, "exponentformat": "power" if log else "SI", "range": given}


def _band(curve: Curve) -> Any:
    assert curve.ends is not None
    band = pd.DataFrame({"x": curve.x, "low": curve.ends[0], "high": curve.ends[1]}).dropna()
    return go.Scatter(
        x=[*band.x, *band.x[::-1]], y=[*band.high, *band.low[::-1]], legendgroup=curve.title, showlegend=False,
        hoverinfo="skip", fill="toself", fillcolor=curve.style["color"], opacity=BAND_OPACITY, mode="none",
    )  # fmt: skip


def _curve(curve: Curve, panel: Panel, **settings: Any) -> Any:
    """Return the trace of a curve; the mouse shows the point and its text."""
    style, colour = curve.style, curve.style["color"]
    dash, width, marker = style["linestyle"], 1.6 * style.get("linewidth", 1.2), style.get("marker")
    symbol = {"symbol": _SYMBOLS[MARKERS.index(marker)] if marker else None, "color": colour, "size": 7}
    dashes = "solid" if dash == "-" else ",".join(f"{round(length * width, 2)}px" for length in dash[1])
    shape = {"default": "linear", "steps-pre": "vh", "steps-post": "hv"}[panel.x.steps]
    trace = go.Scatter(
        x=curve.x.tolist(), y=curve.y.tolist(), name=escaped(curve.title, 40), legendgroup=curve.title,
        mode="lines+markers" if marker else "lines", marker=symbol,
        line={"color": colour, "width": width, "dash": dashes, "shape": shape},
        marker_line={"color": "white", "width": 0.5}, marker_maxdisplayed=0 if curve.bars else 9,
        text=["<br>".join(map(escaped, text.split("\n"))) for text in curve.hover],
        hovertemplate="<b>%{fullData.name}</b><br>%{xaxis.title.text}: %{x:,}<br>%{text}<extra></extra>", **settings,
    )  # fmt: skip
    if curve.bars and curve.ends is not None:
        trace.error_y = _whiskers(curve.y - curve.ends[0], curve.ends[1] - curve.y)
    if curve.hollow is not None:
        trace.marker.color = np.where(curve.hollow, "white", colour).tolist()  # as captions say
        trace.marker.line = {"color": np.where(curve.hollow, colour, "white").tolist(), "width": 1}
    return trace


def _whiskers(below: Any, above: Any) -> dict[str, Any]:
    """Return the settings of error bars."""
    ends = {"arrayminus": below.tolist(), "array": above.tolist()}
    return {**ends, "symmetric": False, "width": 0, "thickness": 1}


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
    return grid.update_layout(showlegend=False), label_of_bars(figure, shown)


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
    return grid, figure.captioned(heat_caption(results, kind))


def checkpoints(results: Results) -> Any:
    """Return tables of the summary, the least mean regret first: a list chooses a dataset, and a slider the t."""
    known = [name for name in _NUMBERS if name in results.summary and results.summary[name].notna().any()]
    tables: dict[str, dict[Any, Any]] = {}
    for (dataset, title), kind in product(results.panels, results.spec.regret):
        rows = pd.concat([results.series(dataset, each, kind) for each in results.algorithms])
        rows = rows.sort_values("mean", kind="stable")
        cells = {"algorithm": [escaped(results.titles[each], 40) for each in rows["algorithm"]]}
        cells |= {name: [rounded(value) for value in rows[name]] for name in known}
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
    """Return text in lines for Plotly, which reads ``<b>``, ``&lt;`` and ``%{x}`` as markup, but not quotes."""
    return "<br>".join(escape(line, quote=False).replace("%{", "&#37;{") for line in wrap(plain(title), longest))
