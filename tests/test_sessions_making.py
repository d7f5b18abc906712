"""What a session is made of."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.sessions.making import code, coin, created, digest_of, pairs, seconds, whole_number
from duelbench.sessions.session import Session
from tests.proved import PLAIN
from tests.sessions import ARMS, sides, voted


def test_coins_are_fair_and_those_of_the_seed():
    tossed = [coin(1, ask) for ask in range(1000)]
    assert 430 < tossed.count("first") < 570
    assert tossed == [coin(1, ask) for ask in range(1000)] != [coin(2, ask) for ask in range(1000)]


def test_ties_of_votes_from_elsewhere_are_tossed_one_by_one():
    ties = np.array([[0.0, 1000.0], [1000.0, 0.0]])
    (pair,) = pairs(PairCounts(("b", "a"), ties * 0, ties), ["a", "b"], 0)
    assert (pair.first, pair.ties) == ("b", 1000)
    assert 430 < pair.coins < 570


def test_votes_told_in_another_order_of_arms_are_others():
    wins = np.array([[0.0, 3.0], [1.0, 0.0]])
    one = digest_of(pairs(PairCounts(("a", "b"), wins, wins * 0), ["a", "b"], 0))
    assert one == digest_of(pairs(PairCounts(("a", "b"), wins, wins * 0), ["a", "b"], 7))
    assert one != digest_of(pairs(PairCounts(("b", "a"), wins, wins * 0), ["a", "b"], 0))


def test_the_code_is_that_of_the_algorithm():
    digests = {name: code(kind) for name, kind in catalogue().items() if name in ("rucb", "rcs", "btm")}
    assert len(set(digests.values())) == 3
    assert code(catalogue()["rucb"]) == digests["rucb"]


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), 1e12, "1h"])
def test_what_is_no_time_to_come(value):
    with pytest.raises(ValueError, match="expires must be"):
        seconds(value)


def test_numbers():
    assert seconds(None) is None
    assert seconds(2) == 2.0
    assert whole_number("x", np.int32(3)) == 3
    with pytest.raises(ValueError, match=r"x must be a whole number, not 0\.5"):
        whole_number("x", 0.5)


def test_a_file_of_the_users_is_named_from_the_session(tmp_path, monkeypatch):
    """So both can be moved together."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.py").write_text(PLAIN, encoding="utf-8")
    event = created(tmp_path / "here" / "s", "here/mine.py:MyPolicy", ARMS, 0, None, None, {"alpha": 0.7})
    assert (event.algorithm, event.parameters) == ("../mine.py:MyPolicy", {"alpha": 0.7})
    session = Session.create("here/s", "here/mine.py:MyPolicy", ARMS)
    voted(session, 20)
    (tmp_path / "here").rename(tmp_path / "there")
    monkeypatch.chdir("/")
    moved = Session.open(tmp_path / "there" / "s")
    assert sides(moved.votes) == sides(session.votes)
    assert moved.round == session.round
    (tmp_path / "there" / "mine.py").write_text(PLAIN.replace("rng), 1\n", "rng), 1 // 0\n"), encoding="utf-8")
    with pytest.raises(UserError, match=r"mine.py:\d+: select fails with ZeroDivisionError"):
        Session.open(tmp_path / "there" / "s")
    (tmp_path / "there" / "mine.py").unlink()
    with pytest.raises(UserError, match=r"session.jsonl:1: cannot read .*mine.py"):
        Session.open(tmp_path / "there" / "s")
