"""Processes: as many as this one may use cores, and none outlives its parent."""

import os
import subprocess
import sys

import pytest

from duelbench.cores import available_cores, start_method
from tests.comparison import ROOT

ORPHAN = """
import os, sys, threading, time
from duelbench.cores import die_with_parent, start_method

def wait():
    threading.Thread(target=die_with_parent, daemon=True).start()
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    child = start_method().Process(target=wait)
    child.start()
    sys.stdin.readline()
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores of a process are chosen under Linux only")
def test_only_the_cores_of_this_process_are_counted():
    code = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
    code += "from duelbench.cores import available_cores; print(available_cores())"
    one = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert one.stdout == "1\n"
    assert available_cores() == len(os.sched_getaffinity(0))


def test_processes_start_from_a_server_or_anew():
    assert start_method().get_start_method() == ("forkserver" if sys.platform.startswith("linux") else "spawn")


def test_a_process_ends_with_its_parent(tmp_path):
    (tmp_path / "orphan.py").write_text(ORPHAN)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(tmp_path / "orphan.py")]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, env=environment) as parent:
        assert int(parent.stdout.readline())
        parent.stdin.write("\n")
        parent.stdin.close()
        # The child holds the pipe as long as it lives.
        assert parent.stdout.read() == ""
    assert parent.returncode == 0
