"""The order of runs, workers, and the isolation of runs."""

import json
import re
import signal
import subprocess
import sys
from concurrent.futures import Executor
from types import SimpleNamespace

import pytest

from duelbench.errors import UserError
from duelbench.experiment import backends
from duelbench.experiment.backends import Backend, Chunk, Outcome, play_chunk
from duelbench.experiment.execute import Schedule
from duelbench.processes import WorkerDiedError
from duelbench.results.results import Results
from tests.experiments import (
    ENVIRONMENT,
    called,
    command,
    files,
    nothing,
    own_algorithm,
    planned,
    played,
    wait_for,
)

RUNS = 8
HEAD = """
import ctypes, os, signal, sys, time
from pathlib import Path
from duelbench import kernel
@kernel
def endless(number):
    while number > 0:
        number = number % 7 + 1
    return number
"""
TEXT = (
    f"horizon: 100\nruns: {RUNS}\nseed: 1\ndatasets: [six-rankers]\nrun_timeout: 1\n"
    "algorithms: ['moody.py:Moody', 'calm.py:Calm']\n"
)


def moody(base, bad):
    """Write two algorithms; one executes ``bad`` in about every fourth run."""
    body = f"if t == 1 and rng.random() < 0.25:\n        {bad}"
    (base / "moody.py").write_text(own_algorithm(body, HEAD, name="Moody"))
    (base / "calm.py").write_text(own_algorithm(name="Calm"))


BAD = {
    "raises": (0, "raise RuntimeError('not today')", "RuntimeError: not today"),
    "exits": (0, "sys.exit(3)", "SystemExit: 3"),
    "ends the process": (2, "os._exit(7)", "the worker process ended with exit code 7, as on the first attempt"),
    "segmentation fault": (2, "ctypes.string_at(0)", "moody.py"),
    "hangs in compiled code": (2, "endless(3)", "the run took longer than run_timeout"),
}


@pytest.fixture(scope="module")
def harmless(tmp_path_factory):
    """The files of the runs without failures."""
    base = tmp_path_factory.mktemp("harmless")
    moody(base, "pass")
    assert played(base, TEXT).execution.played == 2 * RUNS
    return {path.relative_to(base): path.read_text() for path in base.rglob("run-*.csv")}


@pytest.mark.parametrize(("workers", "bad", "record"), BAD.values(), ids=BAD)
def test_failing_runs(tmp_path, harmless, workers, bad, record):
    moody(tmp_path, bad)
    execution = played(tmp_path, TEXT, workers=workers).execution
    failed = {path.stem for path in execution.failures}
    assert 1 <= len(failed) <= 4
    assert execution.played == 2 * RUNS - len(failed)
    for path in execution.failures:
        assert record in path.read_text()
        assert not path.with_suffix(".csv").exists()
    for path, text in harmless.items():
        if path.stem not in failed or path.parent.name == "Calm":
            assert (tmp_path / path).read_text().splitlines()[1:] == text.splitlines()[1:]
    assert f"six-rankers,Moody,copeland,100,{RUNS - len(failed)}," in (tmp_path / "out" / "summary.csv").read_text()
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["spec"]["run_timeout"] == 1
    if not workers:
        again = played(tmp_path, TEXT).execution
        assert (again.reused, len(again.failures)) == (execution.played, len(failed))


def test_worker_killed_from_outside(tmp_path):
    mark = tmp_path / "mark"
    bad = f"if not Path({str(mark)!r}).exists(): Path({str(mark)!r}).touch(); os.kill(os.getpid(), signal.SIGKILL)"
    moody(tmp_path, bad)
    execution = played(tmp_path, TEXT, workers=2).execution
    assert mark.exists()
    assert (execution.played, execution.failures) == (2 * RUNS, [])


def schedule(tmp_path, runs=6, isolated=True, algorithms="[uniform, btm]"):
    """A schedule without results on disk."""
    text = f"horizon: 10\nruns: {runs}\ndatasets: [six-rankers]\nalgorithms: {algorithms}\n"
    plan = planned(tmp_path, text)
    backend = Backend("nowhere", Executor(), lambda: 1, chunk_seconds=1.0, isolated=isolated)
    waiting = Results(tmp_path / "out", plan).open()
    return Schedule(waiting, backend, nothing)


def numbers(chunk):
    return [*chunk.numbers]


def outcomes(chunk, seconds):
    return [Outcome(number, "", False, seconds) for number in chunk.numbers]


def test_chunk_size(tmp_path):
    order = schedule(tmp_path, runs=1000, algorithms="[uniform]")
    first = order.next_chunk(alone=True)
    assert numbers(first) == [0]
    order.played(first, outcomes(first, 0.1))
    second = order.next_chunk(alone=True)
    assert numbers(second) == list(range(1, 11))
    order.played(second, outcomes(second, 1e-6))
    assert len(order.next_chunk(alone=True).numbers) == 109  # 11 runs in 0.10001 s
    order.played(second, outcomes(second, 1e-6) * 1000)
    assert len(order.next_chunk(alone=True).numbers) == 200
    order.played(second, outcomes(second, 1e9))
    assert len(order.next_chunk(alone=True).numbers) == 1


