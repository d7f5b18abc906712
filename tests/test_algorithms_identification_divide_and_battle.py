"""Divide-and-Battle: its number of duels. Its literal paths are in test_algorithms_identification_battles."""

from duelbench.algorithms.identification.divide_and_battle import DivideAndBattle
from tests.exploring import whole
from tests.mean_duels import INSTANCES, count_duels


def test_ten_arms_take_as_many_duels_as_computed_by_hand():
    """5, 2, 1 and 1 matches; the last with ε = 2ε/3 and δ anew."""
    counted = count_duels(DivideAndBattle(), "0.6 model", 20)
    assert (counted.mean, counted.error, counted.right) == (2_654_012, 0.0, 1.0)
    assert count_duels(DivideAndBattle(delta=0.12), "0.6 model", 2).mean < 2_654_012


def test_before_the_declaration_the_duels_so_far_recommend():
    algorithm = DivideAndBattle()
    assert algorithm.recommendation(algorithm.start(4, 100)) is None
    played = whole(algorithm, INSTANCES["0.6 model"], 4_000_000, seed=1)
    assert played.declaration == (0, 2_654_012)
    assert played.duels[0, 0] == 4_000_000 - 2_654_012
