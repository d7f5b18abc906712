"""Who beats whom as a graph, against enumeration."""

from itertools import combinations, permutations

import numpy as np
import pytest

from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.tournament import cycles, groups, smith_set, unbeaten_groups
from duelbench.sources.tables import TABLES


def random_matrix(seed):
    """Return one of three to six arms with ties, wins and losses."""
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(3, 7))
    upper = np.triu(rng.choice([0.3, 0.5, 0.7], (arms, arms), p=[0.4, 0.2, 0.4]), 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(arms) / 2)


MATRICES = [random_matrix(seed) for seed in range(150)]


def test_smith_set_is_the_smallest_set_that_beats_all_others():
    for matrix in MATRICES:
        arms = range(matrix.arms)
        dominant = [
            set(chosen)
            for size in range(1, matrix.arms + 1)
            for chosen in combinations(arms, size)
            if all(matrix.P[i, j] > 0.5 for i in chosen for j in arms if j not in chosen)
        ]
        assert set(smith_set(matrix).tolist()) == dominant[0]


def test_cycles_of_three_are_those_that_there_are():
    for matrix in MATRICES:
        beats = matrix.P > 0.5
        true = {
            (i, j, k)
            for i, j, k in permutations(range(matrix.arms), 3)
            if beats[i, j] and beats[j, k] and beats[k, i] and i == min(i, j, k)
        }
        number, shown = cycles(matrix, 1000)
        assert number == len(true)
        if true:
            assert set(shown) == true
            assert len(cycles(matrix, 1)[1]) == 1


def test_longer_cycles_are_found_where_there_is_none_of_three():
    P = np.full((5, 5), 0.5)
    for winner, loser in ((0, 3), (3, 1), (1, 4), (4, 0), (2, 3)):
        P[winner, loser], P[loser, winner] = 0.7, 0.3
    assert cycles(PreferenceMatrix(P), 5) == (0, [(0, 3, 1, 4)])
    assert cycles(TABLES["arithmetic8"].matrix(), 5) == (0, [])


@pytest.mark.parametrize(
    ("name", "smith"), [("cyclic4", [0]), ("mslr5-non-condorcet", [0, 1, 2]), ("multisol", [0, 1, 2, 3, 4])]
)
def test_smith_sets_of_tables(name, smith):
    assert smith_set(TABLES[name].matrix()).tolist() == smith


def test_groups_that_votes_connect():
    wins = np.zeros((5, 5))
    wins[0, 3] = wins[3, 4] = 2
    wins[1, 2] = wins[2, 1] = 1
    assert groups(wins + wins.T) == [[0, 3, 4], [1, 2]]
    assert unbeaten_groups(wins) == [[1, 2], [0], [3], [4]]
    wins[4, 0] = wins[0, 1] = wins[2, 0] = 1
    assert unbeaten_groups(wins) == [[0, 1, 2, 3, 4]]
