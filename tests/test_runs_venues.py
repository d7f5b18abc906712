"""The same bytes wherever runs are played; clusters that lose a worker."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from duelbench.runs import backends, worker
from duelbench.runs.backends import local
from duelbench.runs.execute import execute
from duelbench.runs.plan import make_plan
from duelbench.runs.series import PlannedRun
from duelbench.runs.worker import Chunk
from duelbench.spec.load import load

REPOSITORY = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
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


def files(directory):
    return {path.relative_to(directory): path.read_bytes() for path in sorted(directory.rglob("*.csv"))}


def play(tmp_path, text, backend, into):
    (tmp_path / "spec.yaml").write_text(text)
    plan = make_plan(load(tmp_path / "spec.yaml"))
    return execute(plan, tmp_path / into, backend, announce=lambda _: None, progress=lambda *_: None)


def command(*arguments):
    return [sys.executable, "-c", "from duelbench.cli import main; main()", *map(str, arguments)]


def wait_for(condition, seconds=120):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture
def cluster(tmp_path):
    """The address of a dask scheduler, and three workers in processes of their own."""
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
        subprocess.Popen([*module, "--nthreads", "1", "--no-dashboard", "--no-nanny"], **common) for _ in range(3)
    ]
    yield json.loads(there.read_text())["address"], workers, scheduler
    for process in [*workers, scheduler]:
        process.kill()
        process.wait()


def test_a_dask_cluster_that_loses_a_worker_gives_the_same_bytes(tmp_path, cluster):
    address, workers, _ = cluster
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "spec.yaml").write_text(SPEC)
    arguments = ["run", "spec.yaml", "-o", "dask", "--executor", "dask", "--scheduler", address]
    run = subprocess.Popen(
        command(*arguments), cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: len(list((tmp_path / "dask").rglob("run-*.csv"))) >= 3 or run.poll() is not None)
    workers[0].send_signal(signal.SIGKILL)
    out, err = run.communicate(timeout=200)
    assert run.returncode == 1, err  # a few runs of Mine fail
    assert "runs played, 0 kept" in out
    expected = play(tmp_path, SPEC, local(0), "here")
    assert 0 < len(expected.failures) < 10
    assert files(tmp_path / "dask") == files(tmp_path / "here")
    assert {path.name for path in (tmp_path / "dask").rglob("*.failed")} == {path.name for path in expected.failures}
    again = subprocess.run(
        command("run", "spec.yaml", "-o", "dask"), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert f"nothing to play, {expected.played} kept" in again.stdout


def test_a_scheduler_that_ends_is_one_sentence_and_a_rerun_goes_on(tmp_path, cluster):
    address, _, scheduler = cluster
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "spec.yaml").write_text(SPEC.replace("5e3", "1e5"))
    arguments = ["run", "spec.yaml", "-o", "dask", "--executor", "dask", "--scheduler", address]
    run = subprocess.Popen(
        command(*arguments), cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: len(list((tmp_path / "dask").rglob("run-*.csv"))) >= 2 or run.poll() is not None)
    scheduler.kill()
    _, err = run.communicate(timeout=200)
    assert run.returncode == 2, err
    assert re.search("^error: the .* has gone.*: repeat the command to go on$", err, re.M), err
    assert len(list((tmp_path / "dask").rglob("run-*.csv"))) >= 2


def test_dask_starts_a_cluster_of_its_own(tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "mine.py").write_text(MINE.replace("raise RuntimeError", "import os; os._exit(5)"))
    (tmp_path / "spec.yaml").write_text(SPEC.replace("60", "20").replace("5e3", "2e3"))
    done = subprocess.run(
        command("run", "spec.yaml", "-o", "dask", "--executor", "dask", "-j", 2),
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
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
    done = subprocess.run(
        command("run", "spec.yaml", *arguments), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert sentence in done.stderr


def test_an_algorithm_of_ones_own_is_played_as_it_was_when_the_command_began(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "spec.yaml").write_text(SPEC)
    plan = make_plan(load(tmp_path / "spec.yaml"))
    (tmp_path / "mine.py").write_text("edited too early")
    execution = execute(
        plan, tmp_path / "edited", local(2), announce=lambda _: None, progress=lambda *_: None
    )  # fmt: skip
    (tmp_path / "mine.py").write_text(MINE)
    assert execution.played == play(tmp_path, SPEC, local(0), "here").played
    assert files(tmp_path / "edited") == files(tmp_path / "here")


@pytest.mark.parametrize("play_there", [backends._play_on_dask, backends._play_elsewhere])
def test_a_worker_with_other_code_refuses(tmp_path, monkeypatch, play_there):
    alone = SimpleNamespace(state=SimpleNamespace(nthreads=1))
    monkeypatch.setattr("distributed.get_worker", lambda: alone)
    (tmp_path / "spec.yaml").write_text(SPEC.replace("'mine.py:Mine', ", ""))
    (series,) = make_plan(load(tmp_path / "spec.yaml")).series
    chunk = Chunk(series, (PlannedRun(0, 3, 0, series.key(3, 0)),))
    (outcome,) = play_there(chunk, 100)
    assert not outcome.failed
    series.code["engine.play"] = "of another version"
    worker._checked.clear()
    with pytest.raises(RuntimeError, match=r"another version of engine\.play"):
        play_there(chunk, 100)
