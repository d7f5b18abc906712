"""Curves of a page have the numbers and the words of the figures that matplotlib draws."""

import pytest

from duelbench.plots.interactive.curves import identification_section, regret_section, scaling_section
from duelbench.plots.results import Results
from duelbench.spec.figures import IdentificationFigure, RegretFigure, ScalingFigure
from tests.drawings import experiment, linear, row
from tests.experiments import QUANTILES, resolved, seal, write_results
from tests.paged import made


def test_regret_with_its_band_and_what_is_missing(tmp_path):
    rows = {("d", "a"): linear(2), ("d", "b"): linear(0.0), ("e", "a"): linear(3, runs=1)}
    results = Results(experiment(tmp_path, rows, algorithms=("a", "b", "c")))
    section = regret_section(RegretFigure(kind="regret", y="log", band="std", ylabel="R"), results)
    first, second = section.panels
    assert (first.title, first.dataset) == ("Title of d", "d")
    assert first.note == "no results: c; no regret: b"
    above, _, a, b = first.traces
    rows = results.series("d", "a", "copeland")
    assert a["y"] == rows["mean"].tolist()
    assert above["y"][: len(rows)] == pytest.approx((rows["mean"] + rows["std"]).tolist())
    assert above["meta"]["floor"] == pytest.approx(0.7 * 2)
    assert set(b["y"]) == {0}
    assert a["hovertext"][-1] == "<b>a</b><br>t = 1,000<br>regret 2,000 ± 0.5 (s.e.)<br>4 runs"
    assert [trace["meta"]["series"] for trace in second.traces] == [0]  # of one run there is no band
    assert second.traces[0]["hovertext"][-1].endswith("regret 3,000<br>1 run")
    assert section.scales == {"x": "log", "y": "log"}
    assert first.layout["yaxis"]["title"]["text"] == "R"
    assert first.layout["xaxis"]["title"]["text"] == "t"


def test_a_figure_of_some_algorithms_keeps_their_looks(tmp_path):
    results = Results(experiment(tmp_path, {("d", label): linear(1) for label in "abc"}))
    every = regret_section(RegretFigure(kind="regret"), results).series
    some = regret_section(RegretFigure(kind="regret", algorithms=("c", "b")), results)
    assert list(some.series) == [every[2], every[1]]
    assert [trace["name"] for trace in some.panels[0].traces if "fill" not in trace] == ["c", "b"]


def test_bounds_that_coincide_are_one_series(tmp_path):
    directory = made(tmp_path)
    path = directory / "bounds.csv"
    path.write_text(path.read_text().replace("inf", "3.5"))
    results = Results(seal(directory))
    section = regret_section(RegretFigure(kind="regret", bounds=("LB", "ECWB")), results)
    assert [series["title"] for series in section.series][3:] == ["LB = ECWB"]
    (bound,) = [trace for trace in section.panels[1].traces if trace["meta"]["series"] == 3]
    assert bound["hovertext"][0] == "<b>LB = ECWB</b><br>3.5 log t = 8.059"


def test_shares_that_are_right_with_their_intervals(tmp_path):
    results = Results(made(tmp_path))
    section = identification_section(IdentificationFigure(kind="identification"), results)
    band, _, _, other = section.panels[0].traces
    assert other["y"] == results.series("d-arms=5", "other", "copeland")["recommended_right"].tolist()
    assert band["y"][:3] == results.series("d-arms=5", "late", "copeland")["right_high"].tolist()
    assert other["hovertext"][1].endswith("t = 100<br>99.0% right (94.0% to 99.1%)<br>4 runs")
    assert section.caption == "95 % intervals (Wilson), 4 runs"
    simple = identification_section(IdentificationFigure(kind="identification", show="simple"), results)
    assert [trace["y"] for trace in simple.panels[1].traces] == [[0.1, 0.01, 0.001]] * 2


def test_numbers_against_a_parameter_have_their_errors_and_hollow_markers(tmp_path):
    datasets = [{"label": f"g-arms={arms}", "arms": arms, "grid": "g"} for arms in (5, 10)]
    plain = {"runs": 16, "std": 4, "sem": 1, "mean": 9, "right": 1, **dict.fromkeys(QUANTILES, 1)}
    rows = [
        ((each["label"], "a", "copeland", 1000), plain | {"declared": share, "duels_to_declaration": 500})
        for each, share in zip(datasets, (1, 0.5), strict=True)
    ]
    results = Results(write_results(tmp_path, resolved(datasets, ["a", "b"]), rows))
    duels = scaling_section(ScalingFigure(kind="scaling", show="duels"), results)
    (trace,) = duels.panels[0].traces
    assert (trace["x"], trace["y"]) == ([5, 10], [500, 750])
    assert trace["marker"]["color"] == [duels.series[0]["color"], "white"]
    assert duels.caption == "hollow: some runs had declared no winner by then"
    assert [series["title"] for series in duels.series] == ["a"]
    regret = scaling_section(ScalingFigure(kind="scaling"), results)
    (trace,) = regret.panels[0].traces
    assert trace["error_y"]["array"] == trace["error_y"]["arrayminus"] == [1, 1]
    assert trace["hovertext"][0] == "<b>a</b><br>number of arms K = 5<br>9 (8 to 10)"
    assert regret.panels[0].note == "no results: b"
    assert regret.panels[0].layout["xaxis"]["ticktext"] == ["5", "10"]


def test_a_share_of_zero_is_there_for_a_linear_axis(tmp_path):
    datasets = [{"label": f"g-arms={arms}", "arms": arms, "grid": "g"} for arms in (5, 10)]
    rows = [((each["label"], "a", "copeland", 1000), row(1) | {"declared": 1, "right": 1}) for each in datasets]
    results = Results(write_results(tmp_path, resolved(datasets, ["a"]), rows))
    section = scaling_section(ScalingFigure(kind="scaling", show="errors"), results)
    assert section.panels[0].traces[0]["y"] == [0, 0]
    assert section.scales["y"] == "log"


def test_changes_of_preferences_are_lines_of_their_panel(tmp_path):
    results = Results(experiment(tmp_path, {("stays", "a"): linear(1), ("turns", "a"): linear(1)}))
    stays, turns = results.spec.datasets
    results.spec = results.spec.model_copy(update={"datasets": (stays, turns.model_copy(update={"changes": (50,)}))})
    one, other = regret_section(RegretFigure(kind="regret"), results).panels
    assert "shapes" not in one.layout
    assert [(each["x0"], each["x1"], each["yref"]) for each in other.layout["shapes"]] == [(50, 50, "paper")]
