"""The chances to be best along the votes are those after so many votes."""

from typing import NamedTuple

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts
from duelbench.sessions import progress as module
from duelbench.sessions.progress import progress
from duelbench.sessions.standings import chances

NAMES = ("a", "b", "c")


class Vote(NamedTuple):
    judge: str | None
    first: str
    second: str
    answer: str


VOTES = [Vote(None, *vote) for vote in ("ab1", "ca2", "bc=", "ba2")]
VOTES = [vote._replace(answer={"1": "first", "2": "second", "=": "tie"}[vote.answer]) for vote in VOTES] * 3
WINS = np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]], dtype=float)
TIES = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=float)


def test_each_mark_is_the_chances_after_so_many_votes(monkeypatch):
    monkeypatch.setattr(module, "MARKS", 2)
    found = progress(PairCounts(NAMES, 3 * WINS, 3 * TIES), VOTES)
    assert found.votes.tolist() == [0, 4, 8, 12]
    for mark in (0, 1, 3):
        known = chances(PairCounts(NAMES, mark * WINS, mark * TIES), draws=module.DRAWS)
        assert found.chances[mark] == pytest.approx(known)


def test_votes_from_elsewhere_are_there_from_the_beginning():
    elsewhere = np.array([[0, 0, 0], [0, 0, 30], [0, 0, 0]])
    here = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    counts = PairCounts(NAMES, elsewhere + here, np.zeros((3, 3)))
    found = progress(counts, VOTES[:1], taking_part=[1, 2])
    assert found.votes.tolist() == [30, 31]
    assert np.all(found.chances[:, 1] > 0.9) and np.all(found.chances[:, 0] == 0)


def test_votes_on_arms_that_are_gone_are_passed_over():
    found = progress(PairCounts(("a", "b"), [[0, 6], [0, 0]], np.zeros((2, 2))), VOTES)
    assert found.votes.tolist() == list(range(7))


def test_many_arms_have_fewer_marks(monkeypatch):
    monkeypatch.setattr(module, "chances", lambda counts, **_: np.zeros(counts.arms))
    for arms, marks in ((20, 26), (480, 5)):
        names = (*NAMES, *(str(k) for k in range(3, arms)))
        tables = [np.pad(400 * table, (0, arms - 3)) for table in (WINS, TIES)]
        found = progress(PairCounts(names, *tables), VOTES * 100)
        assert (len(found.votes), found.votes[0], found.votes[-1]) == (marks, 400, 1600)
