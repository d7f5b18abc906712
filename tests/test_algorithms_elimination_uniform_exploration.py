"""Uniform exploration: how long it explores, by hand. Its literal paths are in test_algorithms_elimination."""

import math

import numpy as np
import pytest

from duelbench.algorithms.elimination.uniform_exploration import UniformExploration
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize("horizon", [300, 5000])
def test_the_radius_is_that_of_savage(horizon):
    """Outcomes are certain: n duels of a pair decide it when n² > 2n · log(K (K − 1) T²)."""
    played = whole(UniformExploration(), from_upper_triangle([1.0, 1.0], [1.0]), horizon, 1)
    assert played.declaration == (0, 3 * (math.floor(2 * math.log(6 * horizon**2)) + 1))


def test_all_pairs_are_sampled_alike_decided_or_not():
    played = whole(UniformExploration(), from_upper_triangle([1.0, 0.75, 1.0], [1.0, 1.0], [1.0]), 100_000, 1)
    winner, rounds = played.declaration
    assert winner == 0
    assert set(played.duels[np.triu_indices(4, 1)]) == {rounds // 6}
