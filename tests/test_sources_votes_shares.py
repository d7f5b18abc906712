"""From votes to a matrix, and what stands for pairs without votes."""

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.sources.votes.shares import shares

WINS = np.array([[0, 6.0, 0], [2, 0, 9], [0, 1, 0]])
TIES = np.array([[0, 2.0, 0], [2, 0, 0], [0, 0, 0]])
COUNTS = PairCounts(("a", "b", "c"), WINS, TIES)


def test_entries_are_shares_of_votes_with_ties_as_halves():
    matrix = shares(COUNTS, "half", "v")
    assert matrix.P.tolist() == [[0.5, 0.7, 0.5], [pytest.approx(0.3), 0.5, 0.9], [0.5, pytest.approx(0.1), 0.5]]
    assert matrix.names == ("a", "b", "c")


def test_a_model_of_the_others_stands_for_pairs_without_votes_and_for_no_other():
    matrix = shares(COUNTS, "bradley-terry", "v")
    assert matrix.P[0, 1] == 0.7
    assert matrix.P[1, 2] == 0.9
    odds = 7 / 3 * 9  # of a chain, were there no prior
    assert 0.75 < matrix.P[0, 2] < odds / (1 + odds)


def test_pairs_without_votes_are_an_error_that_names_them():
    with pytest.raises(UserError) as caught:
        shares(COUNTS, None, "v.csv")
    assert "1 of 3 pairs have no votes (a – c)" in caught.value.message
    assert "--unseen bradley-terry" in caught.value.message
    assert caught.value.source == "v.csv"


def test_a_model_cannot_compare_arms_that_no_votes_connect():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[2, 3] = 5
    with pytest.raises(UserError, match="no votes connect c, d with a"):
        shares(PairCounts(tuple("abcd"), wins, np.zeros((4, 4))), "bradley-terry", "v")
