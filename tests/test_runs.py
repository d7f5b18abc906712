"""From a spec to files: plans, keys, resuming, failures, and the same bytes in every way of running."""

import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from duelbench.errors import UserError
from duelbench.plots.results import Results
from duelbench.runs.execute import execute
from duelbench.runs.plan import make_plan
from duelbench.runs.results import numbers
from duelbench.runs.run import play_run
from duelbench.runs.venues import local
from duelbench.spec.load import load
from tests.comparison import ROOT

SPEC = """\
horizon: 3e3
runs: 6
seed: 5
regret: [copeland, borda]
datasets:
  - six-rankers
  - {name: btl-uniform, arms: 4}
algorithms:
  - {name: rucb, alpha: [0.51, 0.8]}
  - d-ts
  - {name: btm, horizons: [100, 3e3]}
"""


def read_run(path):
    """The (columns, rows) numbers in a run's file, without t."""
    return numbers(path.read_text().partition("\n")[2])


def quiet(*_):
    pass


def played(tmp_path, text=SPEC, name="spec.yaml", workers=1, into="out"):
    (tmp_path / name).write_text(text)
    plan = make_plan(load(tmp_path / name))
    return plan, tmp_path / into, execute(plan, tmp_path / into, local(workers), announce=quiet, progress=quiet)


def files(directory):
    """The bytes of every run's file and of the summary."""
    return {path.relative_to(directory): path.read_bytes() for path in sorted(directory.rglob("*.csv"))}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    base = tmp_path_factory.mktemp("original")
    plan, directory, execution = played(base)
    assert (execution.played, execution.kept, execution.failures) == (6 * 8, 0, [])
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
    assert len(files(directory)) == 6 * 8 + 1
    assert [path.name for path in directory.rglob(".*")] == [".lock"]


def test_the_summary_is_that_of_the_files(original):
    plan, directory = original
    summary = pd.read_csv(directory / "summary.csv")
    runs = np.array([read_run(directory / "six-rankers" / "d-ts" / f"run-{number:05d}.csv") for number in range(6)])
    rows = summary.query("dataset == 'six-rankers' and algorithm == 'd-ts' and regret == 'borda'")
    assert rows["t"].tolist() == plan.checkpoints.tolist()
    assert rows["mean"].to_numpy() == pytest.approx(runs[:, 1].mean(axis=0))
    assert rows["std"].to_numpy() == pytest.approx(runs[:, 1].std(axis=0, ddof=1))
    assert rows["sem"].to_numpy() == pytest.approx(runs[:, 1].std(axis=0, ddof=1) / np.sqrt(6))
    assert rows["q25"].to_numpy() == pytest.approx(np.quantile(runs[:, 1], 0.25, axis=0))
    assert set(rows["runs"]) == {6}


def test_a_label_may_have_a_comma(tmp_path):
    spec = "horizon: 100\nruns: 2\ndatasets: [{name: six-rankers, label: 'six, rankers'}]\n"
    _, directory, _ = played(tmp_path, f"{spec}algorithms: [{{name: btm, label: 'BTM, all duels'}}]\n")
    assert Results(directory).value("runs", "six, rankers", "BTM, all duels", "copeland", 100) == 2


def test_the_manifest_tells_what_was_run(original):
    _, directory = original
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["spec_text"] == SPEC
    assert manifest["spec"]["horizons"] == [3000]
    assert [each["label"] for each in manifest["spec"]["algorithms"]] == [
        "rucb-alpha=0.51",
        "rucb-alpha=0.8",
        "d-ts",
        "btm",
    ]
    assert manifest["spec"]["algorithms"][1]["parameters"] == {"alpha": 0.8}
    (execution,) = manifest["executions"]
    assert execution["versions"]["numba"]
    assert (execution["played"], execution["kept"], execution["failed"]) == (48, 0, 0)
    assert execution["began"] <= execution["ended"]
    assert execution["venue"] == "local, 1 workers"
    seconds = manifest["seconds_per_run"]["btl-uniform"]["btm"]
    assert len(seconds) == 6
    assert min(seconds) > 0


def test_any_number_of_workers_gives_the_same_bytes(original, tmp_path):
    _, directory = original
    _, parallel, execution = played(tmp_path, workers=3)
    assert execution.played == 48
    assert files(parallel) == files(directory)


