"""The chances to be best along the votes are those after so many votes."""

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts
from duelbench.sessions import progress as module
from duelbench.sessions.progress import Told, progress
from duelbench.sessions.standings import chances

NAMES = ("a", "b", "c")
VOTES = [Told(0, 1, "first"), Told(2, 0, "second"), Told(1, 2, "tie"), Told(1, 0, "second")] * 3


def test_each_mark_is_the_chances_after_so_many_votes(monkeypatch):
    monkeypatch.setattr(module, "MARKS", 2)
    found = progress(NAMES, VOTES)
    assert found.votes.tolist() == [0, 4, 8, 12]
    wins = np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]], dtype=float)
    ties = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=float)
    for mark, row in zip((0, 1, 3), found.chances[[0, 1, 3]], strict=True):
        known = chances(PairCounts(NAMES, mark * wins, mark * ties), draws=module.DRAWS)
        assert row == pytest.approx(known)


def test_votes_from_elsewhere_are_there_from_the_beginning():
    before = PairCounts(NAMES, np.array([[0, 0, 0], [0, 0, 30], [0, 0, 0]]), np.zeros((3, 3)))
    found = progress(NAMES, VOTES[:1], before=before, taking_part=[1, 2])
    assert found.votes.tolist() == [0, 1]
    assert np.all(found.chances[:, 1] > 0.9) and np.all(found.chances[:, 0] == 0)
    assert before.wins.sum() == 30


@pytest.mark.parametrize("votes", [0, 1])
def test_few_votes_have_few_marks(votes):
    assert progress(NAMES, VOTES[:votes]).votes.tolist() == list(range(votes + 1))


def test_many_arms_have_fewer_marks(monkeypatch):
    monkeypatch.setattr(module, "chances", lambda counts, **_: np.zeros(counts.arms))
    few, many = (progress([str(k) for k in range(arms)], VOTES * 100) for arms in (20, 480))
    assert (len(few.votes), len(many.votes)) == (26, 5)
    assert few.votes[-1] == many.votes[-1] == 1200
