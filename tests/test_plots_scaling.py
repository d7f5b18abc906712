"""Figures of a number against the arms or the delay, looked at through matplotlib's artists."""

import pytest
from matplotlib.collections import LineCollection

from duelbench.errors import UserError
from duelbench.plots import draw
from duelbench.plots.results import Results
from duelbench.plots.scaling import UNFILLED, scaling_figure
from duelbench.spec.figures import ScalingFigure
from tests.experiments import QUANTILES, resolved, write_results

DATASETS = [
    {"label": f"{grid}-arms={arms}", "title": f"Title, K = {arms}", "arms": arms, "grid": grid}
    for grid in ("one", "two")
    for arms in (20, 5, 10)  # not in order
]
RIGHT = {"declared": 1, "duels_to_declaration": 9, "right": 1}
PLAIN = {"runs": 16, "std": 4, "sem": 1, **dict.fromkeys(QUANTILES, 1)}


pytestmark = pytest.mark.usefixtures("project_style")


@pytest.fixture
def results(tmp_path):
    def write(numbers, datasets=DATASETS, algorithms=("a", "b"), figures=()):
        """``numbers(dataset, algorithm)`` are those at T = 1000, or None."""
        rows = [
            ((dataset["label"], label, "copeland", 1000), PLAIN | {"mean": 1} | row)
            for dataset in datasets
            for label in algorithms
            if (row := numbers(dataset, label)) is not None
        ]
        return Results(write_results(tmp_path, resolved(datasets, algorithms, figures=figures), rows))

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
    figure = scaling_figure(ScalingFigure(kind="scaling"), made)
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
    figure = scaling_figure(
        ScalingFigure(kind="scaling", against="delay"), results(lambda d, a: {"mean": d["delay"]}, datasets)
    )
    assert [panel.get_title() for panel in figure.axes] == ["Title of x", "Title of y"]
    assert curves(figure) == [[{1: 1, 100: 100}] * 2] * 2
    assert figure.axes[1].get_xlabel() == "delay of outcomes (rounds)"


def test_datasets_of_no_grid_share_a_panel(results):
    datasets = [{"label": name, "title": name, "arms": arms} for name, arms in (("m", 7), ("n", 3))]
    figure = scaling_figure(ScalingFigure(kind="scaling"), results(lambda d, a: {"mean": d["arms"]}, datasets))
    assert curves(figure) == [[{3: 3, 7: 7}] * 2]


def test_runs_without_a_declaration_count_with_the_horizon_and_show(results):
    def numbers(dataset, algorithm):
        if algorithm == "b":
            return {"declared": 1, "duels_to_declaration": 300, "right": 1}
        if dataset["arms"] == 20:
            return {"declared": 0}
        return {"declared": 0.5, "duels_to_declaration": 200, "right": 0.75}

    made = results(numbers, DATASETS[:3])
    figure = scaling_figure(ScalingFigure(kind="scaling", show="duels"), made)
    assert curves(figure) == [[{5: 600, 10: 600, 20: 1000}, {5: 300, 10: 300, 20: 300}]]
    assert sorted(hollow(figure)) == [(5, 600), (10, 600), (20, 1000)]
    assert figure.legends[0].get_title().get_text() == UNFILLED
    errors = scaling_figure(ScalingFigure(kind="scaling", show="errors", y="linear"), made)
    assert curves(errors) == [[{5: 0.25, 10: 0.25}, {5: 0, 10: 0, 20: 0}]]


def test_algorithms_that_declare_nothing_have_no_curve(results):
    made = results(
        lambda d, a: {"declared": 1, "duels_to_declaration": 9, "right": 1} if a == "b" else {}, DATASETS[:3]
    )
    figure = scaling_figure(ScalingFigure(kind="scaling", show="duels"), made)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["b"]
    assert figure.legends[0].get_title().get_text() == ""


def test_missing_results_are_named(results):
    made = results(lambda d, a: {"mean": 2} if a == "b" else None, DATASETS[:3])
    figure = scaling_figure(ScalingFigure(kind="scaling"), made)
    assert [text.get_text() for text in figure.axes[0].texts] == ["no results: a"]


def test_a_round_that_was_not_recorded_is_an_error(results):
    with pytest.raises(UserError, match="nearest checkpoint is 1,000"):
        scaling_figure(ScalingFigure(kind="scaling", at=500), results(lambda d, a: {}))


def test_it_is_drawn_under_its_name(results, tmp_path):
    results(lambda d, a: RIGHT, figures=[{"kind": "scaling", "show": "duels"}])
    assert [path.name for path in draw(tmp_path, formats=["png"])] == ["duels-by-arms.png"]


def test_zero_has_its_number_on_a_linear_axis(results):
    datasets = [{"label": f"g-gap={gap}", "grid": "g", "point": {"gap": gap}, "arms": 5} for gap in (0, 0.5, 1, 1000)]
    made = results(lambda d, a: {"mean": 1}, datasets)
    figure = scaling_figure(ScalingFigure(kind="scaling", against="gap", x="linear"), made)
    figure.draw_without_rendering()
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["0", "$10^{3}$"]
    with pytest.raises(UserError, match="gap = 0 has no place on a logarithmic axis"):
        scaling_figure(ScalingFigure(kind="scaling", against="gap"), made)


def test_algorithms_against_their_parameter_and_one_that_has_none(results):
    made = results(lambda d, a: {"mean": {"r-alpha=1": 3, "r-alpha=2": 4, "b": 7}[a]}, DATASETS[:1],
                   ("r-alpha=1", "r-alpha=2", "b"))  # fmt: skip
    points = [{"grid": "r", "point": {"alpha": 1}}, {"grid": "r", "point": {"alpha": 2}}, {}]
    changed = [each.model_copy(update=point) for each, point in zip(made.spec.algorithms, points, strict=True)]
    made.spec = made.spec.model_copy(update={"algorithms": tuple(changed)})
    figure = scaling_figure(ScalingFigure(kind="scaling", against="alpha", algorithms=("r", "b")), made)
    assert curves(figure) == [[{1: 3, 2: 4}, {1: 7, 2: 7}]]
    assert figure.axes[0].get_xlabel() == "α"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["r", "b"]
