"""Bars of a page."""

from duelbench.plots.bars import Bar, BarPanels
from duelbench.plots.interactive.bars import bars_section
from duelbench.spec.figures import StdFigure

NAMES = ["$\\alpha$", "a name that is longer than all the others, by far"]


def test_bars_have_their_values_at_their_ends_and_ranges_where_they_have_some():
    shown = BarPanels(
        NAMES, [("d", [Bar(2.0, "2"), Bar(0.0, "1 run")]), ("e", [Bar(0.1, "10.0%", 0.05, 0.2)] * 2)], "h"
    )
    section = bars_section(StdFigure(kind="std"), shown)
    assert (section.caption, [panel.title for panel in section.panels]) == ("h", ["d", "e"])
    bars, said = section.panels[0].traces
    assert (bars["x"], said["x"]) == ([2, 0], [2, 0])
    assert said["text"] == [" 2", " 1 run"]
    assert "error_x" not in bars
    bars, said = section.panels[1].traces
    assert bars["error_x"]["array"] == [0.1, 0.1]
    assert bars["error_x"]["arrayminus"] == [0.05, 0.05]
    assert said["x"] == [0.2, 0.2]  # beyond the range
    assert bars["hovertext"][0] == "<b>α</b><br>10.0% (5.0% to 20.0%)"
    assert section.panels[0].layout["yaxis"]["ticktext"] == [
        "α",
        "a name that is longer than all<br>the others, by far",
    ]


def test_the_axis_says_what_the_spec_has_it_say():
    shown = BarPanels(["a"], [("d", [Bar(0.0, "no results")])], "h")
    section = bars_section(StdFigure(kind="std", xlabel="x", title="T"), shown)
    assert (section.caption, section.title) == ("x", "T")
    assert section.panels[0].layout["xaxis"]["range"] == [0, 1]
