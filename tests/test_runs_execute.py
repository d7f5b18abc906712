"""From a spec to files: what is there is kept, the rest is played, with the same bytes in every way of running."""

import json
import re
import shutil
import tracemalloc
from pathlib import Path

import pandas as pd
import pytest

from duelbench.runs import execute
from tests.experiments import VARIED, files, played


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    plan, directory, execution, said = played(tmp_path_factory.mktemp("original"), VARIED)
    assert (execution.played, execution.kept, execution.failures, said) == (6 * 8, 0, [], [])
    return plan, directory


def test_files_are_where_and_what_the_design_says(original):
    plan, directory = original
    text = (directory / "six-rankers" / "rucb-alpha=0.51" / "run-00000.csv").read_text()
    header, columns, first, *rest = text.splitlines()
    assert re.fullmatch(r"# duelbench run [0-9a-f]{32} [0-9a-f]{8}", header)
    assert columns == "t,copeland,borda"
    assert first.startswith("1,")
    assert rest[-1].startswith("3000,")
    assert len(rest) + 1 == len(plan.checkpoints)
    sweep = (directory / "six-rankers" / "btm" / "run-00005.csv").read_text().splitlines()[2:]
    assert [row.split(",")[0] for row in sweep] == ["100", "3000"]
    assert len(files(directory)) == 6 * 8 + 2  # the summary and the instances
    assert [path.name for path in directory.rglob(".*")] == [".lock"]


def test_any_number_of_workers_gives_the_same_bytes(original, tmp_path):
    _, directory = original
    _, parallel, execution, _ = played(tmp_path, VARIED, workers=2)
    assert execution.played == 48
    assert files(parallel) == files(directory)


def test_what_is_there_is_kept_and_what_is_missing_or_foreign_is_played(original, tmp_path):
    _, directory = original
    shutil.copytree(directory, tmp_path / "out")
    (tmp_path / "out" / "six-rankers" / "d-ts" / "run-00002.csv").unlink()
    (tmp_path / "out" / "six-rankers" / "btm" / "run-00001.csv").write_text("# duelbench run 0\nt,copeland\n1,99\n")
    (tmp_path / "out" / "btl-uniform" / "btm" / "run-00003.csv").write_bytes(b"\xff\xfe")
    _, resumed, execution, _ = played(tmp_path, VARIED)
    assert (execution.kept, execution.played) == (45, 3)
    assert files(resumed) == files(directory)
    seconds = json.loads((resumed / "manifest.json").read_text())["seconds_per_run"]["six-rankers"]["d-ts"]
    assert all(seconds)


def test_a_changed_parameter_replays_only_its_own_runs(original, tmp_path):
    _, directory = original
    shutil.copytree(directory, tmp_path / "out")
    _, _, execution, _ = played(tmp_path, VARIED.replace("  - d-ts\n", "  - {name: d-ts, alpha: 0.6}\n"))
    assert (execution.kept, execution.played) == (36, 12)


def test_more_runs_add_to_those_there_are(original, tmp_path):
    _, directory = original
    shutil.copytree(directory, tmp_path / "out")
    _, more, execution, _ = played(tmp_path, VARIED.replace("runs: 6", "runs: 7"))
    assert (execution.kept, execution.played) == (48, 8)
    before, after = files(directory), files(more)
    assert all(after[path] == before[path] for path in before if path.name.startswith("run-"))


def test_a_seed_of_its_own_is_the_first_run_of_that_seed(original, tmp_path):
    _, directory = original
    _, other, _, _ = played(tmp_path, VARIED.replace("runs: 6\nseed: 5", "seeds: [9, 5]"))
    path = Path("btl-uniform/d-ts")
    assert (other / path / "run-00001.csv").read_bytes() == (directory / path / "run-00000.csv").read_bytes()
    assert (other / path / "run-00000.csv").read_bytes() != (directory / path / "run-00000.csv").read_bytes()


def test_delayed_feedback_reaches_every_algorithm_and_the_key(original, tmp_path):
    _, directory = original
    _, late, execution, _ = played(tmp_path, VARIED + "feedback: {delay: 50}\n")
    assert execution.played == 48
    regret = [
        pd.read_csv(where / "summary.csv").query("dataset == 'six-rankers' and regret == 'copeland' and t == 3000")
        for where in (directory, late)
    ]
    before, after = (each.set_index("algorithm")["mean"] for each in regret)
    assert (after != before).all()


def test_all_that_is_missing_is_compiled_in_one_call_before_anything_is_played(original, tmp_path, monkeypatch):
    warmed = []

    def warm(algorithms, announce):
        warmed.append(sorted(type(each).name for each in algorithms))
        assert len(list((tmp_path / "out").rglob("run-*"))) == 48 - 3

    monkeypatch.setattr(execute, "warm", warm)
    shutil.copytree(original[1], tmp_path / "out")
    played(tmp_path, VARIED)
    assert warmed == []
    for place in ("six-rankers/btm/run-00001.csv", "six-rankers/d-ts/run-00002.csv", "btl-uniform/d-ts/run-00005.csv"):
        (tmp_path / "out" / place).unlink()
    assert played(tmp_path, VARIED).execution.played == 3
    assert warmed == [["btm", "d-ts"]]


def test_the_parent_keeps_little_of_a_run(tmp_path, monkeypatch):
    """What stays is what the summary of one series needs: no texts, no futures."""
    monkeypatch.setattr("duelbench.runs.schedule.LARGEST_CHUNK", 10)  # chunks under way are not what stays
    peaks = []
    spec = "horizon: 1e3\ncheckpoints_per_decade: 60\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    for runs in (100, 400):
        tracemalloc.start()
        plan, directory, execution, _ = played(tmp_path, spec + f"runs: {runs}\n", into=str(runs))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert execution.played == runs
    text = (directory / "six-rankers" / "uniform" / "run-00000.csv").stat().st_size
    rows = len(plan.checkpoints)
    assert (peaks[1] - peaks[0]) / 300 < 8 * rows + 500 < text
