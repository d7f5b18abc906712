"""The search for a bandit's best arm: when it ends, by hand. Literal paths: test_algorithms_elimination."""

import math

import pytest

from duelbench.algorithms.elimination.naive import Naive
from duelbench.algorithms.elimination.wrapped import Wrapped
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize(("kind", "size"), [(Wrapped, 2), (Naive, 2)])
@pytest.mark.parametrize("delta", [None, 0.2])
def test_elimination_ends_when_intervals_part(kind, size, delta):
    """Two arms, certain outcomes: means are 1 and 0, so that intervals part when 2 sqrt(log(2NT/δ) / (2n)) < 1."""
    horizon = 2000
    n = math.floor(2 * math.log(2 * size * horizon / (delta or 1 / horizon))) + 1
    played = whole(kind(delta=delta), from_upper_triangle([1.0]), horizon, 1)
    assert played.declaration == (0, 2 * n)


@pytest.mark.parametrize("kind", [Wrapped, Naive])
def test_ucb_plays_the_better_arm_more_often(kind):
    played = whole(kind(rule="ucb"), from_upper_triangle([0.9]), 20_000, 1)
    rules = whole(kind(), from_upper_triangle([0.9]), 20_000, 1)
    assert played.declaration[0] == rules.declaration[0] == 0
    assert played.duels[0, 1] > 1.5 * played.duels[1, 0]
    assert rules.duels[0, 1] == rules.duels[1, 0]
