"""Results as frames: the rows of the files, and an error if they cannot be read."""

import shutil

import pandas as pd
import pytest

from duelbench import load_results
from duelbench.analysis.compare import compare
from duelbench.errors import UserError
from tests.experiments import played

SPEC = """\
horizon: 2000
runs: 5
seed: 5
regret: [copeland, borda]
datasets: [cyclic4, {name: btl-uniform, arms: [3, 4]}]
algorithms: [{name: rucb, label: NA}, {name: btm, confidence_scale: 0.1}]
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return played(tmp_path_factory.mktemp("frames"), SPEC).directory


@pytest.fixture
def results(original, tmp_path):
    return shutil.copytree(original, tmp_path / "out")


def test_runs_frame(results):
    experiment = load_results(results)
    assert experiment.spec["regret"] == ["copeland", "borda"]
    assert repr(experiment).startswith("Experiment(") and len(repr(experiment)) < 120
    assert [each["label"] for each in experiment.spec["algorithms"]] == ["NA", "btm"]
    runs = experiment.runs
    rows = (results / "cyclic4" / "btm" / "run-00003.csv").read_text().splitlines()[2:]
    for place, kind in ((1, "copeland"), (2, "borda")):
        mine = runs[(runs.dataset == "cyclic4") & (runs.algorithm == "btm") & (runs.run == 3) & (runs.regret == kind)]
        assert len(mine) == len(rows)
        for row, (_, found) in zip(rows, mine.iterrows(), strict=True):
            cells = row.split(",")
            assert (str(found.t), float(found.value)) == (cells[0], float(cells[place]))
            declared, right = cells[3], cells[3 + place]
            assert pd.isna(found.declared_at) if declared == "" else found.declared_at == float(declared)
            assert pd.isna(found.right) if right == "" else found.right == float(right)
    assert mine.declared_at.notna().any()
    assert runs[runs.algorithm == "NA"].declared_at.isna().all()
    assert len(runs) == 3 * 2 * 2 * 5 * len(rows)


def test_runs_of_something_else(results):
    """Files of other runs are refused: their checksums are right, but their keys and records are not."""
    place, other = results / "cyclic4" / "btm", results / "btl-uniform-arms=4" / "btm"
    whole = {path.name: path.read_bytes() for path in place.iterdir()}

    def refused(words):
        with pytest.raises(UserError, match=words):
            load_results(results)
        assert not compare(results, results).identical
        for path in place.iterdir():
            path.unlink()
        for name, content in whole.items():
            (place / name).write_bytes(content)

    assert compare(results, results).identical
    shutil.copy(place / "run-00001.csv", place / "run-00000.csv")
    refused("run-00000.csv: this run is out of date")
    shutil.copy(other / "run-00000.csv", place)
    refused("run-00000.csv: this run is out of date")
    shutil.copytree(other, place, dirs_exist_ok=True)
    refused("run-00000.csv: this run is out of date")
    (place / "run-00002.csv").unlink()
    refused("the summary has 5 runs, but the directory has 4")
    for path in place.glob("run-*"):
        path.unlink()
    refused("the summary has 5 runs, but the directory has 0")


GRID = """\
horizon: 100
runs: 3
title: A grid
datasets: [{name: btl-uniform, arms: [3, 4]}, {name: sushi16, submatrix: {size: 3, per_run: true}}]
algorithms: [{name: rucb, alpha: [0.6, 0.51]}, uniform]
"""


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    return load_results(played(tmp_path_factory.mktemp("grid"), GRID).directory)


def test_series_frame(grid):
    series = grid.series
    assert list(series["algorithm"].cat.categories) == ["rucb-alpha=0.6", "rucb-alpha=0.51", "uniform"]
    assert len(series) == 9
    row = series[(series.dataset == "btl-uniform-arms=4") & (series.algorithm == "rucb-alpha=0.51")].iloc[0]
    assert (row["name"], row["arms"], row["alpha"], row["delay"], row["runs"]) == ("rucb", 4, 0.51, 1, 3)
    assert (row["dataset_title"], row["algorithm_title"]) == ("BTL-uniform, K = 4", "RUCB, α = 0.51")
    assert pd.isna(row["dataset_size"])
    assert series[series.dataset == "sushi16"]["dataset_size"].eq(3).all()
    assert series[series.algorithm == "uniform"]["alpha"].isna().all()


def test_columns_of_a_grid(grid):
    for frame in (grid.runs, grid.summary):
        assert frame[frame.algorithm == "rucb-alpha=0.6"]["alpha"].eq(0.6).all()
        assert "delay" not in frame.columns  # it is the same in all
        assert [str(frame[name].dtype) for name in ("dataset", "algorithm", "regret")] == ["category"] * 3
    runs = grid.runs
    assert {name: str(runs[name].dtype) for name in ("run", "t", "value", "declared_at", "right", "recommended")} == {
        "run": "int64", "t": "int64", "value": "float64", "declared_at": "Int64", "right": "boolean",
        "recommended": "Int64",
    }  # fmt: skip
    means = runs[runs.t == 100].groupby("alpha").value.mean()
    assert list(means.index) == [0.51, 0.6]
