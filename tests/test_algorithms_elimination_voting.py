"""A voting rule of one's own. That its path is the literal one is tested with ``generic``."""

import numpy as np
import pytest

from duelbench import simulate
from duelbench.algorithms.elimination.voting import Voting, matrix_of
from duelbench.preferences.matrix import PreferenceMatrix
from tests.exploring import from_upper_triangle, whole

P = from_upper_triangle([0.9, 0.4, 0.7], [0.9, 0.9], [0.1])


class Last(Voting):
    """The highest number among the arms that beat arm 0; arm 0 if there is none."""

    name = "last"

    def decide(self, P):
        return int(max(np.flatnonzero(P[:, 0] > 0.5), default=0))


class LastByBounds(Last):
    name = "last-by-bounds"

    def independent(self, low, high, i, j):
        assert np.all(low <= high)
        np.testing.assert_allclose(low, 1 - high.T)
        if i > 0 or not low[j, 0] <= 0.5 <= high[j, 0]:
            return True
        return bool(np.any(low[j + 1 :, 0] > 0.5))


def test_the_upper_triangle_is_the_matrix():
    assert matrix_of(3, np.array([0.9, 0.4, 0.7])).tolist() == [
        [0.5, 0.9, 0.4],
        [1 - 0.9, 0.5, 0.7],
        [1 - 0.4, 1 - 0.7, 0.5],
    ]


@pytest.mark.parametrize("kind", [Last, LastByBounds])
def test_it_finds_the_winner_by_the_rule_and_plays_what_matters(kind):
    played = whole(kind(), P, 50_000, seed=1)
    winner, rounds = played.declaration
    assert winner == 2
    assert played.informative == rounds == played.duels[0].sum() < 5000  # pairs without arm 0 do not matter
    assert played.duels[0, 1] < played.duels[0, 2]  # once 2 is known to beat 0, what 1 does is nothing to it
    assert played.duels[2, 2] == 50_000 - rounds


def test_arms_are_told_apart_whatever_their_pair():
    for order in ([3, 1, 0, 2], [2, 3, 1, 0]):
        matrix = P.relabelled(order)
        wanted = Last().decide(matrix.P)
        assert whole(Last(delta=0.05), matrix, 50_000, seed=2).declaration[0] == wanted


def test_it_is_simulated_in_plain_python():
    assert not Last.compiled()
    assert simulate(Last(delta=0.1), P, 20_000, seed=3).declaration[0] == 2


def test_a_rule_that_asks_for_nothing_wins_at_once():
    class Always(Voting):
        name = "always"

        def decide(self, P):
            return 1

    assert whole(Always(), PreferenceMatrix(np.full((3, 3), 0.5)), 100, seed=0).declaration == (1, 0)
