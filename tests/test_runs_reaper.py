"""What an algorithm has started, and what is temporary, ends with the command, even if that is killed."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are adopted under Linux only")

# Whoever is left holds the pipe of standard output.
COMMAND = """
import os, subprocess, sys, time
from duelbench.cores import die_with_parent, kill, start_method

def leave_behind():
    die_with_parent()
    subprocess.Popen(["sleep", "100"], stdin=subprocess.DEVNULL)
    subprocess.Popen(["sleep", "100"], start_new_session=True, stdin=subprocess.DEVNULL)
    if not os.fork():
        os.setsid()
        if not os.fork():
            print("started", flush=True)
            time.sleep(100)
        os._exit(0)
    time.sleep(100)

if __name__ == "__main__":
    worker = start_method().Process(target=leave_behind)
    worker.start()
    sys.stdin.readline()
    if sys.argv[1] == "timeout":
        kill(worker)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def command(tmp_path):
    (tmp_path / "command.py").write_text(COMMAND)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def start(how, **more):
        script = [sys.executable, str(tmp_path / "command.py"), how]
        return subprocess.Popen(script, stdin=-1, stdout=-1, text=True, env=environment | more)

    return start


@pytest.mark.parametrize("how", ["killed", "timeout"])
def test_what_was_started_ends_with_the_command(command, how):
    with command(how) as parent:
        assert parent.stdout.readline() == "started\n"
        assert parent.communicate("\n", timeout=50)[0] == ""


def test_a_killed_command_leaves_nothing_temporary(command):
    with tempfile.TemporaryDirectory(prefix="t-") as place:  # sockets have theirs in it: a short path
        with command("killed", TMPDIR=place) as parent:
            assert parent.stdout.readline() == "started\n"
            assert any(Path(place).iterdir())
            parent.communicate("\n", timeout=50)
        assert not any(Path(place).iterdir())
