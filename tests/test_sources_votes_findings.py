"""What votes say and what they leave open."""

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts
from duelbench.proportions import wilson
from duelbench.sources.votes.findings import find
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
    assert findings.thin == ((1, 2, 5.0),)
    assert findings.unseen == ()
    assert len(findings.apart) == len(findings.one_sided) == 1


def test_what_is_open():
    findings = found([[0, 3, 0, 0], [0, 0, 3, 0], [3, 0, 0, 0], [0, 0, 0, 0]])
    assert findings.condorcet is None
    assert findings.copeland == (0, 1, 2)
    assert (findings.three_cycles, findings.cycles) == (1, ((0, 1, 2),))
    assert findings.unseen == ((0, 3), (1, 3), (2, 3))
    assert findings.apart == ((0, 1, 2), (3,))
    assert [pair.second for pair in findings.winner_pairs] == [1, 2]


@pytest.mark.parametrize(("won", "lost", "parts"), [(5, 0, 2), (5, 1, 1)])
def test_arms_that_have_only_won_or_only_lost(won, lost, parts):
    assert len(found([[0, won], [lost, 0]]).one_sided) == parts
