"""Finding algorithms, a user's own among them."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue, find
from duelbench.conformance.rounds import pair_tables, simulate
from duelbench.errors import UserError
from duelbench.experiment.code import code_of
from duelbench.sessions.session import Session
from tests.instances import INSTANCES

PLAIN = '''
from typing import NamedTuple
from duelbench.algorithms.algorithm import Algorithm

class MineState(NamedTuple):
    arms: int

class Mine(Algorithm):
    """Duel neighbours."""
    name = "mine"
    State = MineState
    shift: int = 1

    def start(self, arms, horizon):
        return MineState(arms)

    @staticmethod
    def select(state, t, last, rng):
        return t % state.arms, (t + 1) % state.arms, 1

    @staticmethod
    def update(state, first, second, wins, count):
        pass
'''
COMPILED = PLAIN.replace("    @staticmethod\n", "    @staticmethod\n    @kernel\n").replace(
    "import Algorithm", "import Algorithm\nfrom duelbench.compiling.jit import kernel"
)


def duels(algorithm, horizon=12):
    P = INSTANCES["six-rankers"]
    environment, policy = np.random.default_rng(1), np.random.default_rng(2)
    return simulate(algorithm, P.P, pair_tables(6), np.array([horizon]), environment, policy).duels


def write(tmp_path, text, name="mine.py"):
    (tmp_path / name).write_text(text)
    return f"{name}:Mine"


def test_catalogue():
    assert set(catalogue()) >= {"btm", "d-ts", "d-ts+", "rmed1", "rucb", "uniform"}
    assert list(catalogue()) == sorted(catalogue())
    assert all(find(name, None) is kind for name, kind in catalogue().items())


@pytest.mark.parametrize(("text", "compiled"), [(PLAIN, False), (COMPILED, True)], ids=["plain", "compiled"])
def test_own_algorithm(tmp_path, text, compiled):
    algorithm = find(write(tmp_path, text), tmp_path)
    assert algorithm.compiled() == compiled
    expected = np.zeros((6, 6), int)
    for t in range(1, 13):
        expected[t % 6, (t + 1) % 6] += 1
    assert np.array_equal(duels(algorithm()), expected)
    assert "mine" not in catalogue()
    session = Session(f"{tmp_path / 'mine.py'}:Mine", arms=4)
    assert session.select().first == 1


def test_edited_file(tmp_path):
    name = write(tmp_path, PLAIN)
    before = find(name, tmp_path)
    assert find(name, tmp_path) is before
    old = duels(before())
    write(tmp_path, PLAIN.replace("(t + 1) % state", "(t + 2) % state"))
    after = find(name, tmp_path)
    assert code_of(after)["its file"] != code_of(before)["its file"]
    assert duels(after())[1, 3] == 2
    assert np.array_equal(duels(before()), old)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (\n", "SyntaxError"),
        ("import nothing_of_this_name\n", "ModuleNotFoundError"),
        (PLAIN.replace("class Mine(", "class Yours("), "Mine"),
        (PLAIN.replace('    name = "mine"\n', ""), "Mine"),
        ("Mine = 3\n", "Mine"),
        ("", "Mine"),
    ],
)
def test_wrong_file(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        find(write(tmp_path, text), tmp_path)


def test_line_that_fails(tmp_path):
    with pytest.raises(UserError) as caught:
        find(write(tmp_path, "a = 1\n\nb = a / 0\n"), tmp_path)
    assert caught.value.line == 3
    assert caught.value.source.endswith("mine.py")
    with pytest.raises(UserError) as caught:
        find(write(tmp_path, "a = 1\nb = (\n"), tmp_path)
    assert caught.value.line == 2


def test_unreadable_file(tmp_path):
    (tmp_path / "directory.py").mkdir()
    for name in ("none.py:Mine", "directory.py:Mine", "none.py:"):
        with pytest.raises(UserError, match="cannot read"):
            find(name, tmp_path)
    (tmp_path / "mine.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="UTF-8"):
        find("mine.py:Mine", tmp_path)


def test_suffix(tmp_path):
    for name in ("mine.txt:Mine", ".:Mine", ":Mine"):
        write(tmp_path, PLAIN, name="mine.txt")
        with pytest.raises(UserError, match=r"path\.py:ClassName"):
            find(name, tmp_path)


def test_nearly_right_name(tmp_path):
    with pytest.raises(UserError, match="rucb"):
        find("rucbs", tmp_path)
    with pytest.raises(UserError, match="Mine"):
        find(write(tmp_path, PLAIN).replace("Mine", "Mime"), tmp_path)
