"""What a file imports from beside it is part of its code."""

import pickle
import sys

import numpy as np
import pytest

from duelbench.algorithms.catalogue import find
from duelbench.compiling.imports import helpers_of, loaded_with
from duelbench.engine.simulate import simulate
from duelbench.runs.backends import local
from duelbench.runs.code import code_of
from duelbench.runs.execute import execute
from tests.experiments import files, nothing, planned, played

MINE = """
import numpy as np
from duelbench import Algorithm
import tools
from parts.inner import SHIFT

class Mine(Algorithm):
    name = "mine"
    State = list
    def start(self, arms, horizon):
        import late
        return [late.FIRST]
    @staticmethod
    def select(state, t, last, rng):
        return state[0], (tools.second() + SHIFT) % 6, 1
    @staticmethod
    def update(state, first, second, wins, count): pass
"""
HELPERS = {
    "tools.py": "import parts\nfrom parts import deep\ndef second(): return deep.SECOND\n",
    "parts/__init__.py": "",
    "parts/inner.py": "from . import other\nfrom .other import SHIFT\n",
    "parts/other.py": "SHIFT = 0\n",
    "parts/deep.py": "SECOND = 1\n",
    "late.py": "FIRST = 0\n",
}
NAMES = {"tools", "parts", "parts.inner", "parts.other", "parts.deep", "late"}
SPEC = "horizon: 30\nruns: 3\ndatasets: [six-rankers]\nalgorithms: ['mine.py:Mine']\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A directory, on the path, with an algorithm and what it imports."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "parts").mkdir()
    for name, text in {**HELPERS, "mine.py": MINE}.items():
        (tmp_path / name).write_text(text)
    yield tmp_path
    for name in NAMES:
        sys.modules.pop(name, None)


def pair(kind):
    duels = simulate(kind(), np.full((6, 6), 0.5), 5).duels
    (place,) = np.argwhere(duels).tolist()
    return tuple(place)


def test_what_is_imported_is_found_through_others_and_installed_libraries_are_not(mine):
    assert set(helpers_of(MINE)) == NAMES
    assert helpers_of("import numpy, yaml, os, no_such_module, duelbench.engine\nimport __main__\n") == {}
    assert helpers_of("this is no Python") == {}


EDITS = [
    ("tools.py", "deep.SECOND", "2", (0, 2)),
    ("parts/other.py", "0", "3", (0, 4)),
    ("parts/deep.py", "1", "4", (0, 4)),
    ("late.py", "0", "5", (5, 1)),
]


@pytest.mark.parametrize(("file", "old", "new", "expected"), EDITS)
def test_an_edit_of_a_module_beside_is_another_algorithm(mine, file, old, new, expected):
    before = find("mine.py:Mine", mine)
    assert find("mine.py:Mine", mine) is before
    assert pair(before) == (0, 1)
    (mine / file).write_text(HELPERS[file].replace(old, new))
    after = find("mine.py:Mine", mine)
    assert pair(after) == expected
    ours, theirs = code_of(before), code_of(after)
    name = file.removesuffix(".py").replace("/", ".")
    different = {each for each in theirs if theirs[each] != ours.get(each)}
    assert different - {"its values"} == {f"its module {name}"}
    (mine / file).write_text("# words\n" + HELPERS[file].replace(old, new))
    assert code_of(find("mine.py:Mine", mine)) == theirs


def test_modules_beside_travel_with_the_series(mine):
    """To workers of this machine, where they have been edited, and to others, where they are not."""
    expected = played(mine, SPEC, "here").execution
    plan = planned(mine, SPEC)
    (series,) = plan.series
    sent = pickle.dumps(series)
    for name in HELPERS:
        (mine / name).write_text("an edit")
    execution = execute(plan, mine / "there", local(2), announce=nothing, progress=nothing)
    assert (execution.played, execution.failures) == (expected.played, [])
    assert files(mine / "there") == files(mine / "here")
    for name in HELPERS:
        (mine / name).unlink()
    for name in NAMES:
        sys.modules.pop(name, None)
    there = pickle.loads(sent)
    assert there.key(1, 0) == series.key(1, 0)
    assert pair(there.algorithm.load()) == (0, 1)


def test_what_is_imported_later_is_loaded_with_nothing(mine):
    """Whether it has been is not the same in all processes, and must not count."""
    helpers = helpers_of(MINE)
    assert loaded_with(MINE, helpers) == NAMES - {"late"}
    before = find("mine.py:Mine", mine)
    pair(before)
    assert "late" in sys.modules
    for name in [name for name in sys.modules if name.startswith("duelbench_user_")]:
        del sys.modules[name]
    assert code_of(find("mine.py:Mine", mine)) == code_of(before)
