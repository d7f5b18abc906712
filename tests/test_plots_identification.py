"""Figures of recommended arms, looked at through matplotlib's artists."""

import pytest

from duelbench.errors import UserError
from duelbench.plots.identification import identification_figure
from duelbench.plots.results import Results
from duelbench.plots.scaling import UNREACHED, scaling_figure
from duelbench.spec.figures import IdentificationFigure, ScalingFigure
from tests.experiments import QUANTILES, resolved, write_results

VOTES = (10, 100, 1000)
PLAIN = {"runs": 16, "mean": 1, "std": 4, "sem": 1, **dict.fromkeys(QUANTILES, 1)}
DATASETS = [
    {"label": f"gap={gap}", "grid": "gaps", "arms": 5, "identity": {"parameters": {"gap": gap}}} for gap in (0.05, 0.2)
]

pytestmark = pytest.mark.usefixtures("project_style")


def made(tmp_path, shares, datasets=("one",), **more):
    """Results of algorithms a, b, …; ``shares[label]`` are those that are right at 10, 100 and 1000 votes."""
    spec = resolved(datasets, list(shares), horizons=[1000], checkpoints=VOTES, recommend="own", count="votes", **more)
    rows = [
        (
            (dataset.label, label, "copeland", t),
            PLAIN
            | {
                "votes": t,
                "votes_sem": 5,
                "recommended_right": right,
                "right_low": right * 0.9,
                "right_high": right,
                "simple": 0.1,
            },
        )
        for dataset in spec.datasets
        for label, known in shares.items()
        for t, right in zip(VOTES, known, strict=True)
    ]
    return Results(write_results(tmp_path, spec, rows))


def test_a_curve_per_algorithm_with_its_interval(tmp_path):
    results = made(tmp_path, {"a": (0.2, 0.5, 1.0), "b": (0.1, 0.2, 0.3)})
    (panel,) = identification_figure(IdentificationFigure(kind="identification"), results).axes
    assert [line.get_ydata().tolist() for line in panel.lines] == [[0.2, 0.5, 1.0], [0.1, 0.2, 0.3]]
    assert panel.get_xlabel() == "votes"
    (interval, _) = panel.collections
    ends = [end[1] for segment in interval.get_segments() for end in segment]
    assert ends == pytest.approx([0.18, 0.2, 0.45, 0.5, 0.9, 1.0])


def test_simple_regret_and_chosen_algorithms(tmp_path):
    results = made(tmp_path, {"a": (0.2, 0.5, 1.0), "b": (0.1, 0.2, 0.3)})
    figure = IdentificationFigure(kind="identification", show="simple", algorithms=("b",))
    (panel,) = identification_figure(figure, results).axes
    assert [line.get_ydata().tolist() for line in panel.lines] == [[0.1, 0.1, 0.1]]


def test_bars_of_errors_at_a_budget(tmp_path):
    results = made(tmp_path, {"a": (0.2, 0.5, 1.0), "b": (0.1, 0.2, 0.3)})
    figure = IdentificationFigure(kind="identification", show="errors", at=100)
    (panel,) = identification_figure(figure, results).axes
    assert [bar.get_width() for bar in panel.patches] == pytest.approx([0.5, 0.8])
    assert [text.get_text() for text in panel.texts] == ["50.0%", "80.0%"]


def test_votes_until_most_are_right_and_remain_so(tmp_path):
    shares = {"a": (0.9, 0.8, 0.9), "b": (0.9, 0.9, 0.9), "c": (0.1, 0.2, 0.3)}
    results = made(tmp_path, shares, DATASETS)
    figure = ScalingFigure(kind="scaling", against="gap", measure="votes_to_right", at=0.8)
    drawing = scaling_figure(figure, results)
    (panel,) = drawing.axes
    curves = [line for line in panel.lines if len(line.get_xdata()) > 1]
    assert [list(line.get_xdata()) for line in curves] == [[0.05, 0.2]] * 3
    assert [list(line.get_ydata()) for line in curves] == [[1000] * 2, [10] * 2, [1000] * 2]
    assert UNREACHED in drawing.legends[0].get_title().get_text()  # c
    assert panel.get_xlabel() == "gap"
    assert "until 80%" in panel.get_ylabel()


def test_a_parameter_may_be_nothing(tmp_path):
    datasets = [
        {
            "label": f"share={share}",
            "grid": "reversed",
            "identity": {"matrix": "x"},
            "point": {"share": share},
            "arms": 3,
        }
        for share in (0, 0.5, 1)
    ]
    figure = ScalingFigure(kind="scaling", against="share", x="linear", show="votes")
    drawing = scaling_figure(figure, made(tmp_path, {"a": (0.9, 0.4, 0.9)}, datasets))
    drawing.draw_without_rendering()
    assert [label.get_text() for label in drawing.axes[0].get_xticklabels()] == ["0", "0.5", "1"]


def test_votes_asked_for(tmp_path):
    results = made(tmp_path, {"a": (0.9, 0.4, 0.9)}, DATASETS)
    figure = ScalingFigure(kind="scaling", against="gap", show="votes")
    (panel,) = scaling_figure(figure, results).axes
    (curve,) = [line for line in panel.lines if len(line.get_xdata()) > 1]
    assert list(curve.get_ydata()) == [1000, 1000]
    assert [segment[:, 1].tolist() for bar in panel.collections for segment in bar.get_segments()] == [[995, 1005]] * 2
    assert panel.get_ylabel() == "votes asked for"


def test_runs_that_recommend_nothing_and_parameters_that_are_not_there(tmp_path):
    silent = Results(write_results(tmp_path / "a", resolved(["one"], ["a"]), [(("one", "a", "copeland", 1000), PLAIN)]))
    with pytest.raises(UserError, match="these runs recommend none"):
        identification_figure(IdentificationFigure(kind="identification"), silent)
    results = made(tmp_path / "b", {"a": (0.2, 0.5, 1.0)})
    with pytest.raises(UserError, match="'gap' is no parameter of 'one'"):
        scaling_figure(ScalingFigure(kind="scaling", against="gap", show="votes_to_right"), results)
