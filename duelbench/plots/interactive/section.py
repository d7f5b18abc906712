"""A figure on the page: the data that ``page.js`` draws, and the HTML around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from duelbench.plots.interactive.text import heading, label, readable

Json = dict[str, Any]

SYMBOLS = {
    "o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down", "P": "cross", "X": "x",
    "<": "triangle-left", "p": "pentagon", ">": "triangle-right", "h": "hexagon",
}  # fmt: skip
"""Plotly's names of the markers of ``duelbench.plots.style``."""
MOST_COLUMNS = 3


class Panel(NamedTuple):
    """Plotly traces under a title. ``dataset``: the label of the dataset whose checkpoints they show, if they do."""

    title: str
    note: str
    traces: list[Json]
    layout: Json
    dataset: str | None = None


class Section(NamedTuple):
    """A figure: panels, the names and styles of their series, and their initial scales; or a table in HTML.

    The traces of a series have its index in ``series`` as ``meta.series``.
    """

    title: str
    caption: str
    panels: Sequence[Panel] = ()
    series: Sequence[Json] = ()
    scales: Mapping[str, str] | None = None
    table: str = ""

    def payload(self, name: str) -> Json:
        """Return the data that ``page.js`` draws."""
        return {
            "id": name,
            "series": list(self.series),
            "scales": self.scales,
            "panels": [
                {
                    "id": f"{name}-panel-{place}",
                    "data": panel.traces,
                    "layout": panel.layout,
                    "dataset": panel.dataset,
                }
                for place, panel in enumerate(self.panels, 1)
            ],
        }

    def html(self, name: str, stem: str) -> str:
        """Return the HTML elements that ``page.js`` draws into; their ids begin with ``name``."""
        count = len(self.panels)
        columns = {1: 1, 2: 2, 4: 2}.get(count, MOST_COLUMNS)
        panels = "".join(
            '<div class="panel">' + _element("h3", panel.title) + f'<div class="plot" id="{name}-panel-{place}"></div>'
            + _element('p class="note"', panel.note) + "</div>"
            for place, panel in enumerate(self.panels, 1)
        )  # fmt: skip
        body = self.table or f'<div class="panels" style="--columns:{columns}">{panels}</div>'
        caption = _element('p class="caption"', self.caption)
        return (
            f'<section id="{name}"><h2>{heading(self.title or stem)}</h2>'
            f'<div class="controls" id="{name}-controls"></div>{body}{caption}</section>'
        )


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{heading(text)}</{tag.partition(' ')[0]}>" if text else ""


def look(title: str, style: Mapping[str, Any]) -> Json:
    """Return the name and style of a series, from the line properties of ``duelbench.plots.style``."""
    width = 1.6 * float(style.get("linewidth", 1.2))
    return {
        "title": readable(title),
        "name": label(title),
        "color": style["color"],
        "dash": _dash(style["linestyle"], width),
        "width": width,
        "symbol": SYMBOLS.get(style.get("marker", ""), ""),
    }


def _dash(linestyle: Any, width: float) -> str:
    if linestyle == "-":
        return "solid"
    return ",".join(f"{round(length * width, 2)}px" for length in linestyle[1])


def curve(place: int, series: Json, x: Iterable[float], y: Iterable[float], texts: Sequence[str]) -> Json:
    """Return the trace of a curve; ``texts`` are shown when the mouse is on its points."""
    return {
        "type": "scatter",
        "mode": "lines+markers" if series["symbol"] else "lines",
        "name": series["name"],
        "x": numbers(x),
        "y": numbers(y),
        "hovertext": [f"<b>{series['name']}</b><br>{text}" for text in texts],
        "hoverinfo": "text",
        "line": {key: series[key] for key in ("color", "dash", "width")},
        "marker": {
            "symbol": series["symbol"] or "circle",
            "color": series["color"],
            "size": 7,
            "maxdisplayed": 9,
            "line": {"color": "white", "width": 0.5},
        },
        "meta": {"series": place},
    }


def band(
    place: int, series: Json, x: Iterable[float], low: Iterable[float], high: Iterable[float], floor: float | None
) -> Json:
    """Return the trace of a band; on a logarithmic axis it is cut off at ``floor``."""
    t, bottom, top = numbers(x), numbers(low), numbers(high)
    known = [i for i in range(len(t)) if bottom[i] is not None and top[i] is not None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": series["name"],
        "x": [t[i] for i in [*known, *reversed(known)]],
        "y": [*(top[i] for i in known), *(bottom[i] for i in reversed(known))],
        "fill": "toself",
        "fillcolor": series["color"],
        "opacity": 0.18,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "meta": {"series": place, "floor": floor},
    }


def axes(horizontal: str, vertical: str, scales: Mapping[str, str]) -> Json:
    """Return the layout of a panel of curves."""
    return {
        "xaxis": axis(horizontal, scales["x"], 60),
        "yaxis": {**axis(vertical, scales["y"], 40), "rangemode": "tozero", "nticks": 6},
        "height": 380,
    }


def axis(title: str, scale: str = "linear", longest: int = 60) -> Json:
    """Return the layout of an axis; its title is wrapped to lines of at most ``longest`` characters."""
    return {
        "title": {"text": lines(title, longest)},
        "type": scale,
        "exponentformat": "power" if scale == "log" else "SI",
    }


def lines(title: str, longest: int) -> str:
    """Return a title for Plotly, wrapped to lines of at most ``longest`` characters."""
    return "<br>".join(map(label, wrap(readable(title), longest)))


def numbers(values: Iterable[float]) -> list[float | None]:
    """Return numbers for JSON: integers if they are whole, and None if they are not finite."""
    return [None if not np.isfinite(x) else int(x) if x == int(x) else float(x) for x in values]
