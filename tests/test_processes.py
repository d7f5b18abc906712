"""Processes that play or try algorithms: each may die alone, and none outlives the command."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duelbench.errors import UserError
from duelbench.experiment.trial import Worker
from duelbench.processes import Processes, WorkerDiedError


def identity(value, heartbeat):
    return value, os.getpid()


def die(value, heartbeat):
    heartbeat.begin("what I was at", None)
    os._exit(value)


def sleep(seconds, heartbeat):
    time.sleep(seconds)


def test_death_of_a_worker():
    with Processes(2) as pool:
        good = [pool.submit(identity, number) for number in range(5)]
        bad = pool.submit(die, 9)
        better = [pool.submit(identity, number) for number in range(5, 10)]
        with pytest.raises(WorkerDiedError, match="ended with exit code 9") as caught:
            bad.result()
        assert caught.value.note == "what I was at"
        assert [future.result()[0] for future in good + better] == list(range(10))
        assert len({future.result()[1] for future in good + better}) <= 3


def test_shutdown():
    pool = Processes(2)
    futures = [pool.submit(sleep, 1000) for _ in range(3)]
    while not futures[0].running():
        time.sleep(0.01)
    pool.shutdown(cancel_futures=True)
    assert all(future.done() for future in futures)


def test_unpicklable_task():
    with Processes(1) as pool:
        with pytest.raises((TypeError, AttributeError)):
            pool.submit(identity, lambda: None).result()
        assert pool.submit(identity, 3).result()[0] == 3


# A process that runs a user's code once


HERE = __file__


def line_with(words):
    lines = Path(HERE).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def sleeps(heartbeat):
    heartbeat.begin("the nap", 0.3)
    time.sleep(60)  # a nap


def leaves(heartbeat):
    heartbeat.begin("the end", 60)
    os._exit(3)


def crashes(heartbeat):
    heartbeat.begin("the crash", 60)
    ctypes.string_at(0)  # nothing there


@pytest.mark.parametrize(
    ("function", "line", "message"),
    [
        (sleeps, "# a nap", "at the nap, too slow or endless: it took longer than 0:00:00.300000"),
        (crashes, "# nothing there", "at the crash, the worker process was killed by SIGSEGV"),
        (leaves, None, "at the end, the worker process ended with exit code 3"),
    ],
)
def test_worker_that_hangs_or_dies(function, line, message):
    with Worker({HERE: ""}) as process, pytest.raises(UserError) as caught:
        process.call(function)
    assert caught.value.message == message
    assert (caught.value.source, caught.value.line) == (HERE, line_with(f"  {line}") if line else None)


# Processes end with the command that started them


# A leftover process would keep the pipe of standard output open. No worker imports the main module.
WORKER = """
import numba, time

@numba.njit
def endless(number):
    while number > 0:
        number = number % 7 + 1
    return number

def plain(heartbeat):
    print("started", flush=True)
    time.sleep(1000)

def compiled(heartbeat):
    endless(0)
    print("started", flush=True)
    endless(3)
"""
COMMAND = """
import os, signal, sys
import worker
from duelbench.processes import Processes

pool = Processes(1)
pool.submit(getattr(worker, sys.argv[1]))
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends compiled code with its parent")
@pytest.mark.parametrize("how", ["plain", "compiled"])
def test_workers_end_with_a_killed_command(tmp_path, how):
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "command.py").write_text(COMMAND)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    script = [sys.executable, str(tmp_path / "command.py"), how]
    with subprocess.Popen(script, stdin=-1, stdout=-1, text=True, env=environment) as command:
        assert command.stdout.readline() == "started\n"
        assert command.communicate("\n", timeout=120)[0] == ""


INTERRUPTED = """
import os, signal
import worker
from duelbench.processes import Processes, start_fork_server

signal.signal(signal.SIGINT, lambda *_: None)
start_fork_server()
os.killpg(0, signal.SIGINT)
with Processes(1) as pool:
    print(pool.submit(worker.four).result())
"""


@pytest.mark.skipif(os.name != "posix", reason="interrupts a group of processes")
def test_interrupt_while_the_server_starts(tmp_path):
    """An interrupt of a server that is still importing prints no traceback."""
    (tmp_path / "worker.py").write_text("def four(heartbeat):\n    return 4\n")
    (tmp_path / "command.py").write_text(INTERRUPTED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "command.py")],
        env=environment, capture_output=True, text=True, start_new_session=True, timeout=120, check=False,
    )  # fmt: skip
    assert (ended.stdout, ended.stderr) == ("4\n", "")
