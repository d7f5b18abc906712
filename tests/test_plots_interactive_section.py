"""A figure of a page: the traces that Plotly is given, and the elements around them."""

import math

import pytest

from duelbench.plots.interactive.section import Panel, Section, axis, band, curve, lines, look, numbers
from duelbench.plots.style import MARKERS, bound_style, line_style


def test_a_series_looks_as_in_the_other_formats():
    assert [look("a", line_style(place))["dash"] for place in (0, 1)] == ["solid", "7.68px,2.69px"]
    symbols = [look("a", line_style(place))["symbol"] for place in range(len(MARKERS))]
    assert all(symbols)
    assert len(set(symbols)) == len(MARKERS)
    assert look("LB", bound_style("LB"))["symbol"] == ""
    assert look("a", line_style(3))["color"] == line_style(3)["color"]


def test_numbers_are_what_json_has():
    assert numbers([1.0, 0.1, math.nan, math.inf, 1e15]) == [1, 0.1, None, None, 10**15]


def test_a_curve_says_its_name_at_each_point():
    trace = curve(2, look("<a>", line_style(0)), [1, 2], [0.5, math.nan], ["x", "y"])
    assert (trace["x"], trace["y"], trace["meta"]) == ([1, 2], [0.5, None], {"series": 2})
    assert trace["hovertext"] == ["<b>&lt;a&gt;</b><br>x", "<b>&lt;a&gt;</b><br>y"]
    assert curve(0, look("LB", bound_style("LB")), [1], [1], ["x"])["mode"] == "lines"


def test_a_band_goes_there_above_and_back_below_where_both_are_known():
    trace = band(0, look("a", line_style(0)), [1, 2, 3], [0, math.nan, 2], [4, 5, 6], 0.7)
    assert (trace["x"], trace["y"]) == ([1, 3, 3, 1], [4, 6, 2, 0])
    assert trace["meta"] == {"series": 0, "floor": 0.7}


def test_axes_have_titles_in_lines():
    assert lines("share of $\\alpha$ < 1", 8) == "share of<br>α &lt; 1"
    assert axis("t", "log") == {"title": {"text": "t"}, "type": "log", "exponentformat": "power"}


@pytest.mark.parametrize(("panels", "columns"), [(1, 1), (2, 2), (3, 3), (4, 2), (7, 3)])
def test_panels_stand_side_by_side_under_ids_of_their_own(panels, columns):
    section = Section("", "<c>", [Panel("a & b", "none: x", [], {})] * panels)
    html = section.html("figure-3", "regret")
    assert f"--columns:{columns}" in html
    assert "<h2>regret</h2>" in html
    assert html.count("<h3>a &amp; b</h3>") == html.count('<p class="note">none: x</p>') == panels
    assert '<p class="caption">&lt;c&gt;</p>' in html
    assert all(f'id="{panel["id"]}"' in html for panel in section.payload("figure-3")["panels"])
    assert len(section.payload("figure-3")["panels"]) == panels
