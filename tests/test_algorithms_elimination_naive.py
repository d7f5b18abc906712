"""Naive bandits: which winner they find. Their literal paths are in test_algorithms_elimination."""

import pytest

from duelbench.algorithms.elimination.naive import Naive
from duelbench.sources.generators import Bandit
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize("rule", ["elimination", "ucb", "uniform"])
def test_naive_bandits_find_the_arm_that_does_best_against_arm_0(rule):
    matrix = from_upper_triangle([0.9, 0.4, 0.7], [0.9, 0.9], [0.1])
    assert matrix.condorcet_winner() is None
    played = whole(Naive(rule=rule), matrix, 10**5, seed=0)
    assert played.declaration[0] == 2
    assert played.informative == played.duels[1:, 0].sum()


@pytest.mark.parametrize("rule", ["elimination", "ucb", "uniform"])
def test_on_a_bandit_they_find_the_condorcet_winner(rule):
    matrix = Bandit(arms=5, seed=8).draw(None)
    assert whole(Naive(rule=rule), matrix, 10**7, seed=0).declaration[0] == matrix.condorcet_winner()