def test_what_is_there_is_kept_and_what_is_missing_or_foreign_is_played(original, tmp_path):
    _, directory = original
    shutil.copytree(directory, tmp_path / "out")
    (tmp_path / "out" / "six-rankers" / "d-ts" / "run-00002.csv").unlink()
    (tmp_path / "out" / "six-rankers" / "btm" / "run-00001.csv").write_text("# duelbench run 0\nt,copeland\n1,99\n")
    (tmp_path / "out" / "btl-uniform" / "btm" / "run-00003.csv").write_bytes(b"\xff\xfe")
    _, resumed, execution = played(tmp_path)
    assert (execution.kept, execution.played) == (45, 3)
    assert files(resumed) == files(directory)
    seconds = json.loads((resumed / "manifest.json").read_text())["seconds_per_run"]["six-rankers"]["d-ts"]
    assert all(seconds)


def test_a_changed_parameter_replays_only_its_own_runs(original, tmp_path):
    _, directory = original
    shutil.copytree(directory, tmp_path / "out")
    _, _, execution = played(tmp_path, SPEC.replace("  - d-ts\n", "  - {name: d-ts, alpha: 0.6}\n"))
    assert (execution.kept, execution.played) == (36, 12)


def test_more_runs_add_to_those_there_are(original, tmp_path):
    _, directory = original
    shutil.copytree(directory, tmp_path / "out")
    _, more, execution = played(tmp_path, SPEC.replace("runs: 6", "runs: 7"))
    assert (execution.kept, execution.played) == (48, 8)
    before, after = files(directory), files(more)
    assert all(after[path] == before[path] for path in before if path.name.startswith("run-"))


def test_a_seed_of_its_own_is_the_first_run_of_that_seed(original, tmp_path):
    _, directory = original
    _, other, _ = played(tmp_path, SPEC.replace("runs: 6\nseed: 5", "seeds: [9, 5]"))
    path = Path("btl-uniform/d-ts")
    assert (other / path / "run-00001.csv").read_bytes() == (directory / path / "run-00000.csv").read_bytes()
    assert (other / path / "run-00000.csv").read_bytes() != (directory / path / "run-00000.csv").read_bytes()


def test_every_determinant_of_the_numbers_is_in_the_key(tmp_path):
    changes = [
        ("horizon: 3e3", "horizon: 4e3"),
        ("seed: 5", "seed: 6"),
        ("[copeland, borda]", "[borda]"),
        ("six-rankers", "sushi16"),
        ("arms: 4", "arms: 5"),
        ("regret:", "shuffle_arms: false\nregret:"),
        ("regret:", "checkpoints_per_decade: 10\nregret:"),
    ]

    def keys(text):
        (tmp_path / "changed.yaml").write_text(text)
        return {
            (series.dataset.label, series.algorithm.label): series.key(*changed.seed(0))
            for changed in [make_plan(load(tmp_path / "changed.yaml"))]
            for series in changed.series
        }

    before = keys(SPEC)
    assert len(set(before.values())) == len(before)
    for old, new in changes:
        changed = keys(SPEC.replace(old, new))
        same = [place for place, key in changed.items() if before.get(place) == key]
        if old == "six-rankers":
            assert {dataset for dataset, _ in same} == {"btl-uniform"}
        elif old == "arms: 4":
            assert {dataset for dataset, _ in same} == {"six-rankers"}
        elif old.startswith("horizon") or "checkpoints" in new:
            assert {label for _, label in same} == {"btm"}  # it has horizons of its own
        else:
            assert same == [], new
    renamed = keys(SPEC.replace("- six-rankers", "- {name: six-rankers, label: other}"))
    assert renamed["other", "d-ts"] == before["six-rankers", "d-ts"]  # names do not matter, content does


def test_a_run_that_fails_is_recorded_and_does_not_stop_the_others(tmp_path):
    (tmp_path / "moody.py").write_text(
        "from duelbench.algorithms import Algorithm\n"
        "class Moody(Algorithm):\n"
        "    '''Fails in every other run.'''\n"
        "    name = 'moody'\n"
        "    State = list\n"
        "    def select(state, t, last, rng):\n"
        "        if not state:\n"
        "            state.append(rng.random())\n"
        "            if state[0] < 0.5: raise RuntimeError('not today')\n"
        "        return 0, 1, 1\n"
        "    def update(state, first, second, wins, count): pass\n"
        "    select, update = staticmethod(select), staticmethod(update)\n"
        "    def start(self, arms, horizon): return []\n"
    )
    text = "horizon: 10\nruns: 12\ndatasets: [six-rankers]\nalgorithms: ['moody.py:Moody', uniform]\n"
    _, directory, execution = played(tmp_path, text)
    failed = len(execution.failures)
    assert 0 < failed < 12
    assert execution.played == 24 - failed
    record = execution.failures[0].read_text()
    assert "RuntimeError: not today" in record
    assert execution.failures[0].suffix == ".failed"
    summary = pd.read_csv(directory / "summary.csv").groupby("algorithm")["runs"].max()
    assert summary.to_dict() == {"Moody": 12 - failed, "uniform": 12}
    _, _, again = played(tmp_path, text)
    assert (again.kept, len(again.failures)) == (24 - failed, failed)


