"""The search for a bandit's best arm: when it ends, by hand. Literal paths: test_algorithms_elimination."""

import math

import pytest

from duelbench.algorithms.elimination.naive import Naive
from duelbench.algorithms.elimination.wrapped import Wrapped
from tests.exploring import from_upper_triangle, whole


@pytest.mark.parametrize(
    ("kind", "matrix", "best"),
    [(Wrapped, from_upper_triangle([1.0]), 0), (Naive, from_upper_triangle([0.0, 1.0], [0.5]), 1)],
)
@pytest.mark.parametrize("rule", ["elimination", "uniform"])
@pytest.mark.parametrize("delta", [None, 0.2])
def test_exploration_ends_when_intervals_part(kind, matrix, best, rule, delta):
    """Two arms, certain outcomes: means are 1 and 0, so that intervals part when 2 sqrt(log(2NT/δ) / (2n)) < 1."""
    horizon = 2000
    n = math.floor(2 * math.log(2 * 2 * horizon / (delta or 1 / horizon))) + 1
    played = whole(kind(rule=rule, delta=delta), matrix, horizon, 1)
    assert played.declaration == (best, 2 * n)


def test_ucb_plays_the_better_arm_more_often():
    played = whole(Wrapped(rule="ucb"), from_upper_triangle([0.9]), 20_000, 1)
    rules = whole(Wrapped(), from_upper_triangle([0.9]), 20_000, 1)
    assert played.declaration[0] == rules.declaration[0] == 0
    assert played.duels[0, 1] > 1.5 * played.duels[1, 0]
    assert rules.duels[0, 1] == rules.duels[1, 0]


def test_uniform_plays_arms_alike_that_elimination_drops():
    matrix = from_upper_triangle([0.2, 0.3, 0.9], [0.5, 0.5], [0.5])  # means 0.8, 0.7, 0.1
    uniform, elimination = (whole(Naive(rule=rule), matrix, 10**5, 1) for rule in ("uniform", "elimination"))
    assert uniform.declaration[0] == elimination.declaration[0] == 1
    assert len(set(uniform.duels[1:, 0])) == 1
    assert elimination.duels[3, 0] < elimination.duels[2, 0] / 5
