"""Constants of many draws, in several processes."""

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from duelbench.bounds import (
    BOUNDS,
    ecw_bound_constant,
    lower_bound_constant,
)
from duelbench.bounds.sample import constants_of
from duelbench.cli.bounds import matrix_drawn
from duelbench.sources.datasets import dataset


def test_any_number_of_processes_gives_the_same_constants():
    told = []
    drawn = partial(matrix_drawn, dataset("uniform-random", parameters={"arms": 4}), 3, True)
    alone = constants_of(drawn, 230, list(BOUNDS), 1, told.append)
    together = constants_of(drawn, 230, list(BOUNDS), 2, told.append)
    assert np.array_equal(alone, together, equal_nan=True)
    assert sum(told) == 460
    assert alone[7, 0] == lower_bound_constant(drawn(7))
    assert alone[8, 1] == ecw_bound_constant(drawn(8))


KILLED = """
import os, threading, time
from duelbench.bounds.sample import constants_of

def draw(number):
    print(flush=True)
    time.sleep(100)

if __name__ == "__main__":
    threading.Thread(target=constants_of, args=(draw, 1000, ["LB"], 2), daemon=True).start()
    input()
    os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(os.name != "posix", reason="a command is killed by a signal")
def test_processes_end_with_a_command_that_is_killed(tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "killed.py")], stdin=-1, stdout=-1, text=True, env=environment
    ) as parent:
        assert parent.stdout.readline() == "\n"  # a worker is at it
        parent.communicate("\n", timeout=50)  # until nobody holds the pipe any more