def chunk_of_three(order):
    first = order.next_chunk(alone=True)
    order.played(first, outcomes(first, 1 / 3.5))
    return order.next_chunk(alone=True)


def test_suspect_is_tried_again(tmp_path):
    order = schedule(tmp_path)
    chunk = chunk_of_three(order)
    assert order.lost(chunk, WorkerDiedError(-9, "2")) == []
    suspect, others = order.next_chunk(alone=False), order.next_chunk(alone=False)
    assert (numbers(suspect), suspect.again) == ([2], True)
    assert (numbers(others), others.again) == ([1, 3], False)
    (failed,) = order.lost(suspect, WorkerDiedError(-9, "2"))
    assert (failed.number, failed.text.split()[3], failed.failed) == (2, suspect.series.key(2), True)
    assert "killed by SIGKILL, as on the first attempt" in failed.text


def test_timeout_is_not_tried_again(tmp_path):
    order = schedule(tmp_path)
    chunk = chunk_of_three(order)
    (failed,) = order.lost(chunk, WorkerDiedError(1, "3", "Timeout (0:00:01)!\n  File x\n"))
    assert (failed.number, failed.text.splitlines()[-1][:12]) == (3, "TimeoutError")
    others = order.next_chunk(alone=False)
    assert (numbers(others), others.again) == ([1, 2], False)


# Workers


UNIFORM = "horizon: 10\nruns: 9\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"


def test_timeout_within_the_run(tmp_path):
    (tmp_path / "slow.py").write_text(own_algorithm(name="Slow"))
    text = "horizon: 1e8\nruns: 2\ndatasets: [six-rankers]\nrun_timeout: 0.2\nalgorithms: ['slow.py:Slow']\n"
    execution = played(tmp_path, text).execution
    assert len(execution.failures) == 2
    assert "TimeoutError: the run took longer than run_timeout = 0.2 seconds" in execution.failures[0].read_text()


@pytest.mark.parametrize("play_there", [backends._play_on_dask, play_chunk])
def test_other_code_in_a_worker(tmp_path, monkeypatch, play_there):
    alone = SimpleNamespace(state=SimpleNamespace(nthreads=1))
    monkeypatch.setattr("distributed.get_worker", lambda: alone)
    (series,) = planned(tmp_path, UNIFORM).series
    chunk = Chunk(series, (0,))
    (outcome,) = play_there(chunk, 100)
    assert not outcome.failed
    series.algorithm.code["engine.play"] = "of another version"
    backends._checked.clear()
    with pytest.raises(UserError, match=r"another version of engine\.play"):
        play_there(chunk, 100)


# Clusters


MINE = own_algorithm(
    "if t == 1 and rng.random() < 0.05: raise RuntimeError('not today')\n"
    "    return int(6 * rng.random()), int(6 * rng.random()), 1",
    name="Mine",
)
"""Duels at random, and fails once."""
SPEC = "horizon: 5e3\nruns: 60\nseed: 3\ndatasets: [six-rankers]\nalgorithms: ['mine.py:Mine', uniform]\n"


@pytest.fixture
def cluster(tmp_path):
    """The address of a dask scheduler, and two workers in separate processes."""
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
def test_dask_cluster(tmp_path, cluster):
    """Losing a worker changes no bytes; without the scheduler, an error, and a rerun resumes."""
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
    assert "played, 0 reused" in out
    expected = played(tmp_path, SPEC, "here").execution
    assert 0 < len(expected.failures) < 10
    assert files(tmp_path / "dask") == files(tmp_path / "here")
    assert {path.name for path in (tmp_path / "dask").rglob("*.failed")} == {path.name for path in expected.failures}
    again = called(tmp_path, "run", "spec.yaml", "-o", "dask", "-j", 0, code=1)
    assert f"runs: 0 played, {expected.played} reused" in again

    run = started(SPEC.replace("5e3", "1e5"), "late")
    scheduler.kill()
    _, err = run.communicate(timeout=200)
    assert run.returncode == 2, err
    assert re.search("^error: the .* is gone.*: repeat the command to continue$", err, re.M), err
    assert len(list((tmp_path / "late").rglob("run-*.csv"))) >= 3


def test_dask_in_threads(tmp_path):
    """Dask threads write the same bytes as a local run, without the time to start processes."""
    distributed = pytest.importorskip("distributed")
    text = SPEC.replace("60", "20").replace("5e3", "5e2")
    (tmp_path / "mine.py").write_text(MINE)
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        there = played(tmp_path, text, "dask", backend=backends.dask(cluster.scheduler_address, 0, nothing))
    expected = played(tmp_path, text, "here")
    assert there.execution.played == expected.execution.played == 39
    assert files(there.directory) == files(expected.directory)
