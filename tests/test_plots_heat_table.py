"""The table of who names a best arm, looked at through matplotlib's artists."""

import math

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from duelbench.plots.heat_table import LIMITS, rows_of
from duelbench.plots.identification import identification_figure
from duelbench.plots.results import Results
from duelbench.plots.style import SHADES
from duelbench.spec.figures import IdentificationFigure
from duelbench.spec.resolved import ResolvedAlgorithm
from tests.experiments import resolved, write_results
from tests.measured import PLAIN

BUDGETS = (100, 1000)
TABLE = IdentificationFigure(kind="identification", show="table")

pytestmark = pytest.mark.usefixtures("project_style")


def results_of(tmp_path, shares, **more):
    """Results on datasets one and two: ``shares[label]`` has those right at 100 and 1000 votes on each."""
    spec = resolved(
        ["one", "two"], list(shares), horizons=BUDGETS, recommend="own", count="votes", **({"runs": 100} | more)
    )
    rows = []
    for label, known in shares.items():
        for dataset, pair in zip(("one", "two"), known, strict=True):
            for t, right in zip(BUDGETS, pair, strict=True):
                cells = {"votes": t, "recommended_right": right, "simple": 0.1}
                ends = {"right_low": max(0, right - 0.1), "right_high": min(1, right + 0.1)}
                rows.append(((dataset, label, "copeland", t), PLAIN | {"mean": 1, "std": 1, "sem": 1} | cells | ends))
    return Results(write_results(tmp_path, spec, rows))


SHARES = {
    "poor": ((0.1, 0.2), (0.1, 0.2)),
    "good": ((0.6, 0.99), (0.2, 0.8)),
    "other": ((0.3, 0.96), (0.3, 0.97)),
}


def numbers(panel):
    return [text.get_text() for text in panel.texts]


def bold(panel):
    return [text.get_fontweight() == "bold" for text in panel.texts]


def framed(panel):
    """(line, column) of the framed cells."""
    boxes = [box for box in panel.patches if isinstance(box, Rectangle)]
    return {(round(box.get_y() + 0.46), round(box.get_x() + 0.46)) for box in boxes}


def test_a_panel_per_budget_and_the_best_of_all_first(tmp_path):
    drawing = identification_figure(TABLE, results_of(tmp_path, SHARES))
    first, second = drawing.axes
    assert [panel.get_title() for panel in drawing.axes] == ["100 votes", "1,000 votes"]
    assert [label.get_text() for label in first.get_yticklabels()] == ["good", "other", "poor"]
    assert [label.get_text() for label in second.get_xticklabels()] == ["mean", "one", "two"]
    assert numbers(first) == ["40", "60", "20", "30", "30", "30", "10", "10", "10"]
    assert numbers(second) == ["90", "99", "80", "96", "96", "97", "20", "20", "20"]


def test_what_is_not_told_from_the_best_of_its_column_is_bold(tmp_path):
    first, second = identification_figure(TABLE, results_of(tmp_path, SHARES)).axes
    # 100 runs tell 40 from 30 % in the mean of two datasets, and intervals of ± 10 points meet for 20 and 30 %.
    assert bold(first) == [True, True, True, False, False, True, False, False, True]
    assert bold(second) == [False, True, True, True, True, True, False, False, False]
    assert framed(first) == {(0, 0)}
    assert framed(second) == {(1, 0)}


def test_few_runs_tell_less(tmp_path):
    first, _ = identification_figure(TABLE, results_of(tmp_path, SHARES, runs=20)).axes
    assert {(0, 0), (1, 0)} <= framed(first)


def test_shades_go_by_the_share(tmp_path):
    shares = {f"from {limit}": ((limit, limit - 1e-9), (limit, limit)) for limit in LIMITS[1:]}
    (first, _) = identification_figure(TABLE, results_of(tmp_path, shares)).axes
    (image,) = first.images
    assert image.get_array()[:, 1].tolist() == [5, 4, 3, 2, 1]
    assert [to_hex(image.cmap(image.norm(shade))) for shade in range(6)] == list(SHADES)


def test_cells_without_runs_and_chosen_lines(tmp_path):
    results = results_of(tmp_path, SHARES)
    results._rows.pop(("two", "good", "copeland"))
    figure = IdentificationFigure(kind="identification", show="table", algorithms=("good", "poor"))
    first, _ = identification_figure(figure, results).axes
    assert [label.get_text() for label in first.get_yticklabels()] == ["good", "poor"]
    assert numbers(first) == ["–", "60", "–", "10", "10", "10"]


def test_a_grid_of_budgets_is_one_line():
    def entry(label, name="select", **parameters):
        return ResolvedAlgorithm(label=label, name=name, parameters=parameters)

    algorithms = [
        entry("a-budget=100", budget=100, early_stop=True),
        entry("d-ts", name="d-ts"),
        entry("a-budget=1000", budget=1000, early_stop=True),
        entry("b-budget=100", budget=100, early_stop=False),
        entry("odd", budget=77),
        entry("free", budget=None),
    ]
    rows = rows_of(algorithms, BUDGETS, [each.label for each in algorithms])
    assert [(row.label, dict(row.series)) for row in rows] == [
        ("a", {100: "a-budget=100", 1000: "a-budget=1000"}),
        ("d-ts", {100: "d-ts", 1000: "d-ts"}),
        ("b", {100: "b-budget=100"}),
        ("odd", {100: "odd", 1000: "odd"}),
        ("free", {100: "free", 1000: "free"}),
    ]


def test_runs_that_name_nothing_anywhere_have_dashes(tmp_path):
    nan = math.nan
    first, _ = identification_figure(TABLE, results_of(tmp_path, {"a": ((nan, nan), (nan, nan))})).axes
    assert numbers(first) == ["–"] * 3
    assert framed(first) == set()
