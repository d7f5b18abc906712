"""Figures against the number of arms, the delay or a parameter, checked through matplotlib's artists."""

import pytest
from matplotlib.collections import LineCollection

from duelbench.plots.kinds.scaling import ScalingFigure, grid_panels
from duelbench.results.results import Results
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset
from tests.drawings import row
from tests.experiments import resolved, write_results

pytestmark = pytest.mark.usefixtures("project_style")


def algorithm(label, grid=None, title=None, **point):
    return ResolvedAlgorithm(label=label, name="d-ts", in_keys={}, grid=grid, point=point, grid_title=title)


def dataset(label, grid=None, title=None, arms=5, delay=1, origin="btl", parameters=None, **point):
    return ResolvedDataset(
        label=label,
        title=f"Title of {label}",
        arms=arms,
        delay=delay,
        grid=grid,
        origin=origin,
        identity={"parameters": {**(parameters or {}), **point}},
        point=point,
        grid_title=title,
    )


def figure(**keys):
    return ScalingFigure(kind="scaling", **keys)


def drawn(*arguments):
    """Return the titles of panels and curves, with the points by x."""
    return {
        panel.title: {curve.title: [tuple(place) for place in curve.places] for curve in panel.curves}
        for panel in grid_panels(*arguments)
    }


GRID = [algorithm(f"r-alpha={alpha}", "r", "R", alpha=alpha) for alpha in (2, 0.5)]
OTHER = algorithm("other")


def test_scaling_by_algorithm_parameter():
    assert drawn(figure(against="alpha"), [dataset("d"), dataset("e", origin="x")], [*GRID, OTHER]) == {
        "R": {
            "Title of d": [(0.5, "d", "r-alpha=0.5"), (2, "d", "r-alpha=2")],
            "Title of e": [(0.5, "e", "r-alpha=0.5"), (2, "e", "r-alpha=2")],
        }
    }


def test_scaling_by_dataset_parameter():
    grid = [dataset(f"{arms}-{gap}", "g", "G", arms=arms, gap=gap) for gap in (0.1, 0.2) for arms in (8, 4)]
    two = drawn(figure(against="gap"), grid, [OTHER, *GRID])
    assert list(two) == ["G"]  # from before points existed: they lack the arms
    grid = [
        ResolvedDataset(label=f"{arms}-{gap}", title="T", arms=arms, grid="g", grid_title="G ({gap})", origin="b",
                        point={"arms": arms, "gap": gap})
        for gap in (0.1, 0.2) for arms in (8, 4)
    ]  # fmt: skip
    several = drawn(figure(), grid, [OTHER, *GRID])
    assert list(several) == ["G (0.1)", "G (0.2)"]
    assert several["G (0.2)"]["other"] == [(4, "4-0.2", "other"), (8, "8-0.2", "other")]
    assert drawn(figure(), grid, [OTHER])["other"].keys() == {"G (0.1)", "G (0.2)"}
    assert list(drawn(figure(against="gap"), grid, [OTHER, *GRID])) == ["G (…), K = 8", "G (…), K = 4"]


DATASETS = [
    {"label": f"{grid}-arms={arms}", "title": f"Title, K = {arms}", "arms": arms, "grid": grid}
    for grid in ("one", "two")
    for arms in (20, 5, 10)  # unordered
]


@pytest.fixture
def results(tmp_path):
    def write(numbers, datasets=DATASETS, algorithms=("a", "b")):
        """Write results with ``numbers(dataset, algorithm)`` at T = 1000; none where it is None."""
        rows = [
            ((dataset["label"], label, "copeland", 1000), row(1, std=4, runs=16) | given)
            for dataset in datasets
            for label in algorithms
            if (given := numbers(dataset, label)) is not None
        ]
        return Results(write_results(tmp_path, resolved(datasets, algorithms), rows))

    return write


def curves(figure):
    """Return the curves of each panel by x, without the marker-only lines of hollow points."""
    return [
        [dict(zip(*line.get_data(), strict=True)) for line in panel.lines if line.get_linestyle() != "None"]
        for panel in figure.axes
    ]


def hollow(figure):
    return [
        point
        for panel in figure.axes
        for line in panel.lines
        if line.get_markerfacecolor() == "white"
        for point in zip(*line.get_data(), strict=True)
    ]


def test_scaling_by_arms(results):
    made = results(lambda d, a: {"mean": d["arms"] * (2 if a == "a" else 3)})
    figure = ScalingFigure(kind="scaling").draw(made)
    assert [panel.get_title() for panel in figure.axes] == ["Title (one)", "Title (two)"]
    assert curves(figure) == [[{5: 10, 10: 20, 20: 40}, {5: 15, 10: 30, 20: 60}]] * 2
    assert figure.axes[0].get_xlabel() == "number of arms $K$"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    bars = [line for line in figure.axes[0].collections if isinstance(line, LineCollection)]
    assert bars[0].get_segments()[0].tolist() == [[5, 9], [5, 11]]
