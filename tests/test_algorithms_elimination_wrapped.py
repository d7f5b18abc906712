"""Wrapped bandits: which winner they find. Their literal paths are in test_algorithms_elimination."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.wrapped import Wrapped
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize("rule", ["elimination", "ucb"])
def test_wrapped_bandits_find_the_borda_winner(rule):
    matrix = from_upper_triangle([0.6, 0.6, 0.6], [0.9, 0.9], [1.0])
    assert matrix.condorcet_winner() == 0
    best = int(np.argmax(matrix.borda_scores()))
    assert best == 1
    assert whole(Wrapped(rule=rule), matrix, 10**6, seed=0).declaration[0] == best