MISTAKES = [
    ("algorithms: [rcub]", "unknown algorithm 'rcub' (did you mean 'rucb'?)"),
    ("algorithms:\n  - {name: rucb, alhpa: 1}", "unknown key 'alhpa' (did you mean 'alpha'?)"),
    ("algorithms:\n  - {name: rucb, alpha: -1}", "'alpha' must be greater than 0, not -1"),
    ("algorithms:\n  - {name: rucb, alpha: big}", "'alpha' must be a number, not 'big'"),
    ("algorithms:\n  - {name: rucb, horizons: sweep}", "rucb does not use its horizon"),
    ("algorithms: ['nowhere.py:Mine']", "cannot read"),
    ("datasets: [sushi61]", "unknown dataset 'sushi61' (did you mean 'sushi16'?)"),
    ("datasets:\n  - {file: missing.csv}", "missing.csv"),
    ("datasets:\n  - {name: btl-uniform, arms: 1}", "arms"),
    ("datasets:\n  - {name: sushi16, submatrix: {size: 99}}", "16"),
    ("regret: condorcet\ndatasets: [cyclic4, mslr5-non-condorcet]", "condorcet regret needs a Condorcet winner"),
    ("regret: [copeland, weak]\ndatasets:\n  - {name: uniform-random, arms: 12}", "in run"),
]


@pytest.mark.parametrize(("lines", "sentence"), MISTAKES)
def test_mistakes_are_found_before_computing_with_file_and_line(tmp_path, lines, sentence):
    text = "horizon: 100\nruns: 5\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    for line in lines.splitlines():
        name = line.split(":")[0]
        text = "".join(each for each in text.splitlines(keepends=True) if not each.startswith(f"{name}:"))
    text += lines + "\n"
    (tmp_path / "spec.yaml").write_text(text)
    with pytest.raises(UserError) as caught:
        make_plan(load(tmp_path / "spec.yaml"))
    error = caught.value
    assert sentence in error.message
    assert error.source == str(tmp_path / "spec.yaml")
    assert error.line is not None
    assert error.line > 2
    assert "\n" not in str(error)


MATRICES = [
    ("0.5,0.6\n0.4,0.5,0.1\n", "columns"),
    ("0.5,0.6,0.7\n0.4,0.5,0.6\n", "2 rows and 3 columns"),
    ("0.5,nan\nnan,0.5\n", "row 1, column 2"),
    ("0.5,1.6\n-0.6,0.5\n", "row 1, column 2"),
    ("0.5,0.6\n0.5,0.5\n", "add up to 1"),
    ("0.5,x\n0.5,0.5\n", "column 2"),
]


@pytest.mark.parametrize(("table", "sentence"), MATRICES)
def test_bad_matrices_name_the_cell(tmp_path, table, sentence):
    (tmp_path / "m.csv").write_text(table)
    (tmp_path / "spec.yaml").write_text("horizon: 9\nruns: 1\nalgorithms: [rucb]\ndatasets:\n  - {file: m.csv}\n")
    with pytest.raises(UserError, match=sentence) as caught:
        make_plan(load(tmp_path / "spec.yaml"))
    assert caught.value.line is not None


def test_delayed_feedback_reaches_every_algorithm_and_the_key(original, tmp_path):
    _, directory = original
    _, late, execution = played(tmp_path, SPEC + "feedback: {delay: 50}\n")
    assert execution.played == 48
    regret = [
        pd.read_csv(where / "summary.csv").query("dataset == 'six-rankers' and regret == 'copeland' and t == 3000")
        for where in (directory, late)
    ]
    before, after = (each.set_index("algorithm")["mean"] for each in regret)
    assert (after != before).all()


DECLARING = '''
from duelbench.algorithms import Algorithm
class Guess(Algorithm):
    """Duels 0 and 1 for ten rounds and declares the second."""
    name = "guess"
    State = dict
    def select(state, t, last, rng):
        if t <= 10: return 0, 1, 1
        state["winner"] = 1, 10
        return 1, 1, last - t + 1
    def update(state, first, second, wins, count): pass
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return {}
    def declaration(self, state): return state.get("winner")
'''


