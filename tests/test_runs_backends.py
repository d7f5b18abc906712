"""The same bytes wherever runs are played; clusters that lose a worker."""

import json
import re
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.runs.backends import local
from duelbench.runs.execute import execute
from tests.experiments import ENVIRONMENT, called, command, files, nothing, planned, played, wait_for

MINE = """
from duelbench.algorithms import Algorithm
class Mine(Algorithm):
    '''Duels at random, and once gives up.'''
    name = "mine"
    State = list
    def select(state, t, last, rng):
        if not state:
            state.append(rng.random())
        if state[0] < 0.05:
            raise RuntimeError("not today")
        return int(rng.integers(6)), int(rng.integers(6)), 1
    def update(state, first, second, wins, count): pass
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return []
"""
SPEC = "horizon: 5e3\nruns: 60\nseed: 3\ndatasets: [six-rankers]\nalgorithms: ['mine.py:Mine', uniform]\n"


@pytest.fixture
def cluster(tmp_path):
    """The address of a dask scheduler, and two workers in processes of their own."""
    pytest.importorskip("distributed")
    place = tmp_path / "cluster"
    place.mkdir()
    common = {"env": ENVIRONMENT, "cwd": place, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    module = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*module, "--scheduler-file", "scheduler.json"], **common)
    there = place / "scheduler.json"
    wait_for(lambda: there.exists() and there.read_text().strip().endswith("}"))
    module = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", "scheduler.json"]
    workers = [
        subprocess.Popen([*module, "--nthreads", "1", "--no-dashboard", "--no-nanny"], **common) for _ in range(2)
    ]
    yield json.loads(there.read_text())["address"], workers, scheduler
    for process in [*workers, scheduler]:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_dask_cluster_that_loses_a_worker_and_then_its_scheduler(tmp_path, cluster):
    """The same bytes without the worker; without the scheduler one sentence, and a rerun goes on."""
    address, workers, scheduler = cluster
    (tmp_path / "mine.py").write_text(MINE)

    def started(text, into):
        (tmp_path / "spec.yaml").write_text(text)
        arguments = ("run", "spec.yaml", "-o", into, "--executor", "dask", "--scheduler", address)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        run = subprocess.Popen(command(*arguments), cwd=tmp_path, env=ENVIRONMENT, **pipes)
        wait_for(lambda: len(list((tmp_path / into).rglob("run-*.csv"))) >= 3 or run.poll() is not None)
        return run

    run = started(SPEC, "dask")
    workers[0].send_signal(signal.SIGKILL)
    out, err = run.communicate(timeout=200)
    assert run.returncode == 1, err  # a few runs of Mine fail
    assert "runs played, 0 kept" in out
    expected = played(tmp_path, SPEC, "here").execution
    assert 0 < len(expected.failures) < 10
    assert files(tmp_path / "dask") == files(tmp_path / "here")
    assert {path.name for path in (tmp_path / "dask").rglob("*.failed")} == {path.name for path in expected.failures}
    again = called(tmp_path, "run", "spec.yaml", "-o", "dask", "-j", 0, code=1)
    assert f"nothing to play, {expected.played} kept" in again

    run = started(SPEC.replace("5e3", "1e5"), "late")
    scheduler.kill()
    _, err = run.communicate(timeout=200)
    assert run.returncode == 2, err
    assert re.search("^error: the .* has gone.*: repeat the command to go on$", err, re.M), err
    assert len(list((tmp_path / "late").rglob("run-*.csv"))) >= 3


def test_dask_starts_a_cluster_of_its_own(tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "mine.py").write_text(MINE.replace("raise RuntimeError", "import os; os._exit(5)"))
    (tmp_path / "spec.yaml").write_text(SPEC.replace("60", "20").replace("5e3", "5e2"))
    said = called(tmp_path, "run", "spec.yaml", "-o", "dask", "--executor", "dask", "-j", 2, code=1)
    assert "Traceback" not in said
    (failed,) = (tmp_path / "dask").rglob("*.failed")
    assert "KilledWorker" in failed.read_text()
    assert len(list((tmp_path / "dask").rglob("run-*.csv"))) == 39


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "add --executor dask"),
        (["--executor", "mpi", "-j", "2"], "leave out -j"),
    ],
)
def test_options_that_do_not_go_together(tmp_path, arguments, sentence):
    (tmp_path / "spec.yaml").write_text(SPEC)
    done = CliRunner().invoke(main, ["run", str(tmp_path / "spec.yaml"), *arguments])
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_an_algorithm_of_ones_own_is_played_as_it_was_when_the_command_began(tmp_path):
    text = SPEC.replace("60", "20").replace("5e3", "1e3")
    (tmp_path / "mine.py").write_text(MINE)
    plan = planned(tmp_path, text)
    (tmp_path / "mine.py").write_text("edited too early")
    execution = execute(plan, tmp_path / "edited", local(2), announce=nothing, progress=nothing)
    (tmp_path / "mine.py").write_text(MINE)
    assert execution.played == played(tmp_path, text, "here").execution.played
    assert files(tmp_path / "edited") == files(tmp_path / "here")
