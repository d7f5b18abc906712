"""Compiling loops: whose kernels are played, compiling before the work begins, and errors of numba."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.exponential_weights.dexp3 import Dexp3, Dexp3Hp
from duelbench.engine.complaint import NO_MEMORY, NO_PRINT, complaint
from duelbench.engine.loops import loop_directory
from duelbench.engine.warm import warm
from duelbench.errors import UserError
from duelbench.experiment.simulate import simulate
from tests import toys
from tests.comparison import python, tiers_of

# The kernels that are played are those of the algorithm's class, even if other classes have the same type of state.


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


def test_plain_classes_with_one_state(tmp_path):
    (tmp_path / "two.py").write_text(toys.plain(TWO))
    before = simulate("rucb", P, 300).duels
    for _ in range(2):
        for name, pair in EXPECTED.items():
            assert simulate(find(f"two.py:{name}", tmp_path)(), P, 9, shuffle_arms=False).duels[pair] == 9, name
    assert np.array_equal(simulate("rucb", P, 300).duels, before)


SCRIPT = """
import sys
from pathlib import Path
from duelbench.algorithms.catalogue import find
from duelbench.experiment.simulate import simulate
for name in sys.argv[1:]:
    if name == "library":
        from library import A as kind
    else:
        kind = find(name, Path())
    print(simulate(kind(), [[0.5, 0.9], [0.1, 0.5]], 300, shuffle_arms=False).duels.tolist())
"""


@pytest.fixture
def process(tmp_path):
    """Play algorithms in a separate process that keeps its kernels; return the duels of each."""
    tiers_of(tmp_path / "cache")

    def process(*names):
        (tmp_path / "script.py").write_text(SCRIPT)
        switches = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return python("script.py", *names, cwd=tmp_path, **switches).stdout.splitlines()

    return process


def counted(pair):
    table = [[0, 0], [0, 0]]
    table[pair[0]][pair[1]] = 300
    return str(table)


@pytest.mark.slow
def test_compiled_classes_with_one_state(process, tmp_path):
    """Each class plays its own kernels, also if states in two files have one name and numba numbers functions alike.

    Kernels of a module are not loaded by its name, which says nothing about its code, so edits take effect.
    """
    for name, text in (("two", TWO), ("one", one())):
        (tmp_path / f"{name}.py").write_text(text)
    wanted = {"one.py:A": counted((0, 1)), **{f"two.py:{name}": counted(pair) for name, pair in EXPECTED.items()}}
    assert process(*wanted) == [*wanted.values()]
    assert process(*reversed(wanted)) == [*reversed(wanted.values())]  # from the cache


@pytest.mark.slow
def test_compiled_classes_of_an_edited_module(process, tmp_path):
    (tmp_path / "other.py").write_text(one("0, 0, 1"))
    (tmp_path / "library.py").write_text(one("0, 1, 1"))
    rucb = str(simulate("rucb", P, 300, shuffle_arms=False).duels.tolist())
    assert process("rucb", "library") == [rucb, counted((0, 1))]
    (tmp_path / "library.py").write_text(one("1, 1, 1"))
    assert process("other.py:A", "library", "rucb") == [counted((0, 0)), counted((1, 1)), rucb]


def test_algorithms_that_share_machine_code():
    assert loop_directory(Dexp3) == loop_directory(Dexp3Hp)
    assert loop_directory(Dexp3) != loop_directory(Rucb)


# Compiling before the work begins: only missing kernels, in parallel, announced once.


CODE = """
import multiprocessing
import sys
from pathlib import Path
from duelbench import processes
from duelbench.algorithms.catalogue import find
from duelbench.engine import warm
from duelbench.errors import UserError

started = []
pool = warm.Processes
warm.Processes = lambda processes: started.append(processes) or pool(processes)
warm.available_cores = lambda: 2
said = []
algorithms = [(find(name, Path())(), 2) for name in sys.argv[1:]]
try:
    for _ in range(2):
        warm.warm(algorithms, said.append)
except UserError as error:
    print(error)
