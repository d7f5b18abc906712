"""Bars of standard deviations, looked at through matplotlib's artists."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.plots.results import Results
from duelbench.plots.std import std_figure
from duelbench.spec.figures import StdFigure
from tests.drawings import Rows, experiment, linear, row

pytestmark = pytest.mark.usefixtures("project_style")


def test_std_bars_are_at_the_asked_round(tmp_path: Path) -> None:
    rows: Rows = {("d", "a"): {100: row(9, std=7.0), 1000: row(90, std=30.0)}, ("d", "b"): {1000: row(60, std=1.5)}}
    results = Results(experiment(tmp_path, rows))

    panel = std_figure(StdFigure(kind="std", at=1000), results).axes[0]
    assert [bar.get_width() for bar in panel.patches] == [30.0, 1.5]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["a", "b"]
    panel = std_figure(StdFigure(kind="std", at=100), results).axes[0]
    assert [bar.get_width() for bar in panel.patches] == [7.0, 0.0]
    assert [text.get_text() for text in panel.texts] == ["7", "no results"]


def test_std_is_normalised_by_the_mean_regret_in_the_same_panel(tmp_path: Path) -> None:
    rows: Rows = {
        ("one", "a"): {1000: row(50, std=30.0)},
        ("one", "b"): {1000: row(60, std=12.0)},
        ("two", "a"): {1000: row(50, std=30.0)},
        ("two", "b"): {1000: row(0.0, std=0.0)},
    }
    figure = std_figure(StdFigure(kind="std", normalize_by="b"), Results(experiment(tmp_path, rows)))

    one, two = figure.axes
    assert [text.get_text() for text in one.texts] == ["50.0", "20.0"]
    assert [text.get_text() for text in two.texts] == ["b has no regret"] * 2
    assert figure.get_supxlabel() == "standard deviation of regret at $t$ = $10^{3}$ (% of the mean regret of b)"


def test_std_of_a_single_run_is_said_to_be_missing(tmp_path: Path) -> None:
    results = Results(experiment(tmp_path, {("d", "a"): {1000: row(50, runs=1)}}))
    assert [text.get_text() for text in std_figure(StdFigure(kind="std"), results).axes[0].texts] == ["1 run"]


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (StdFigure(kind="std", at=990), "nearest checkpoint is 1,000"),
        (StdFigure(kind="std", normalize_by="ecw-rmde"), "did you mean 'ecw-rmed'"),
        (StdFigure(kind="std", regret="borda"), "'borda', but the runs recorded copeland"),
    ],
)
def test_a_figure_of_what_was_not_recorded_is_refused(tmp_path: Path, figure: StdFigure, words: str) -> None:
    with pytest.raises(UserError, match=words):
        std_figure(figure, Results(experiment(tmp_path, {("d", "ecw-rmed"): linear(1)})))
