"""MBtW: its weak regret beside numbers computed elsewhere. Its literal paths are in test_algorithms_winner_stays."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.winner_stays.mbtw import opponent
from tests.winners import Stated, deviation, make

STATED = [
    Stated("mslr5-condorcet", 100_000, 243, 18, 1000),
    Stated("cyclic4", 100_000, 44.3, 2.4, 1000),
    Stated("six-rankers", 1_000_000, 472, 53, 500),
    Stated("order of 50", 4000, 1468, 50, 1000),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_regret_as_stated(stated):
    assert abs(deviation(make("mbtw"), stated)) < 3


def test_another_algorithm_is_seen():
    assert abs(deviation(make("btw"), STATED[0]._replace(runs=100))) > 5


def test_opponents_are_drawn_by_their_strengths():
    strength, rng = np.array([4, 9, 1, 2]), np.random.default_rng(1)
    seen = Counter(int(opponent(strength, 1, rng)) for _ in range(7000))
    assert stats.chisquare([seen[arm] for arm in (0, 2, 3)], [4000, 1000, 2000]).pvalue > 0.001
    assert seen[1] == 0


def test_the_winner_gains_what_the_loser_loses_down_to_one():
    algorithm, policy = make("mbtw"), np.random.default_rng(1)
    state = algorithm.start(3, 100)
    host, other, count = algorithm.select(state, 1, 100, policy)
    algorithm.update(state, host, other, 1, count)
    assert (state.strength[host], state.strength[other]) == (2, 1)
    again, other, count = algorithm.select(state, 2, 100, policy)
    assert (again, count) == (host, 2)  # to as many wins as the host is strong
    algorithm.update(state, host, other, 0, 2)
    assert (state.strength[host], state.strength[other]) == (1, 2)
    assert algorithm.select(state, 4, 100, policy)[::2] == (other, 2)
