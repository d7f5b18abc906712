"""PBR: how long it explores, by hand. Its literal paths are in test_algorithms_elimination."""

import math

import numpy as np
import pytest

from duelbench.algorithms.elimination.pbr import Pbr
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize("horizon", [300, 5000])
def test_both_orders_of_a_pair_share_its_data(horizon):
    """Outcomes are certain: n duels of a pair decide it when n² > 2n · log(2 K² T²), and each round has two."""
    played = whole(Pbr(), from_upper_triangle([1.0, 1.0], [1.0]), horizon, 1)
    rounds = math.floor(math.log(2 * 3**2 * horizon**2)) + 1
    assert played.declaration == (0, 6 * rounds)
    assert (played.duels[~np.eye(3, dtype=bool)] == rounds).all()


def test_pairs_of_arms_that_cannot_win_are_not_sampled():
    """When all certain pairs are decided, arms 2 and 3 have lost to two; 0 has three wins and goes on against 4."""
    matrix = from_upper_triangle([1.0, 1.0, 1.0, 0.9], [1.0, 1.0, 1.0], [0.51, 1.0], [1.0])
    played = whole(Pbr(), matrix, 100_000, 1)
    assert played.declaration[0] == 0
    assert played.duels[2, 3] == played.duels[1, 2] < played.duels[0, 4]
