"""Halving-Battle: its number of duels. Its literal paths are in test_algorithms_identification_battles."""

from math import ceil, log

from duelbench.algorithms.identification.halving_battle import HalvingBattle
from tests.mean_duels import count_duels


def test_ten_arms_take_as_many_duels_as_computed_by_hand():
    """5, 2, 1 and 1 matches, if none is a tie."""
    rounds = [ceil(log(4 / (0.1 / 2**r)) / (0.05 / 4 * 0.75**r) ** 2) for r in range(1, 5)]
    counted = count_duels(HalvingBattle(), "0.6 model", 20)
    assert (counted.mean, counted.right) == (sum(n * of for n, of in zip(rounds, (5, 2, 1, 1), strict=True)), 1.0)
