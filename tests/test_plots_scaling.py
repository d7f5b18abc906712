"""Figures of a number against the arms or the delay, looked at through matplotlib's artists."""

import csv
import json

import matplotlib.style
import pytest
from matplotlib.collections import LineCollection

from duelbench.errors import UserError
from duelbench.plots import draw
from duelbench.plots.results import DECLARATION_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS, Results, ScalingFigure
from duelbench.plots.scaling import UNFILLED, scaling_figure
from duelbench.plots.style import STYLE

DATASETS = [
    {"label": f"{grid}-arms={arms}", "title": f"Title, K = {arms}", "arms": arms, "grid": grid}
    for grid in ("one", "two")
    for arms in (20, 5, 10)  # not in order
]
RIGHT = {"declared": 1, "duels_to_declaration": 9, "right": 1}
PLAIN = {"runs": 16, "std": 4, "sem": 1, **dict.fromkeys(("q05", "q25", "q50", "q75", "q95"), 1)}


@pytest.fixture(autouse=True)
def project_style():
    with matplotlib.style.context(["default", STYLE]):
        yield


@pytest.fixture
def results(tmp_path):
    def write(numbers, datasets=DATASETS, algorithms=("a", "b"), figures=()):
        """``numbers(dataset, algorithm)`` are those at T = 1000, or None."""
        spec = {
            "horizons": [1000],
            "regret": ["copeland"],
            "datasets": datasets,
            "algorithms": [{"label": label} for label in algorithms],
            "figures": list(figures),
        }
        (tmp_path / "manifest.json").write_text(json.dumps({"spec": spec}))
        with (tmp_path / "summary.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, [*TEXT_COLUMNS, *NUMBER_COLUMNS, *DECLARATION_COLUMNS])
            writer.writeheader()
            for dataset in datasets:
                for label in algorithms:
                    if (row := numbers(dataset, label)) is not None:
                        names = {"dataset": dataset["label"], "algorithm": label, "regret": "copeland", "t": 1000}
                        writer.writerow(names | PLAIN | {"mean": 1} | row)
        return Results(tmp_path)

    return write


def curves(figure):
    """The curves of each panel, by x: marker-only lines, which mark hollow points, left out."""
    return [
        [dict(zip(*line.get_data(), strict=True)) for line in panel.lines if len(line.get_xdata()) > 1]
        for panel in figure.axes
    ]


def hollow(figure):
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for panel in figure.axes
        for line in panel.lines
        if line.get_markerfacecolor() == "white"
    ]


def test_a_panel_per_grid_and_a_curve_per_algorithm_by_the_arms(results):
    made = results(lambda d, a: {"mean": d["arms"] * (2 if a == "a" else 3)})
    figure = scaling_figure(ScalingFigure(), made)
    assert [panel.get_title() for panel in figure.axes] == ["one", "two"]
    assert curves(figure) == [[{5: 10, 10: 20, 20: 40}, {5: 15, 10: 30, 20: 60}]] * 2
    assert figure.axes[0].get_xlabel() == "number of arms $K$"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    bars = [line for line in figure.axes[0].collections if isinstance(line, LineCollection)]
    assert bars[0].get_segments()[0].tolist() == [[5, 9], [5, 11]]


def test_delays_make_a_panel_per_dataset(results):
    datasets = [
        {"label": f"{name}-delay={delay}", "title": f"Title of {name}", "arms": 5, "delay": delay, "grid": name}
        for name in ("x", "y")
        for delay in (1, 100)
    ]
    figure = scaling_figure(ScalingFigure(against="delay"), results(lambda d, a: {"mean": d["delay"]}, datasets))
    assert [panel.get_title() for panel in figure.axes] == ["Title of x", "Title of y"]
    assert curves(figure) == [[{1: 1, 100: 100}] * 2] * 2
    assert figure.axes[1].get_xlabel() == "delay of outcomes (rounds)"


def test_datasets_of_no_grid_share_a_panel(results):
    datasets = [{"label": name, "title": name, "arms": arms} for name, arms in (("m", 7), ("n", 3))]
    figure = scaling_figure(ScalingFigure(), results(lambda d, a: {"mean": d["arms"]}, datasets))
    assert curves(figure) == [[{3: 3, 7: 7}] * 2]


def test_runs_without_a_declaration_count_with_the_horizon_and_show(results):
    def numbers(dataset, algorithm):
        if algorithm == "b":
            return {"declared": 1, "duels_to_declaration": 300, "right": 1}
        if dataset["arms"] == 20:
            return {"declared": 0}
        return {"declared": 0.5, "duels_to_declaration": 200, "right": 0.75}

    made = results(numbers, DATASETS[:3])
    figure = scaling_figure(ScalingFigure(show="duels"), made)
    assert curves(figure) == [[{5: 600, 10: 600, 20: 1000}, {5: 300, 10: 300, 20: 300}]]
    assert sorted(hollow(figure)) == [(5, 600), (10, 600), (20, 1000)]
    assert figure.legends[0].get_title().get_text() == UNFILLED
    errors = scaling_figure(ScalingFigure(show="errors", y="linear"), made)
    assert curves(errors) == [[{5: 0.25, 10: 0.25}, {5: 0, 10: 0, 20: 0}]]


def test_algorithms_that_declare_nothing_have_no_curve(results):
    made = results(
        lambda d, a: {"declared": 1, "duels_to_declaration": 9, "right": 1} if a == "b" else {}, DATASETS[:3]
    )
    figure = scaling_figure(ScalingFigure(show="duels"), made)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["b"]
    assert figure.legends[0].get_title().get_text() == ""


def test_missing_results_are_named(results):
    made = results(lambda d, a: {"mean": 2} if a == "b" else None, DATASETS[:3])
    figure = scaling_figure(ScalingFigure(), made)
    assert [text.get_text() for text in figure.axes[0].texts] == ["no results: a"]


def test_a_round_that_was_not_recorded_is_an_error(results):
    with pytest.raises(UserError, match="nearest checkpoint is 1,000"):
        scaling_figure(ScalingFigure(at=500), results(lambda d, a: {}))


def test_files_are_named_by_what_they_show(results, tmp_path):
    figures = [{"kind": "scaling"}, {"kind": "scaling", "show": "duels"}, {"kind": "scaling", "file": "mine"}]
    results(lambda d, a: {"declared": 1, "duels_to_declaration": 9, "right": 1}, figures=figures)
    assert [path.name for path in draw(tmp_path, formats=["png"])] == [
        "regret-by-arms.png",
        "duels-by-arms.png",
        "mine.png",
    ]
