"""Digests of an algorithm's code: edits that count, local imports, and loaded values."""

import shutil
import sys

import numpy as np
import pytest

from duelbench.algorithms import catalogue as algorithms_catalogue
from duelbench.algorithms.catalogue import find
from duelbench.compiling.digest import code_digest
from duelbench.experiment.code import code_of
from duelbench.experiment.simulate import simulate
from tests import toys

SOURCE = '''"""A module."""

import math

LIMIT = 3
"""What is meant by it."""


def area(radius: float, half: bool = False) -> float:
    """Return the area of a circle."""
    # half of it on demand
    factor = 0.5 if half else 1.0
    return factor * math.pi * radius**2


class Shape:
    """A shape."""

    name = "circle"  # a string that counts

    def shown(self, width: int) -> str:
        return f"{self.name:>{width}} of {math.pi:.3f}" + ""
'''


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ('"""A module."""\n', "", True),
        ("Return the area of a circle.", "Say how large it is.\n\n    Line by line.", True),
        ("    # half of it on demand\n", "\n\n", True),
        ("factor * math.pi * radius**2", "(factor * math.pi) * (radius ** 2)", True),
        ("LIMIT = 3", "LIMIT = 3.0", False),
        ("half: bool = False", "half: bool = True", False),
        ("factor * math.pi * radius**2", "factor * (math.pi * radius**2)", False),
        ("return factor", "factor", False),
    ],
)
def test_code_counts_and_not_words_or_layout(before, after, same):
    assert before in SOURCE
    assert (code_digest(SOURCE.replace(before, after)) == code_digest(SOURCE)) == same


def test_digest_of_every_python():
    """All versions of Python must agree with this digest from 3.11, or they would find results out of date."""
    assert code_digest(SOURCE) == "f1361b801fd01940"


IMPORTING = """
import numpy as np
from duelbench import Algorithm
import tools
from parts.inner import SHIFT

class Mine(Algorithm):
    name = "mine"
    State = list
    def start(self, arms, horizon):
        return [tools.FIRST]
    @staticmethod
    def select(state, t, last, rng):
        return state[0], (tools.second() + SHIFT) % 6, 1
    @staticmethod
    def update(state, first, second, wins, count): pass
"""
HELPERS = {
    "tools.py": "import parts\nfrom parts import deep\nFIRST = 0\ndef second(): return deep.SECOND\n",
    "parts/__init__.py": "",
    "parts/inner.py": "from . import other\nfrom .other import SHIFT\n",
    "parts/other.py": "SHIFT = 0\n",
    "parts/deep.py": "SECOND = 1\n",
}
NAMES = {"tools", "parts", "parts.inner", "parts.other", "parts.deep"}
SPEC = "horizon: 30\nruns: 3\ndatasets: [six-rankers]\nalgorithms: ['mine.py:Mine']\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder with an algorithm and its local imports."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "parts").mkdir()
    for name, text in {**HELPERS, "mine.py": IMPORTING}.items():
        (tmp_path / name).write_text(text)
    yield tmp_path
    for name in NAMES:
        sys.modules.pop(name, None)


def pair(kind):
    duels = simulate(kind(), np.full((6, 6), 0.5), 5, shuffle_arms=False).duels
    (place,) = np.argwhere(duels).tolist()
    return tuple(place)


def test_modules_of_two_folders(mine, tmp_path):
    """Each file imports modules from its own folder, although the names are the same."""
    other = tmp_path / "other"
    shutil.copytree(mine, other, ignore=shutil.ignore_patterns("other"))
    (other / "tools.py").write_text(HELPERS["tools.py"].replace("FIRST = 0", "FIRST = 3"))
    (other / "mine.py").write_text(IMPORTING + "A = 1\n")
    first, second = find("mine.py:Mine", mine), find("mine.py:Mine", other)
    assert (pair(first), pair(second)) == ((0, 1), (3, 1))
    assert code_of(first)["its module tools"] != code_of(second)["its module tools"]
    assert find("mine.py:Mine", mine) is first


EDITS = [
    ("tools.py", "deep.SECOND", "2", (0, 2)),
    ("parts/other.py", "0", "3", (0, 4)),
    ("parts/deep.py", "1", "4", (0, 4)),
    ("tools.py", "FIRST = 0", "FIRST = 5", (5, 1)),
]


@pytest.mark.parametrize(("file", "old", "new", "expected"), EDITS)
def test_edit_of_a_helper(mine, file, old, new, expected):
    before = find("mine.py:Mine", mine)
    assert find("mine.py:Mine", mine) is before
    assert pair(before) == (0, 1)
    (mine / file).write_text(HELPERS[file].replace(old, new))
    after = find("mine.py:Mine", mine)
    assert pair(after) == expected
    ours, theirs = code_of(before), code_of(after)
    name = file.removesuffix(".py").replace("/", ".")
    different = {each for each in theirs if theirs[each] != ours.get(each)}
    assert different == {f"its module {name}"}
    (mine / file).write_text("# words\n" + HELPERS[file].replace(old, new))
    assert code_of(find("mine.py:Mine", mine)) == theirs


READING = f"""
import os
import sys
from pathlib import Path
import numpy as np
HERE = Path(__file__).parent
SETTING
{toys.mine("WHICH, WHICH, 1")}
"""
SETTINGS = {
    "environment": "WHICH = int(os.environ['WHICH'])",
    "data": "WHICH = int(np.loadtxt(HERE / 'which.txt'))",
    "import": "sys.path.insert(0, str(HERE / 'lib'))\nWHICH = __import__('which_' + 'arm').WHICH",
}


def duelled(kind):
    duels = simulate(kind(), np.full((6, 6), 0.5), 5, shuffle_arms=False).duels
    return int(duels.diagonal().argmax())


@pytest.mark.parametrize("source", SETTINGS)
def test_values_read_on_loading(tmp_path, monkeypatch, request, source):
    """Values read when a file is loaded take effect even if machine code is cached; keys have only imported modules."""
    if source != "environment":
        request.getfixturevalue("interpreted")
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "lib").mkdir()
    (tmp_path / "mine.py").write_text(READING.replace("SETTING", SETTINGS[source]))
    codes = []
    for which in (0, 4):
        monkeypatch.setenv("WHICH", str(which))
        (tmp_path / "which.txt").write_text(str(which))
        (tmp_path / "lib" / "which_arm.py").write_text(f"WHICH = {which}\n")
        monkeypatch.setattr(algorithms_catalogue, "_loaded", {})  # as in another process
        sys.modules.pop("which_arm", None)
        kind = find("mine.py:Mine", tmp_path)
        assert find("mine.py:Mine", tmp_path) is kind
        assert duelled(kind) == which
        codes.append(code_of(kind))
    sys.modules.pop("which_arm", None)
    different = {name for name in codes[0] if codes[0][name] != codes[1][name]}
    assert different == ({"its module which_arm"} if source == "import" else set())
