"""Finding algorithms, also those of users. See test_mistakes for more mistakes."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue, find
from duelbench.conformance.rounds import pair_tables, simulate
from duelbench.errors import UserError
from duelbench.votes.sessions.session import Session
from tests import toys
from tests.instances import INSTANCES

NEIGHBOURS = toys.plain(toys.mine("t % len(state.wins), (t + 1) % len(state.wins), 1"))


def duels(algorithm, horizon=12):
    P = INSTANCES["six-rankers"]
    environment, policy = np.random.default_rng(1), np.random.default_rng(2)
    return simulate(algorithm, P.P, pair_tables(6), np.array([horizon]), environment, policy).duels


def write(tmp_path, text):
    (tmp_path / "mine.py").write_text(text)
    return "mine.py:Mine"


def test_own_algorithm(tmp_path):
    algorithm = find(write(tmp_path, NEIGHBOURS), tmp_path)
    assert not algorithm.compiled()
    expected = np.zeros((6, 6), int)
    for t in range(1, 13):
        expected[t % 6, (t + 1) % 6] += 1
    assert np.array_equal(duels(algorithm()), expected)
    assert "mine" not in catalogue()
    session = Session(f"{tmp_path / 'mine.py'}:Mine", arms=4)
    assert session.select().first == 1


def test_no_class(tmp_path):
    with pytest.raises(UserError, match="no Algorithm with a name called 'Mine'"):
        find(write(tmp_path, "Mine = 3\n"), tmp_path)


def test_unreadable_file(tmp_path):
    (tmp_path / "directory.py").mkdir()
    for name in ("none.py:Mine", "directory.py:Mine", "none.py:"):
        with pytest.raises(UserError, match="cannot read"):
            find(name, tmp_path)
    (tmp_path / "mine.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="UTF-8"):
        find("mine.py:Mine", tmp_path)


def test_suffix(tmp_path):
    (tmp_path / "mine.txt").write_text(NEIGHBOURS)
    for name in ("mine.txt:Mine", ".:Mine", ":Mine"):
        with pytest.raises(UserError, match=r"path\.py:ClassName"):
            find(name, tmp_path)


def test_nearly_right_name(tmp_path):
    with pytest.raises(UserError, match="did you mean 'rucb'"):
        find("rucbs", tmp_path)
    with pytest.raises(UserError, match="it has Mine"):
        find(write(tmp_path, NEIGHBOURS).replace("Mine", "Mime"), tmp_path)
