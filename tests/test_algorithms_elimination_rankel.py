"""RankEl: how long it explores, by hand. Its literal paths are in test_algorithms_elimination."""

import math

import pytest

from duelbench.algorithms.elimination.rankel import RankEl
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize("horizon", [300, 5000])
def test_the_radius_grows_with_the_duels(horizon):
    """Outcomes are certain: n duels of a pair decide it when n² > 2n (log(5 K² T / 4) + 4 log n)."""
    played = whole(RankEl(), from_upper_triangle([1.0, 1.0], [1.0]), horizon, 1)
    n = next(n for n in range(1, horizon) if n > 2 * (math.log(1.25 * 9 * horizon) + 4 * math.log(n)))
    assert played.declaration == (0, 3 * n)


def test_one_of_several_winners_ends_it_before_the_closest_pair_is_decided():
    """0, 1 and 2 beat each other in a cycle, and 3 and 4, who are even: nobody can exceed three wins."""
    matrix = from_upper_triangle([1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0], [0.5])
    winners = set()
    for seed in range(9):
        played = whole(RankEl(), matrix, 5000, seed)
        winners.add(played.declaration[0])
        n = played.duels[0, 3]
        assert played.declaration[1] == 10 * n < 5000
    assert winners == {0, 1, 2}
    assert whole(RankEl(until="sole-winner"), matrix, 5000, 1).declaration is None


def test_the_arm_that_may_still_win_more_is_the_one_that_is_certain():
    """When the certain pairs are decided 0 and 1 have two wins each; 0 has no more, 1 is even with 3 and may have."""
    matrix = from_upper_triangle([0.0, 1.0, 1.0], [1.0, 0.5], [1.0])
    for seed in range(5):
        played = whole(RankEl(), matrix, 3000, seed)
        assert played.declaration == (1, 6 * played.duels[0, 1])


def test_undecided_pairs_are_sampled_whether_or_not_their_arms_may_win():
    """When all certain pairs are decided, arms 2 and 3 have lost to two; 0 has three wins and goes on against 4."""
    matrix = from_upper_triangle([1.0, 1.0, 1.0, 0.9], [1.0, 1.0, 1.0], [0.51, 1.0], [1.0])
    played = whole(RankEl(until="sole-winner"), matrix, 100_000, 1)
    assert played.declaration[0] == 0
    assert played.duels[2, 3] == played.duels[0, 4] > played.duels[1, 2]
