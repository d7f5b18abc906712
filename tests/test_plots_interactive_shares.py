"""The table of who names a best arm, in a page."""

import re

from duelbench.plots.interactive.shares import shade_rules, shares_section
from duelbench.plots.results import Results
from duelbench.plots.style import SHADES
from duelbench.spec.figures import IdentificationFigure
from tests.paged import made

TABLE = IdentificationFigure(kind="identification", show="table")


def test_its_cells_are_those_of_the_figure(tmp_path):
    results = Results(made(tmp_path))
    html = shares_section(TABLE, results).table
    assert re.findall(r'<th scope="row">(.*?)</th>', html) == ["late", "other", "none"]
    assert re.findall(r"<td .*?>(.*?)</td>", html) == ["100"] * 6 + ["–"] * 3
    assert 'class="shade-5 best" title="late, d-arms=5: 99.9% (94.9% to 99.9%)"' in html
    assert 'class="shade-0" title="none, mean: no results"' in html
    assert "<h3>1,000 rounds</h3>" in html
    assert "percent of 4 runs" in shares_section(TABLE, results).caption


def test_every_shade_has_its_colours():
    rules = shade_rules().splitlines()
    assert [re.findall(r"background: (#\w+)", rule)[0] for rule in rules] == list(SHADES)
    assert ["white" in rule.partition("color: ")[2] for rule in rules] == [False] * 4 + [True] * 2
