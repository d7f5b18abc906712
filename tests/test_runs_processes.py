"""Worker processes, each of which may die alone."""

import os
import signal
import time

import pytest

from duelbench.runs import processes
from duelbench.runs.processes import Processes, WorkerDiedError


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


def test_processes_leave_nothing_in_the_temporary_directory(tmp_path, monkeypatch):
    """A command that is killed could not remove it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Processes(1) as pool:
        pool.submit(identity, 3).result()
        assert not list(tmp_path.glob("duelbench*"))


def test_what_cannot_be_sent_is_an_error_of_its_task_alone():
    with Processes(1) as pool:
        with pytest.raises((TypeError, AttributeError)):
            pool.submit(identity, lambda: None).result()
        assert pool.submit(identity, 3).result()[0] == 3


class Stopping:
    """Stops the worker that unpickles it."""

    def __reduce__(self):
        return _stop, ()


def _stop():
    os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.skipif(os.name != "posix", reason="processes are stopped by a signal")
def test_a_worker_that_is_stopped_before_it_begins_is_out_of_time(monkeypatch):
    monkeypatch.setattr(processes, "TAKING_UP", 5.0)
    with Processes(1) as pool, pytest.raises(WorkerDiedError) as caught:
        pool.submit(identity, Stopping()).result(timeout=60)
    assert caught.value.timed_out
