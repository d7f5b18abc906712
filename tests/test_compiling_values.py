"""The values of a user's modules count like their code: in the keys of runs, and in machine code."""

import sys
from types import ModuleType

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.compiling.values import values_digest
from duelbench.engine.simulate import simulate
from duelbench.runs.code import code_of

MINE = """
import os
import sys
from pathlib import Path
from typing import NamedTuple
import numpy as np
from duelbench import Algorithm, kernel
HERE = Path(__file__).parent
SETTING
class S(NamedTuple):
    unused: np.ndarray
@kernel
def select(state, t, last, rng):
    return WHICH, WHICH, 1
@kernel
def update(state, first, second, wins, count):
    pass
class Mine(Algorithm):
    name = "mine"
    State = S
    select, update = select, update
    def start(self, arms, horizon): return S(np.zeros(arms))
"""
SOURCES = {
    "environment": "WHICH = int(os.environ['WHICH'])",
    "data": "WHICH = int(np.loadtxt(HERE / 'which.txt'))",
    "path": "sys.path.insert(0, str(HERE / 'lib'))\nfrom which_arm import WHICH",
    "computed": "sys.path.insert(0, str(HERE / 'lib'))\nWHICH = __import__('which_' + 'arm').WHICH",
}


def duelled(kind):
    duels = simulate(kind(), np.full((6, 6), 0.5), 5).duels
    return int(duels.diagonal().argmax())


@pytest.mark.parametrize("source", SOURCES)
def test_what_a_file_reads_when_it_is_loaded_is_part_of_it(tmp_path, monkeypatch, source):
    """It is a constant of the machine code, which another process finds in the cache."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "lib").mkdir()
    (tmp_path / "mine.py").write_text(MINE.replace("SETTING", SOURCES[source]))
    codes = []
    for which in (0, 4):
        monkeypatch.setenv("WHICH", str(which))
        (tmp_path / "which.txt").write_text(str(which))
        (tmp_path / "lib" / "which_arm.py").write_text(f"WHICH = {which}\n")
        for name in [name for name in sys.modules if name.startswith("duelbench_user_")]:
            monkeypatch.delitem(sys.modules, name)  # as in another process
        kind = find("mine.py:Mine", tmp_path)
        assert find("mine.py:Mine", tmp_path) is kind
        assert duelled(kind) == which
        codes.append(code_of(kind))
    sys.modules.pop("which_arm", None)
    different = {name for name in codes[0] if codes[0][name] != codes[1][name]}
    assert different == {"its values"} | ({"its module which_arm"} if source in ("path", "computed") else set())


def test_files_of_the_same_text_may_read_what_lies_beside_them(tmp_path):
    for which in (1, 5):
        (tmp_path / str(which)).mkdir()
        (tmp_path / str(which) / "which.txt").write_text(str(which))
        (tmp_path / str(which) / "mine.py").write_text(MINE.replace("SETTING", SOURCES["data"]))
    kinds = [find(f"{which}/mine.py:Mine", tmp_path) for which in (1, 5)]
    assert list(map(duelled, kinds)) == [1, 5]
    assert code_of(kinds[0]) != code_of(kinds[1])


COUNTING = [
    ("A = 1", "A = 2"),
    ("A = 1", "A = 1.0"),
    ("A = 1", "A = True"),
    ("A = 'x'", "A = 'y'"),
    ("A = (1, [2, {3: 4}])", "A = (1, [2, {3: 5}])"),
    ("A = {'a': 1, 'b': 2}", "A = {'b': 2, 'a': 1}"),
    ("A = {1, 2}", "A = {1, 3}"),
    ("A = np.zeros(3)", "A = np.zeros(3, np.float32)"),
    ("A = np.zeros(3)", "A = np.array([0, 0, 1e-300])"),
    ("A = np.array([None, 1])", "A = np.array([None, 2])"),
    ("A = np.random.default_rng(1)", "A = np.random.default_rng(2)"),
    ("class A: B = 1", "class A: B = 2"),
    ("class A:\n def f(self, x=1): pass", "class A:\n def f(self, x=2): pass"),
    ("class A: pass\nB = A(); B.c = 1", "class A: pass\nB = A(); B.c = 2"),
    ("def f(*, x=1): pass", "def f(*, x=2): pass"),
    ("def f(x):\n def g(): return x\n return g\nA = f(1)", "def f(x):\n def g(): return x\n return g\nA = f(2)"),
    ("A = SimpleNamespace(b=1)", "A = SimpleNamespace(b=2)"),
]
NOT_COUNTING = [
    ("A = '/here'", "A = '/there'"),
    ("A = Path('here')", "A = Path('there')"),
    ("A = {'x', 'y', 'z'}", "A = {'z', 'y', 'x'}"),
    ("A = object()", "A = object()"),
    ("A = np.zeros(3)", "A = np.zeros(3).copy()"),
    ("A = [1]; A.append(A)", "A = [1]; A.append(A)"),
    ("import os", "import os"),
    ("A = lambda: 1", "A = lambda: 2"),  # that is code
]


def digest(text):
    module = ModuleType("ones_own")
    exec("import numpy as np\nfrom pathlib import Path\nfrom types import SimpleNamespace\n" + text, vars(module))
    return values_digest([module])


@pytest.mark.parametrize(("one", "other"), COUNTING)
def test_values_count(one, other):
    assert digest(one) == digest(one)
    assert digest(one) != digest(other)


@pytest.mark.parametrize(("one", "other"), NOT_COUNTING)
def test_what_is_no_value_does_not_count(one, other):
    assert digest(one) == digest(other)
