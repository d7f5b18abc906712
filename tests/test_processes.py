"""Processes that play or try: each may die alone, and none outlives the command."""

import ctypes
import faulthandler
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from duelbench.conformance.trial import Worker
from duelbench.errors import UserError
from duelbench.processes import Heartbeat, Processes, WorkerDiedError, last_note
from tests.experiments import wait_for


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
        (sleeps, "# a nap", "at the nap, it has not ended in time: look for an endless loop"),
        (crashes, "# nothing there", "at the crash, the worker process was killed by SIGSEGV"),
        (leaves, None, "at the end, the worker process ended with exit code 3"),
    ],
)
def test_worker_that_hangs_or_dies(function, line, message):
    with Worker({HERE: ""}) as process, pytest.raises(UserError) as caught:
        process.call(function)
    assert caught.value.message == message
    assert (caught.value.source, caught.value.line) == (HERE, line_with(f"  {line}") if line else None)


USING = "from duelbench.processes import start_method as s; p = s().Process(target=print); p.start(); p.join()"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes start without a server")
def test_directories_of_killed_commands():
    """A command removes them, keeps those of commands that live, and leaves none of its own."""
    ended = int(subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE).stdout)
    left = {f"duelbench-{os.getpid()}-used", "duelbench-notes", "else"}
    # A short path: those of sockets have 107 characters at most.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        for name in (f"duelbench-{ended}-left", *left):
            (Path(place) / name).mkdir()
        environment = {**os.environ, "TMPDIR": place}
        subprocess.run([sys.executable, "-c", USING], env=environment, cwd=Path(__file__).parents[1], check=True)
        wait_for(lambda: {each.name for each in Path(place).iterdir()} == left)


# What a dying process leaves behind


@pytest.fixture
def ends():
    reader, writer = multiprocessing.Pipe(duplex=False)
    for each in (reader, writer):
        os.set_blocking(each.fileno(), False)
    heartbeat = Heartbeat(None, writer)
    faulthandler.disable()
    yield reader, writer, heartbeat
    reader.close()
    writer.close()


posix = pytest.mark.skipif(os.name != "posix", reason="notes are left in pipes that are files")


@posix
def test_last_note(ends):
    reader, writer, heartbeat = ends
    heartbeat.begin("7", None)
    heartbeat.begin("8", None)
    os.write(writer.fileno(), b"Fatal Python error: \xff\n")
    assert last_note(reader) == "8\nFatal Python error: \ufffd\n"
    assert last_note(reader) == ""


@posix
def test_notes_never_block(ends):
    reader, _, heartbeat = ends
    assert last_note(reader) == ""
    for _ in range(20_000):  # more than a pipe takes
        heartbeat.begin("a note that nobody reads", None)
    assert last_note(reader) == "a note that nobody reads\n"


# What was started ends with the command


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are adopted under Linux only")

# Whoever is left holds the pipe of standard output. No worker imports the main module.
WORKER = """
import numba, os, subprocess, time
from duelbench.processes import die_with_parent

@numba.njit
def endless(number):
    while number > 0:
        number = number % 7 + 1
    return number

def leave_behind(how):
    die_with_parent()
    if how == "compiled":
        endless(0)
        print("started", flush=True)
        endless(3)
    subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
    subprocess.Popen(["sleep", "1000"], start_new_session=True, stdin=subprocess.DEVNULL)
    if not os.fork():
        os.setsid()
        if not os.fork():
            print("started", flush=True)
            time.sleep(1000)
        os._exit(0)
    time.sleep(1000)
"""
COMMAND = """
import os, sys
from duelbench.processes import kill, start_method
from worker import leave_behind

worker = start_method().Process(target=leave_behind, args=sys.argv[1:])
worker.start()
sys.stdin.readline()
if sys.argv[1] == "timeout":
    kill(worker)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def command(tmp_path):
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "command.py").write_text(COMMAND)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def start(how, **more):
        script = [sys.executable, str(tmp_path / "command.py"), how]
        return subprocess.Popen(script, stdin=-1, stdout=-1, text=True, env=environment | more)

    return start


@linux
@pytest.mark.parametrize("how", ["killed", "compiled", "timeout"])
def test_descendants_end_with_the_command(command, how):
    with command(how) as parent:
        assert parent.stdout.readline() == "started\n"
        assert parent.communicate("\n", timeout=120)[0] == ""


@linux
def test_killed_command_leaves_nothing_temporary(command):
    with tempfile.TemporaryDirectory(prefix="t-") as place:  # sockets have theirs in it: a short path
        with command("killed", TMPDIR=place) as parent:
            assert parent.stdout.readline() == "started\n"
            assert any(Path(place).iterdir())
            parent.communicate("\n", timeout=50)
        assert not any(Path(place).iterdir())


INTERRUPTED = """
import os, signal
from duelbench.processes import interrupted_by_parent, start_method

signal.signal(signal.SIGINT, lambda *_: None)
context = start_method()
os.killpg(0, signal.SIGINT)
worker = context.Process(target=interrupted_by_parent)
worker.start()
worker.join()
print(worker.exitcode)
"""


@linux
def test_interrupt_while_the_server_starts(tmp_path):
    """It printed a traceback when it was still importing."""
    (tmp_path / "command.py").write_text(INTERRUPTED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "command.py")],
        env=environment, capture_output=True, text=True, start_new_session=True, timeout=120, check=False,
    )  # fmt: skip
    assert (ended.stdout, ended.stderr) == ("0\n", "")
