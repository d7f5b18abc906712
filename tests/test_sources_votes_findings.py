"""What votes say and what they leave open."""

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts
from duelbench.proportions import wilson
from duelbench.sources.votes.findings import find, pairs_decided
from duelbench.sources.votes.shares import shares


def found(wins, ties=None):
    wins = np.array(wins, dtype=float)
    counts = PairCounts(tuple("abcdefgh"[: len(wins)]), wins, np.zeros_like(wins) if ties is None else np.array(ties))
    return find(counts, shares(counts, "half", "v"))


def test_a_winner_with_its_pairs():
    findings = found([[0, 60, 6], [40, 0, 2], [4, 1, 0]], [[0, 0, 0], [0, 0, 2.0], [0, 2.0, 0]])
    assert (findings.condorcet, findings.copeland, findings.borda, findings.smith) == (0, (0,), (0,), (0,))
    first, second = findings.winner_pairs
    assert (first.votes, first.share, first.low, first.high) == (100, 0.6, *wilson(0.6, 100))
    assert first.decided
    assert not second.decided
    assert (findings.pairs, findings.pairs_decided) == (3, 1)
    assert findings.thin.tolist() == [[1, 2]]
    assert findings.unseen.tolist() == []
    assert len(findings.apart) == len(findings.one_sided) == 1


def test_what_is_open():
    findings = found([[0, 3, 0, 0], [0, 0, 3, 0], [3, 0, 0, 0], [0, 0, 0, 0]])
    assert findings.condorcet is None
    assert findings.copeland == (0, 1, 2)
    assert (findings.three_cycles, findings.cycles) == (1, ((0, 1, 2),))
    assert findings.unseen.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert findings.apart == ((0, 1, 2), (3,))
    assert [pair.second for pair in findings.winner_pairs] == [1, 2]


@pytest.mark.parametrize(("won", "lost", "parts"), [(5, 0, 2), (5, 1, 1)])
def test_arms_that_have_only_won_or_only_lost(won, lost, parts):
    assert len(found([[0, won], [lost, 0]]).one_sided) == parts


def test_pairs_are_decided_where_their_interval_leaves_half_out():
    rng = np.random.default_rng(4)
    for _ in range(200):
        won, lost, ties = (int(each) for each in rng.integers(0, 25, 3))
        counts = PairCounts(("a", "b"), np.array([[0, won], [lost, 0]]), np.array([[0, ties], [ties, 0]]))
        low, high = wilson((won + ties / 2) / (won + lost + ties), won + lost + ties) if won + lost + ties else (0, 1)
        assert pairs_decided(counts) == (low > 0.5 or high < 0.5)


def test_a_pair_that_is_lost_is_decided_too():
    findings = found([[0, 90, 90, 5], [5, 0, 90, 90], [5, 5, 0, 90], [90, 5, 5, 0]])
    assert findings.copeland == (0, 1)
    assert [pair.decided for pair in findings.winner_pairs] == [True, True, True]


def test_pairs_with_few_votes_come_fewest_first():
    assert found([[0, 5, 1], [0, 0, 2], [1, 0, 0]]).thin.tolist() == [[0, 2], [1, 2], [0, 1]]
