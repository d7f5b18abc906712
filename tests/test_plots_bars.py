"""Panels of bars: their names, however long, are beside their bars."""

import pytest

from duelbench.plots.results import Results
from duelbench.plots.std import std_figure
from duelbench.spec.figures import StdFigure
from tests.drawings import experiment, linear

pytestmark = pytest.mark.usefixtures("project_style")


@pytest.mark.parametrize("size", [None, "column", "page"])
def test_names_of_bars_are_not_over_each_other(tmp_path, size):
    labels = [f"an algorithm with a name of many words {place}" if place % 2 else f"a{place}" for place in range(7)]
    results = Results(experiment(tmp_path, {(d, a): linear(1) for d in ("one", "two") for a in labels}))
    figure = std_figure(StdFigure(kind="std", size=size), results)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].get_yticklabels()]
    assert not any(a.overlaps(b.shrunk(1, 0.9)) for place, a in enumerate(boxes) for b in boxes[:place])
    assert min(box.x0 for box in boxes) >= 0


def test_only_what_is_named_is_shown_in_that_order_at_that_size(tmp_path):
    results = Results(experiment(tmp_path, {(d, a): linear(1) for d in ("one", "two") for a in "abc"}))
    figure = std_figure(
        StdFigure(
            kind="std", algorithms=("c", "a"), datasets=("two",), width=3.0, height=1.5, xlabel="risk", ylabel="y"
        ),
        results,
    )
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.get_yticklabels()] == ["c", "a"]
    assert panel.get_title() == "Title of two"
    assert tuple(figure.get_size_inches()) == (3.0, 1.5)
    assert (figure.get_supxlabel(), panel.get_ylabel()) == ("risk", "y")
