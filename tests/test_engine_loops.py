"""Whose kernels are played: those of the algorithm's own class, whatever else has a state of the same type."""

import os
import subprocess
import sys

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.elimination.pcomp import Pcomp
from duelbench.algorithms.elimination.scomp2 import Scomp2
from duelbench.engine.loops import loop_directory
from duelbench.engine.simulate import simulate
from tests import toys
from tests.comparison import ROOT


def one(answer="0, 1, 1"):
    return toys.HEAD + toys.select("forward", answer) + toys.kind("A", "forward")


HEIRS = """
from duelbench.algorithms.confidence.rucb import Rucb

class Heir(A):
    name = "heir"
    select = backward

class Guest(Rucb):
    name = "guest"
    State = Rucb.State
    select = backward

class Child(Rucb):
    name = "child"
    select = backward
"""
TWO = one() + toys.select("backward", "1, 0, 1") + toys.kind("B", "backward") + HEIRS
P = [[0.5, 0.9], [0.1, 0.5]]
EXPECTED = {"A": (0, 1), "B": (1, 0), "Heir": (1, 0), "Guest": (1, 0), "Child": (1, 0)}


def test_plain_classes_with_one_state_play_their_own_kernels(tmp_path):
    (tmp_path / "two.py").write_text(toys.plain(TWO))
    before = simulate("rucb", P, 300).duels
    for _ in range(2):
        for name, pair in EXPECTED.items():
            assert simulate(find(f"two.py:{name}", tmp_path)(), P, 9).duels[pair] == 9, name
    assert np.array_equal(simulate("rucb", P, 300).duels, before)


SCRIPT = """
import sys
from pathlib import Path
from duelbench.algorithms.catalogue import find
from duelbench.engine.simulate import simulate
for name in sys.argv[1:]:
    if name == "library":
        from library import A as kind
    else:
        kind = find(name, Path())
    print(simulate(kind(), [[0.5, 0.9], [0.1, 0.5]], 300).duels.tolist())
"""


@pytest.fixture
def process(tmp_path):
    """Play algorithms in a process of its own, with kernels kept for the next; return the duels of each."""

    def process(*names):
        (tmp_path / "script.py").write_text(SCRIPT)
        switches = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "script.py", *names],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | switches,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return process


def counted(pair):
    table = [[0, 0], [0, 0]]
    table[pair[0]][pair[1]] = 300
    return str(table)


def test_compiled_classes_with_one_state_play_and_keep_their_own_kernels(process, tmp_path):
    """Also states of one name in two files, compiled by processes in which numba numbers functions alike.

    The kernels of a module are not loaded by its name, as nothing tells of its code: edited it plays what it says.
    """
    for name, text in (("two", TWO), ("one", one()), ("other", one("0, 0, 1"))):
        (tmp_path / f"{name}.py").write_text(text)
    wanted = {"one.py:A": counted((0, 1)), **{f"two.py:{name}": counted(pair) for name, pair in EXPECTED.items()}}
    wanted |= {"rucb": str(simulate("rucb", P, 300).duels.tolist())}
    (tmp_path / "library.py").write_text(one("0, 1, 1"))
    assert process(*wanted, "library") == [*wanted.values(), counted((0, 1))]
    (tmp_path / "library.py").write_text(one("1, 1, 1"))
    assert process("other.py:A", "library") == [counted((0, 0)), counted((1, 1))]

    wanted |= {"other.py:A": counted((0, 0))}  # from the cache, in either order
    assert process(*wanted) == [*wanted.values()]
    assert process(*reversed(wanted)) == [*reversed(wanted.values())]


def test_classes_of_ours_with_the_same_kernels_share_machine_code():
    assert loop_directory(Pcomp) == loop_directory(Scomp2)
    assert loop_directory(Pcomp) != loop_directory(Rucb)
