"""Bar figures for the page: standard deviations, shares of wrong runs, and mean ranks."""

from __future__ import annotations

from duelbench.plots.bars import BarPanels
from duelbench.plots.interactive.section import Panel, Section, axis, lines, numbers
from duelbench.plots.interactive.text import label
from duelbench.plots.style import BAR_COLOUR
from duelbench.spec.figures import IdentificationFigure, RanksFigure, StdFigure

LONGEST_LINE = 30
"""Characters of a name beside a bar."""


def bars_section(figure: StdFigure | IdentificationFigure | RanksFigure, shown: BarPanels) -> Section:
    """Return panels of horizontal bars, with the axis label of the figure."""
    names = [lines(name, LONGEST_LINE) for name in shown.names]
    places = list(range(len(names)))
    horizontal = shown.horizontal if figure.xlabel is None else figure.xlabel
    layout = {
        "yaxis": {
            "tickmode": "array",
            "tickvals": places,
            "ticktext": names,
            "range": [len(names) - 0.4, -0.6],
            "automargin": True,
        },
        "height": 70 + 16 * len(names) * (2 + max(name.count("<br>") for name in names)),
    }
    panels = []
    for title, bars in shown.panels:
        trace = {
            "type": "bar",
            "orientation": "h",
            "x": numbers(bar.length for bar in bars),
            "y": places,
            "hovertext": [
                f"<b>{name}</b><br>{label(bar.text)}"
                + (f" ({bar.low:.1%} to {bar.high:.1%})" if bar.low <= bar.high else "")
                for name, bar in zip(names, bars, strict=True)
            ],
            "hoverinfo": "text",
            "marker": {"color": BAR_COLOUR},
            "meta": {},
        }
        if any(bar.low <= bar.high for bar in bars):
            trace["error_x"] = {
                "type": "data",
                "symmetric": False,
                "array": numbers(bar.high - bar.length for bar in bars),
                "arrayminus": numbers(bar.length - bar.low for bar in bars),
                "width": 0,
                "thickness": 1,
            }
        ends = [max(bar.length, bar.high if bar.low <= bar.high else 0.0) for bar in bars]
        texts = {
            "type": "scatter",
            "mode": "text",
            "x": numbers(ends),
            "y": places,
            "text": [f" {label(bar.text)}" for bar in bars],
            "textposition": "middle right",
            "cliponaxis": False,
            "hoverinfo": "skip",
            "meta": {},
        }
        # Room for the text at the end of the longest bar.
        panels.append(
            Panel(title, "", [trace, texts], layout | {"xaxis": axis("") | {"range": [0, 1.3 * max(ends) or 1]}})
        )
    return Section(figure.title or "", horizontal, panels)