def test_declared_winners_are_in_the_files_and_the_summary(tmp_path):
    (tmp_path / "guess.py").write_text(DECLARING)
    (tmp_path / "m.csv").write_text("0.5,0.4,0.6\n0.6,0.5,0.4\n0.4,0.6,0.5\n")  # a cycle; the Borda winners are all
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    text = (
        "horizon: 100\nruns: 40\nregret: [copeland]\ndatasets:\n  - {file: m.csv}\n  - {file: two.csv}\n"
        "algorithms: ['guess.py:Guess', rucb]\n"
    )
    _, directory, _ = played(tmp_path, text)
    rows = (directory / "m" / "Guess" / "run-00000.csv").read_text().splitlines()
    assert rows[1] == "t,copeland,declared_at,right_copeland"
    assert rows[2].endswith(",,")
    assert rows[-1].endswith(",10,1")
    summary = pd.read_csv(directory / "summary.csv").set_index(["dataset", "algorithm", "t"])
    assert summary.loc[("m", "Guess", 9), "declared"] == 0.0
    last = summary.loc[("two", "Guess", 100)]
    assert (last["declared"], last["duels_to_declaration"]) == (1.0, 10.0)
    assert 0.2 < last["right"] < 0.8  # the arms are shuffled: right in about half of the runs
    assert np.isnan(summary.loc[("two", "rucb", 100), "declared"])


def test_a_manifest_names_a_command_to_repeat_and_the_commit_of_the_package(tmp_path):
    """Results that are replaced make no difference to the commit, an edit of any other file does."""

    def git(*arguments):
        identity = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", "-C", str(tmp_path), *identity, *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    def manifest():
        command = [sys.executable, "-m", "duelbench", "run", "spec.yaml", "-j", "0"]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        return json.loads((tmp_path / "results" / "spec" / "manifest.json").read_text())["executions"][-1]

    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "spec.yaml").write_text(
        "horizon: 10\nruns: 1\ndatasets: [{name: btl-uniform, arms: 4}]\nalgorithms: [uniform]\n"
    )
    (tmp_path / "results" / "spec").mkdir(parents=True)
    (tmp_path / "results" / "spec" / "summary.csv").write_text("of another time\n")
    git("init", "-q")
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "six.csv").write_text("0.5\n")
    git("add", "duelbench", "datasets", "results")  # not the spec, which changes
    git("commit", "-q", "-m", "all")
    first = manifest()
    assert first["commit"] == git("rev-parse", "HEAD")
    assert first["command"] == "python -m duelbench run spec.yaml -j 0"
    spec = (tmp_path / "spec.yaml").read_text()
    for seed, edited in enumerate(("duelbench/errors.py", "datasets/six.csv")):
        with (tmp_path / edited).open("a") as file:
            file.write("# edited\n")
        (tmp_path / "spec.yaml").write_text(f"{spec}seed: {seed + 2}\n")
        assert manifest()["commit"] == first["commit"] + "+"
        git("checkout", "-q", edited)


def test_the_parent_keeps_little_of_a_run(tmp_path, monkeypatch):
    """What stays is what the summary of one series needs: no texts, no futures."""
    monkeypatch.setattr("duelbench.runs.execute.LARGEST_CHUNK", 10)  # chunks under way are not what stays
    peaks = []
    spec = "horizon: 1e3\ncheckpoints_per_decade: 60\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    for runs in (300, 1200):
        tracemalloc.start()
        plan, directory, execution = played(tmp_path, spec + f"runs: {runs}\n", workers=2, into=str(runs))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert execution.played == runs
    text = (directory / "six-rankers" / "uniform" / "run-00000.csv").stat().st_size
    rows = len(plan.checkpoints)
    assert (peaks[1] - peaks[0]) / 900 < 8 * rows + 500 < text


def test_playing_leaks_no_memory(tmp_path):
    """Compiled code keeps a reference to every generator that it sees, so runs must not bring new ones."""
    (tmp_path / "spec.yaml").write_text("horizon: 10\nruns: 1\ndatasets: [six-rankers]\nalgorithms: [uniform]\n")
    (series,) = make_plan(load(tmp_path / "spec.yaml")).series
    play_run(series, 1, 0)
    gc.collect()
    before = sum(isinstance(each, np.random.Generator) for each in gc.get_objects())
    for run in range(20):
        play_run(series, 1, run)
    gc.collect()
    assert sum(isinstance(each, np.random.Generator) for each in gc.get_objects()) == before
