"""Text made fit to print; wrapping is in test_plots_layout.py, too."""

import pytest
from matplotlib.figure import Figure

from duelbench.plots.text import printable

pytestmark = pytest.mark.usefixtures("project_style")


@pytest.mark.parametrize("text", ["W" * 60, "i" * 60, "words of different lengths, some of them short " * 3])
@pytest.mark.parametrize("size", [7.0, 8.0])
def test_no_line_is_wider_than_it_may_be(text, size):
    figure = Figure(figsize=(5, 5))
    drawn = figure.text(0, 0.5, printable(text, 1.0, size), size=size)
    assert 0.75 < drawn.get_window_extent().width / figure.dpi < 1.05
    assert drawn.get_text().replace("\n", "").replace(" ", "") == text.replace(" ", "")


def test_mathematics_is_whole_in_one_line():
    said = printable(r"on $K = 5$ arms, $\Delta_{\min} = 0.01$", 0.5)
    assert all(line.count("$") % 2 == 0 for line in said.split("\n"))
    assert said.count("\n") >= 2
