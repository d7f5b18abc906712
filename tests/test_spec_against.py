"""What scaling figures have on their axes, and which results make a curve."""

import pytest

from duelbench.errors import UserError
from duelbench.spec.against import panels
from duelbench.spec.figures import ScalingFigure
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset


def algorithm(label, grid=None, title=None, **point):
    return ResolvedAlgorithm(label=label, name="d-ts", grid=grid, point=point, grid_title=title)


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
    """Titles of panels, and of their curves, with the points by x."""
    return {
        panel.title: {curve.title: [tuple(place) for place in curve.places] for curve in panel.curves}
        for panel in panels(*arguments)
    }


GRID = [algorithm(f"r-alpha={alpha}", "r", "R", alpha=alpha) for alpha in (2, 0.5)]
OTHER = algorithm("other")


def test_against_a_parameter_of_one_grid_of_algorithms_there_is_a_curve_for_each_dataset():
    assert drawn(figure(against="alpha"), [dataset("d"), dataset("e", origin="x")], [*GRID, OTHER]) == {
        "R": {
            "Title of d": [(0.5, "d", "r-alpha=0.5"), (2, "d", "r-alpha=2")],
            "Title of e": [(0.5, "e", "r-alpha=0.5"), (2, "e", "r-alpha=2")],
        }
    }


def test_what_else_varies_makes_curves_of_its_own_and_others_are_level_lines_where_they_are_named():
    grid = [
        algorithm(f"r-{alpha}-{mode}", "r", alpha=alpha, mode=mode) for alpha in (1, 2) for mode in ("slow", "fast")
    ]
    found = panels(figure(against="alpha", algorithms=["r", "other"]), [dataset("d")], [*grid, OTHER])
    assert [(curve.title, curve.level) for curve in found[0].curves] == [
        ("r, mode = slow", False),
        ("r, mode = fast", False),
        ("other", True),
    ]
    assert [place.x for place in found[0].curves[2].places] == [1, 2]


def test_against_a_parameter_of_datasets_each_other_value_is_a_panel_and_with_one_algorithm_a_curve():
    grid = [dataset(f"{arms}-{gap}", "g", "G", arms=arms, gap=gap) for gap in (0.1, 0.2) for arms in (8, 4)]
    two = drawn(figure(against="gap"), grid, [OTHER, *GRID])
    assert list(two) == ["G"]  # made before there were points: arms are not among them
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


def test_delays_and_arms_are_apart():
    grid = [dataset(f"{arms}-{delay}", "g", arms=arms, delay=delay) for arms in (4, 8) for delay in (10, 1)]
    assert [len(panel.curves[0].places) for panel in panels(figure(against="delay"), grid, [OTHER, *GRID])] == [2, 2]
    assert list(drawn(figure(), grid, [OTHER, *GRID])) == ["g, delay 10", "g"]


@pytest.mark.parametrize(
    ("against", "datasets", "algorithms", "words"),
    [
        ("alpha", [dataset("d", "d", alpha=1)], GRID, "varies among the datasets and among the algorithms"),
        ("alhpa", [dataset("d")], GRID, "no parameter of 'd', and no list .* .did you mean 'alpha'"),
        ("mode", [dataset("d")], [algorithm("a", "a", mode="x")], "'mode' of 'a' is 'x', which is no number"),
        ("fast", [dataset("d", "d", fast=True)], GRID, "is True, which is no number"),
        ("alpha", [dataset("d")], [algorithm("a", "a", alpha=0)], "alpha = 0 has no place on a logarithmic axis"),
        ("arms", [dataset("d", origin="x"), dataset("e", arms=9, origin="y")], GRID, "d, e have nothing in common"),
        (
            "arms",
            [dataset("d", parameters={"gap": 1}), dataset("e", arms=9, parameters={"gap": 2})],
            GRID,
            "d, e have nothing in common",
        ),
    ],
)
def test_what_is_no_axis_is_refused(against, datasets, algorithms, words):
    with pytest.raises(UserError, match=words):
        panels(figure(against=against), datasets, algorithms)


def test_datasets_of_one_origin_are_related_and_those_of_earlier_versions_are_believed():
    for origin in ("btl", None):
        found = panels(figure(), [dataset("d", origin=origin), dataset("e", arms=9, origin=origin)], GRID)
        assert [len(curve.places) for curve in found[0].curves] == [2, 2]
