"""What one run can do to the others: nothing, whatever it does."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.runs.backends import local
from duelbench.runs.execute import execute
from duelbench.runs.plan import make_plan
from duelbench.runs.processes import Processes, WorkerDiedError
from duelbench.spec.load import load

REPOSITORY = Path(__file__).parents[1]
RUNS = 12
MOODY = """
import ctypes, os, signal, sys, time
from duelbench.algorithms import Algorithm
from duelbench.compiling.jit import kernel
from pathlib import Path

@kernel
def endless(number):
    while number > 0:
        number = number % 7 + 1
    return number

def deeper(number):
    return deeper(number + 1)

class Moody(Algorithm):
    '''Does something terrible in about every fourth run.'''
    name = 'moody'
    State = list
    def select(state, t, last, rng):
        if t == 1 and rng.random() < 0.25:
            BAD
        return 0, 1, 1
    def update(state, first, second, wins, count): pass
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return []
"""
TEXT = (
    f"horizon: 100\nruns: {RUNS}\nseed: 2\ndatasets: [six-rankers]\nrun_timeout: 0.5\n"
    "algorithms: ['moody.py:Moody', uniform]\n"
)
BAD = {
    "raises": ("raise RuntimeError('not today')", "RuntimeError: not today"),
    "exits": ("sys.exit(3)", "SystemExit: 3"),
    "ends the process": ("os._exit(7)", "the worker process ended with exit code 7, and so did the one before it"),
    "is killed": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        "the worker process was killed by SIGKILL, and so did the one before it",
    ),
    "segmentation fault": ("ctypes.string_at(0)", "moody.py"),
    "hangs in Python": ("while True: pass", "the run was not over after run_timeout"),
    "hangs in a call": ("time.sleep(1000)", "the run was not over after run_timeout"),
    "hangs in compiled code": ("endless(3)", "the run was not over after run_timeout"),
    "answers nonsense": ("return 99, 99, 1", "does not exist"),
    "runs out of memory": ("bytearray(10**15)", "MemoryError"),
    "recurses": ("deeper(0)", "RecursionError"),
}


def play(tmp_path, text=TEXT, workers=2, **options):
    (tmp_path / "spec.yaml").write_text(text)
    plan = make_plan(load(tmp_path / "spec.yaml"))
    return execute(plan, tmp_path / "out", local(workers), announce=lambda _: None, progress=lambda *_: None, **options)


@pytest.fixture(scope="module")
def harmless(tmp_path_factory):
    """The files of the runs when nothing happens."""
    base = tmp_path_factory.mktemp("harmless")
    (base / "moody.py").write_text(MOODY.replace("BAD", "pass"))
    execution = play(base, workers=0)
    assert execution.played == 2 * RUNS
    return {path.relative_to(base): path.read_text() for path in base.rglob("run-*.csv")}


@pytest.mark.parametrize(("bad", "record"), BAD.values(), ids=BAD)
def test_a_terrible_run_is_recorded_and_the_others_go_on(tmp_path, harmless, bad, record):
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", bad))
    execution = play(tmp_path)
    failed = {path.stem for path in execution.failures}
    assert 1 <= len(failed) <= 8
    assert execution.played == 2 * RUNS - len(failed)
    for path in execution.failures:
        assert record in path.read_text()
        assert not path.with_suffix(".csv").exists()
    for path, text in harmless.items():
        if path.stem in failed and path.parent.name == "Moody":
            continue
        rows = (tmp_path / path).read_text().splitlines()[1:]
        assert rows == text.splitlines()[1:]
    summary = (tmp_path / "out" / "summary.csv").read_text().splitlines()
    assert f"six-rankers,Moody,copeland,100,{RUNS - len(failed)}," in "\n".join(summary)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["spec"]["run_timeout"] == 0.5


def test_a_worker_that_is_killed_from_outside_costs_no_run(tmp_path):
    mark = tmp_path / "mark"
    bad = f"if not Path({str(mark)!r}).exists(): Path({str(mark)!r}).touch(); os.kill(os.getpid(), signal.SIGKILL)"
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", bad))
    execution = play(tmp_path)
    assert mark.exists()
    assert (execution.played, execution.failures) == (2 * RUNS, [])


def test_the_record_of_a_hanging_run_says_where_it_hung(tmp_path):
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", "time.sleep(1000)"))
    record = play(tmp_path, run_timeout=0.3).failures[0].read_text()
    assert "moody.py" in record
    assert "in select" in record


def test_a_slow_run_gives_up_by_itself_and_keeps_its_worker(tmp_path):
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", "pass").replace("return 0, 1, 1", "return 0, 0, 1"))
    text = (
        TEXT.replace("horizon: 100", "horizon: 1e8").replace("run_timeout: 0.5", "run_timeout: 0.2").replace("12", "2")
    )
    execution = play(tmp_path, text.replace(", uniform", ""), workers=0)
    assert len(execution.failures) == 2
    assert "TimeoutError: the run was not over after run_timeout = 0.2 seconds" in execution.failures[0].read_text()


def test_failed_runs_are_tried_again(tmp_path, harmless):
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", "if not Path('/' + 'nowhere').exists(): raise OSError"))
    first = play(tmp_path)
    assert first.failures
    again = play(tmp_path)
    assert (again.kept, len(again.failures)) == (first.played, len(first.failures))


def identity(value, heartbeat):
    return value, os.getpid()


def die(value, heartbeat):
    heartbeat.begin("what I was at", None)
    os._exit(value)


def sleep(seconds, heartbeat):
    time.sleep(seconds)


def test_a_death_concerns_no_other_task():
    with Processes(2) as pool:
        good = [pool.submit(identity, number) for number in range(5)]
        bad = pool.submit(die, 9)
        better = [pool.submit(identity, number) for number in range(5, 10)]
        with pytest.raises(WorkerDiedError, match="ended with exit code 9") as caught:
            bad.result()
        assert caught.value.note == "what I was at"
        assert [future.result()[0] for future in good + better] == list(range(10))
        assert len({future.result()[1] for future in good + better}) <= 3


def test_stopping_does_not_wait_for_tasks():
    pool = Processes(2)
    futures = [pool.submit(sleep, 1000) for _ in range(3)]
    while not futures[0].running():
        time.sleep(0.01)
    pool.shutdown(cancel_futures=True)
    assert all(future.done() for future in futures)


def test_what_cannot_be_sent_is_an_error_of_its_task_alone():
    with Processes(1) as pool:
        with pytest.raises((TypeError, AttributeError)):
            pool.submit(identity, lambda: None).result()
        assert pool.submit(identity, 3).result()[0] == 3


def test_a_full_disk_is_one_sentence(tmp_path):
    spec = "horizon: 1e5\nruns: 3\ncheckpoints_per_decade: 100\ndatasets: [six-rankers]\nalgorithms: [uniform]\n"
    (tmp_path / "s.yaml").write_text(spec)
    command = [sys.executable, "-c", "from duelbench.cli import main; main()", "run", "s.yaml", "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))  # stands in for a disk without room

    failed = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, preexec_fn=small_files, check=False
    )
    assert failed.returncode == 2, failed.stderr
    assert failed.stderr.startswith("error: cannot write results/s/")
    assert failed.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("run-*"))
    assert not list(tmp_path.rglob(".run-*"))


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "six-rankers").write_text("in the way")
    with pytest.raises(UserError, match=r"cannot write .*six-rankers"):
        play(tmp_path, TEXT.replace("'moody.py:Moody', ", ""), workers=0)
