"""What is played next, and what one run can do to the others: nothing, whatever it does."""

import json
import os
from concurrent.futures import CancelledError, Executor

import pytest

from duelbench.errors import UserError
from duelbench.runs import processes
from duelbench.runs.backends import Backend
from duelbench.runs.processes import WorkerDiedError
from duelbench.runs.scan import scan
from duelbench.runs.schedule import Schedule
from duelbench.runs.worker import Outcome
from tests.experiments import alive, planned, played, wait_for

RUNS = 8
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

class Calm(Algorithm):
    '''Duels two arms, in plain Python, so that no worker loads kernels.'''
    name = 'calm'
    State = list
    def select(state, t, last, rng): return 0, 1, 1
    def update(state, first, second, wins, count): pass
    select, update = staticmethod(select), staticmethod(update)
    def start(self, arms, horizon): return []

class MoodyState(list): pass

class Moody(Calm):
    '''Does something terrible in about every fourth run.'''
    name = 'moody'
    State = MoodyState
    def select(state, t, last, rng):
        if t == 1 and rng.random() < 0.25:
            BAD
        return 0, 1, 1
    select = staticmethod(select)
    def start(self, arms, horizon): return MoodyState()
"""
TEXT = (
    f"horizon: 100\nruns: {RUNS}\nseed: 1\ndatasets: [six-rankers]\nrun_timeout: 0.5\n"
    "algorithms: ['moody.py:Moody', 'moody.py:Calm']\n"
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
    "answers nonsense": ("return 99, 99, 1", "arms are 0"),
    "runs out of memory": ("bytearray(10**15)", "MemoryError"),
    "recurses": ("deeper(0)", "RecursionError"),
}


@pytest.fixture(scope="module")
def harmless(tmp_path_factory):
    """The files of the runs when nothing happens."""
    base = tmp_path_factory.mktemp("harmless")
    (base / "moody.py").write_text(MOODY.replace("BAD", "pass"))
    execution = played(base, TEXT).execution
    assert execution.played == 2 * RUNS
    return {path.relative_to(base): path.read_text() for path in base.rglob("run-*.csv")}


@pytest.mark.parametrize(("bad", "record"), BAD.values(), ids=BAD)
def test_a_terrible_run_is_recorded_and_the_others_go_on(tmp_path, harmless, bad, record):
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", bad))
    execution = played(tmp_path, TEXT, workers=2).execution
    failed = {path.stem for path in execution.failures}
    assert 1 <= len(failed) <= 4
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
    execution = played(tmp_path, TEXT, workers=2).execution
    assert mark.exists()
    assert (execution.played, execution.failures) == (2 * RUNS, [])


EVADES = {
    "stops": "os.kill(os.getpid(), signal.SIGSTOP)",
    "forks, and the child has the pipe": "(child := os.fork()) and Path(f'PLACE/{child}').touch(); time.sleep(99)",
    "calls off the timer": "faulthandler.cancel_dump_traceback_later(); time.sleep(1000)",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="what it does is not there")
@pytest.mark.parametrize("how", EVADES.values(), ids=EVADES)
def test_nobody_evades_the_end_of_his_time(tmp_path, monkeypatch, how):
    monkeypatch.setattr(processes, "PATIENCE", 1.0)
    (tmp_path / "moody.py").write_text(
        "import faulthandler\n" + MOODY.replace("BAD", how.replace("PLACE", str(tmp_path)))
    )
    execution = played(tmp_path, TEXT, workers=2).execution
    assert execution.failures
    children = list(tmp_path.glob("[0-9]*"))
    assert bool(children) == ("fork" in how)
    wait_for(lambda: not any(alive(int(path.stem)) for path in children))
    assert execution.played == 2 * RUNS - len(execution.failures)
    for path in execution.failures:
        assert "the run was not over after run_timeout" in path.read_text()


def test_failed_runs_are_tried_again(tmp_path):
    (tmp_path / "moody.py").write_text(MOODY.replace("BAD", "if not Path('/' + 'nowhere').exists(): raise OSError"))
    first = played(tmp_path, TEXT).execution
    assert first.failures
    again = played(tmp_path, TEXT).execution
    assert (again.kept, len(again.failures)) == (first.played, len(first.failures))


def schedule(tmp_path, runs=6, isolated=True, algorithms="[uniform, btm]"):
    """A schedule of which nothing is on disk, and the labels of the series in the order in which they began."""
    text = f"horizon: 10\nruns: {runs}\ndatasets: [six-rankers]\nalgorithms: {algorithms}\n"
    plan = planned(tmp_path, text)
    begun = []
    backend = Backend("nowhere", Executor(), lambda: 1, chunk_seconds=1.0, isolated=isolated)
    waiting = scan(plan, tmp_path / "out")
    return Schedule(plan, waiting, backend, lambda scanned: begun.append(scanned.series.labels.algorithm)), begun


def numbers(chunk):
    return [run.number for run in chunk.runs]


def outcomes(chunk, seconds):
    return [Outcome(run.number, run.key, "", False, seconds) for run in chunk.runs]


def test_series_come_one_after_the_other_and_begin_when_their_first_chunk_does(tmp_path):
    order, begun = schedule(tmp_path, runs=2)
    seen = []
    while (chunk := order.next_chunk(alone=True)) is not None:
        seen += [(chunk.series.labels.algorithm, number) for number in numbers(chunk)]
        assert begun == sorted({label for label, _ in seen}, reverse=True)
    assert seen == [("uniform", 0), ("uniform", 1), ("btm", 0), ("btm", 1)]


def test_chunks_grow_to_what_the_backend_asks_for(tmp_path):
    order, _ = schedule(tmp_path, runs=1000, algorithms="[uniform]")
    first = order.next_chunk(alone=True)
    assert numbers(first) == [0]
    order.played(first, outcomes(first, 0.1))
    second = order.next_chunk(alone=True)
    assert numbers(second) == list(range(1, 11))
    order.played(second, outcomes(second, 1e-6))
    assert len(order.next_chunk(alone=True).runs) == 109  # 11 runs in 0.10001 s
    order.played(second, outcomes(second, 1e-6) * 1000)
    assert len(order.next_chunk(alone=True).runs) == 200
    order.played(second, outcomes(second, 1e9))
    assert len(order.next_chunk(alone=True).runs) == 1


def chunk_of_three(order):
    first = order.next_chunk(alone=True)
    order.played(first, outcomes(first, 1 / 3.5))
    return order.next_chunk(alone=True)


def test_a_death_makes_the_run_at_work_a_suspect_that_is_tried_once_more_alone(tmp_path):
    order, _ = schedule(tmp_path)
    chunk = chunk_of_three(order)
    assert order.lost(chunk, WorkerDiedError(-9, "2\n")) == []
    suspect, others = order.next_chunk(alone=False), order.next_chunk(alone=False)
    assert (numbers(suspect), suspect.again) == ([2], True)
    assert (numbers(others), others.again) == ([1, 3], False)
    (failed,) = order.lost(suspect, WorkerDiedError(-9, "2\n"))
    assert (failed.number, failed.key, failed.failed) == (2, suspect.runs[0].key, True)
    assert "killed by SIGKILL, and so did the one before it" in failed.text


def test_where_a_death_takes_others_along_all_are_suspects_and_wait_till_the_end(tmp_path):
    order, _ = schedule(tmp_path, isolated=False)
    chunk = chunk_of_three(order)
    assert order.lost(chunk, RuntimeError("a worker has gone")) == []
    rest = [order.next_chunk(alone=False) for _ in range(4)]
    assert [numbers(each) for each in rest if each is not None and each.series is chunk.series] == [[4, 5]]
    while order.next_chunk(alone=False) is not None:
        pass
    assert [numbers(order.next_chunk(alone=True)) for _ in range(3)] == [[1], [2], [3]]
    assert order.next_chunk(alone=True) is None


def test_a_run_that_was_out_of_time_is_not_tried_again(tmp_path):
    order, _ = schedule(tmp_path)
    chunk = chunk_of_three(order)
    (failed,) = order.lost(chunk, WorkerDiedError(1, "3\nTimeout (0:00:01)!\n  File x\n"))
    assert (failed.number, failed.text.splitlines()[-1][:12]) == (3, "TimeoutError")
    others = order.next_chunk(alone=False)
    assert (numbers(others), others.again) == ([1, 2], False)


def test_an_executor_that_gives_up_is_one_sentence(tmp_path):
    order, _ = schedule(tmp_path)
    with pytest.raises(UserError, match="repeat the command to go on"):
        order.lost(order.next_chunk(alone=True), CancelledError())