print(said, started)
"""
NOTHING = "from duelbench.engine import warm\nwarm._one_round = lambda algorithm: None\n"
"""This process compiles nothing but marks kernels as compiled; the processes that it starts do compile."""
ONCE = "['compiling kernels (the first time only)…']"


@pytest.fixture
def warmed(tmp_path):
    """Warm algorithms twice in a separate process; return the announcements and the number of started processes."""
    tiers_of(tmp_path / "cache")

    def warmed(*algorithms, before=""):
        done = python("-c", before + CODE, *algorithms, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
        assert done.stderr == ""
        return done.stdout.strip()

    return warmed


def test_warm_compiles_side_by_side(warmed, tmp_path):
    (tmp_path / "mine.py").write_text(toys.mine("0, 1, 1"))
    (tmp_path / "theirs.py").write_text(toys.mine("1, 0, 1"))
    assert warmed("mine.py:Mine", "theirs.py:Mine") == f"{ONCE} [2]"
    assert warmed("mine.py:Mine", "theirs.py:Mine", "uniform", before=NOTHING) == f"{ONCE} []"
    # Two commands may compile at the same time, and numba's index of a directory takes one writer at a time.
    indices = list(tmp_path.rglob("*.nbi"))
    assert len({index.parent for index in indices}) == len(indices) == 2


MISTAKEN = toys.mine("0, 1, state.CHOICE")
LINE = MISTAKEN.splitlines().index("    return 0, 1, state.CHOICE") + 1


def test_warm_names_a_mistake(tmp_path):
    (tmp_path / "mine.py").write_text(MISTAKEN)
    said = []
    with pytest.raises(UserError, match=f"mine.py:{LINE}: this does not compile"):
        warm([(find("mine.py:Mine", tmp_path)(), 2)], said.append)
    assert str(said) == ONCE


def test_warm_where_processes_die(warmed, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'multiprocessing.forkserver' in ' '.join(sys.orig_argv):\n    os._exit(3)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine.py").write_text(toys.mine("0, 1, 1"))
    assert warmed("uniform", "mine.py:Mine", before=NOTHING).endswith("[2]")
    assert len(list(tmp_path.rglob("*.compiled"))) == 2


# Numba's long errors about a kernel, in one sentence; test_mistakes has all of these mistakes.


MINE = "def helper(arm):\n    return arm\n\n\ndef select(state):\n    return helper(state) + 1\n"
NESTED = """\
Failed in nopython mode pipeline (step: nopython frontend)
{cause}

File "../../h/mine.py", line 2:
def helper(arm):
    <source elided>
    ^

During: resolving callee type: type(CPUDispatcher(<function helper at 0x7f7c74689800>))
During: typing of call at /tmp/h/mine.py (6)

File "../../h/mine.py", line 6:
During: typing of call at /somewhere/duelbench/engine/play.py (108)
"""


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("NRT required but not enabled", NO_MEMORY),
        (
            "No implementation of function Function(<built-in function zeros>) found for signature:\n"
            " >>> zeros(int64)\n Only accept returning of array passed into the function as argument",
            f"zeros(int64) needs memory, and {NO_MEMORY}",
        ),
        (
            "No implementation of function Function(<function f at 0x7f>) found for signature:\n \n >>> f(int64)",
            "numba does not support f(int64) for these types",
        ),
        (
            "Untyped global name 'other': Cannot determine Numba type of <class 'function'>",
            "other is plain Python, and a kernel calls only kernels: put @kernel before it",
        ),
        (
            "Untyped global name 'breakpoint': Cannot determine Numba type of <class 'builtin_function_or_method'>",
            "a kernel cannot stop at a breakpoint: `duelbench run SPEC --interpreted -j 0` runs it as plain Python",
        ),
        (
            "No implementation of function Function(<function f at 0x7f>) found for signature:\n \n"
            " >>> NumPyRandomGeneratorType_integers(NumPyRandomGeneratorType, int64)",
            "a kernel cannot use rng.integers: below(n, rng) from duelbench.kernels.draws draws a whole number "
            "from 0 to n - 1",
        ),
        (
            " >>> NumPyRandomGeneratorType_normal(NumPyRandomGeneratorType, size=int64)\nNRT required",
            "in a kernel rng.normal takes numbers and returns one: leave out size and arrays",
        ),
        (
            " >>> setitem(readonly array(float64, 1d, C), Literal[int](0), float64)",
            "a kernel cannot change an array outside the state: keep it in the state",
        ),
        (" >>> f(type(CPUDispatcher(<function g at 0x7f>)))\nNRT required but not enabled", NO_MEMORY),
        ("\x1b[1mUnknown attribute 'x' of type int64\x1b[0m", "Unknown attribute 'x' of type int64"),
    ],
)
def test_complaint(cause, sentence):
    found = complaint(ValueError(NESTED.format(cause=cause)), {"/tmp/h/mine.py": MINE})
    assert found == (sentence, "/tmp/h/mine.py", 2)


def test_complaint_about_a_print():
    text = "print('loaded')\n\n\n@kernel\ndef select(state):\n    print(state)\n"
    found = complaint(RuntimeError("missing Environment: _ZN08NumbaEnv31"), {"/b.py": "x = 1\n", "/a.py": text})
    assert found == (NO_PRINT, "/a.py", 6)


def test_complaint_without_a_line():
    texts = {"/tmp/h/mine.py": MINE}
    assert complaint(ValueError("NameError: name 'state' is not defined"), texts).line == 6
    assert complaint(ValueError("type(CPUDispatcher(<function helper at 0x7f>))"), texts).line == 1
    assert complaint(ValueError("something else"), texts).line == 5
    assert complaint(ValueError("something else"), {"/a.py": "x = 1\n"}) == ("something else", None, None)
