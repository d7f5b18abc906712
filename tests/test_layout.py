"""One module knows how results lie on disk, and it knows it well."""

import ast
from pathlib import Path

import pandas as pd

from duelbench import layout
from duelbench.spec.values import MAX_HORIZON
from tests.comparison import ROOT
from tests.experiments import played

NAMES = {layout.SUMMARY, layout.MANIFEST, layout.BOUNDS, layout.SERIES, layout.TABLE, layout.REPORT, layout.LEADERBOARD,
         layout.FAILED, layout.RUNS_AND_FAILURES, layout.UNFINISHED, layout.FIRST_WORDS}  # fmt: skip


def test_an_experiment_has_these_files_with_these_columns(tmp_path):
    text = (
        "horizon: 100\nruns: 2\nregret: [copeland, borda]\ndatasets: [six-rankers]\nalgorithms: [uniform, if]\n"
        "figures: [{kind: regret, bounds: [LB]}]\n"
    )
    directory = played(tmp_path, text).directory
    there = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    series = {f"six-rankers/{label}" for label in ("uniform", "if")}
    runs = {f"{place}/{layout.run_file(number)}" for place in series for number in (0, 1)}
    always = {*layout.EXPERIMENT_FILES} - {layout.INSTANCES, layout.DETECTIONS}  # one matrix for all runs
    assert there == {*always, ".lock", *runs, *(f"{place}/{layout.SERIES}" for place in series)}
    assert {str(path.relative_to(directory)) for path in directory.glob(layout.ALL_SERIES)} == {
        f"{place}/{layout.SERIES}" for place in series
    }
    assert tuple(pd.read_csv(directory / layout.SUMMARY).columns) == layout.SUMMARY_COLUMNS
    assert tuple(pd.read_csv(directory / layout.BOUNDS).columns) == layout.BOUNDS_COLUMNS
    for label, declares in (("uniform", False), ("if", True)):
        run = directory / "six-rankers" / label / layout.run_file(0)
        first, columns, *_ = run.read_text().splitlines()
        assert first.startswith(layout.FIRST_WORDS)
        assert columns.split(",") == layout.run_columns(("copeland", "borda"), declares)


def test_runs_are_told_from_what_lies_beside_them():
    assert layout.run_file(3) == "run-00003.csv"
    assert layout.run_file(1234567) == "run-1234567.csv"
    assert layout.failure_of(Path("a.b") / layout.run_file(3)) == Path("a.b/run-00003.failed")
    assert [layout.run_number(layout.run_file(number)) for number in (0, 3, 123_456)] == [0, 3, 123_456]
    for name in ("run-3.csv", "run-000003.csv", "run-00003.failed", "run--0003.csv", "run-0000٣.csv", "run-x.csv"):
        assert layout.run_number(name) is None
    assert layout.run_number(f"run-{'9' * 5000}.csv") is None
    assert not Path(layout.SERIES).match(layout.RUNS_AND_FAILURES)
    assert Path(".run-00003.csv.77").match(layout.UNFINISHED)


def test_no_regret_is_larger():
    assert 1000 * MAX_HORIZON <= layout.LARGEST


def test_nobody_else_writes_out_a_name_or_a_column():
    found = []
    lines = {layout.header(layout.SUMMARY_COLUMNS), layout.header(layout.BOUNDS_COLUMNS)}
    for module in sorted((ROOT / "duelbench").rglob("*.py")):
        if module == Path(layout.__file__):
            continue
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in NAMES | lines:
                found.append(f"{module.name}:{node.lineno} {node.value}")
    assert found == []
