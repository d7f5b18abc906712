"""What votes have counted."""

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts

WINS = [[0, 3, 1], [2, 0, 0], [0, 4.5, 0]]
TIES = [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def counts(wins=WINS, ties=TIES, names=("ann", "bob", "cy")):
    return PairCounts(tuple(names), np.array(wins, dtype=float), np.array(ties, dtype=float))


def test_votes_are_wins_of_both_and_ties():
    assert counts().votes.tolist() == [[0, 6, 1], [6, 0, 6.5], [1, 6.5, 0]]
    assert counts().halved().tolist() == [[0, 3.5, 1], [2.5, 0, 1], [0, 5.5, 0]]


def test_some_arms_in_another_order():
    some = counts().chosen([2, 1])
    assert some.names == ("cy", "bob")
    assert some.wins.tolist() == [[0, 4.5], [0, 0]]
    assert some.ties.tolist() == [[0, 2], [2, 0]]


def test_the_digest_is_of_the_counts_not_of_the_names():
    assert counts().digest() == counts(names="abc").digest()
    assert counts().digest() != counts(ties=np.zeros((3, 3))).digest()
    assert counts().digest() != counts(wins=np.transpose(WINS)).digest()


def test_the_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        counts().wins[0, 1] = 9


@pytest.mark.parametrize(
    "wrong",
    [
        {"names": ("ann", "ann", "cy")},
        {"names": ("ann", "bob")},
        {"wins": np.eye(3)},
        {"wins": -np.array(WINS)},
        {"wins": np.full((3, 3), np.nan)},
        {"ties": np.triu(TIES)},
        {"ties": np.zeros((2, 2))},
    ],
)
def test_what_is_no_table_of_counts_is_refused(wrong):
    with pytest.raises(ValueError):
        counts(**wrong)
