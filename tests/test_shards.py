"""Shards of an experiment: any processes in any order write the same bytes as a single command."""

import json
import subprocess

import pytest

from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from duelbench.results.results import Results
from tests.commands import here
from tests.experiments import PLAIN, command, files, nothing, planned, played
from tests.playing import interpreting

pytestmark = pytest.mark.usefixtures("interpreted")

SPEC = """\
horizon: 300
runs: 7
seed: 5
datasets: [six-rankers, {name: btl-uniform, arms: 4}]
algorithms: [uniform, {name: btm, horizons: [50, 300]}]
"""
LAST = {"announce": nothing, "progress": nothing}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with interpreting():
        return played(tmp_path_factory.mktemp("whole"), SPEC)


def shard(plan, directory, number, of, backend=None):
    return execute(plan, directory, backend or local(0), shard=(number, of), **LAST)


def test_shards_and_a_last_command(whole, tmp_path):
    plan = planned(tmp_path, SPEC)
    done = [shard(plan, tmp_path / "out", number, 3) for number in (3, 1, 2)]
    assert sum(each.played for each in done) == 28
    assert not (tmp_path / "out" / "summary.csv").exists()
    assert shard(plan, tmp_path / "out", 2, 3).reused == done[2].played
    assert not list((tmp_path / "out").rglob(".lock"))
    last = execute(plan, tmp_path / "out", local(0), **LAST)
    assert (last.played, last.reused) == (0, 28)
    assert files(tmp_path / "out") == files(whole.directory)
    (execution,) = json.loads((tmp_path / "out" / "manifest.json").read_text())["executions"]
    assert (execution["played"], execution["kept"]) == (0, 28)


def test_results_of_shards(tmp_path, monkeypatch):
    """Commands that read results also read a directory of shards."""
    monkeypatch.chdir(tmp_path)
    plan = planned(tmp_path, SPEC)
    shard(plan, tmp_path / "out", 1, 3)
    shard(plan, tmp_path / "out", 3, 3)
    said = here("status", "out").output
    assert "  uniform  5 done, 2 missing\n" in said
    assert here("table", "out").exit_code == 2
    done = here("table", "out", "--partial")
    assert " of 28 runs so far\n" in done.stderr
    assert "uniform" in done.stdout
    assert Results(tmp_path / "out", partial=nothing).checkpoints == list(plan.checkpoints)


def test_shards_replace_other_runs(whole, tmp_path):
    played(tmp_path, SPEC.replace("seed: 5", "seed: 6"))
    plan = planned(tmp_path, SPEC)
    one, two = (shard(plan, tmp_path / "out", number, 2) for number in (1, 2))
    assert (one.reused, two.reused) == (0, 0)
    execute(plan, tmp_path / "out", local(0), **LAST)
    assert files(tmp_path / "out") == files(whole.directory)


def test_concurrent_shards(whole, tmp_path):
    """The last command, which removes old temporary files, does not disturb commands that still write."""
    (tmp_path / "spec.yaml").write_text(SPEC)
    calls = [["--shard", "1/2"], []]
    jobs = [
        subprocess.Popen(
            command("run", "spec.yaml", "-o", "out", "-j", "0", *arguments),
            cwd=tmp_path, env=PLAIN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for arguments in calls
    ]  # fmt: skip
    said = [job.communicate(timeout=300) for job in jobs]
    assert [job.returncode for job in jobs] == [0] * 2, said
    assert "runs of shard 1/2: " in said[0][0]
    last = execute(planned(tmp_path, SPEC), tmp_path / "out", local(0), **LAST)
    assert last.played == 0
    assert files(tmp_path / "out") == files(whole.directory)
