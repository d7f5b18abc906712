"""Knockout: as many duels as other programs take, right as often as it promises. Its literal paths are in
test_algorithms_identification_first_passage."""

import pytest

from duelbench.algorithms.identification.knockout import Knockout
from duelbench.conformance.instances import order
from tests.passages import Stated, deviation, errs_too_often, explored

# Means and their standard errors for δ = 0.1 of a transcription by somebody else; on the 0.6 model the program of Ren,
# Liu and Shroff (C++) agrees with it.
STATED = [
    Stated("0.6, K = 10", 6686, 28),
    Stated("0.6, K = 16", 11107, 58),
    Stated("0.6, K = 50", 36757, 84),
    Stated("arithmetic8", 8403, 76),
    Stated("btl", 4311, 43),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_as_many_duels_as_stated(stated):
    assert abs(deviation(Knockout(delta=0.1), stated, 1000)) < 3


@pytest.mark.parametrize("mistake", [{"delta": 0.05}, {"epsilon": 0.06}, {"gamma": 1.3}])
def test_a_parameter_a_bit_off_is_seen(mistake):
    assert abs(deviation(Knockout(**{"delta": 0.1} | mistake), STATED[0], 1000)) > 4


def test_it_errs_no_more_often_than_delta():
    """Gaps are hardly above ε."""
    winners = explored(Knockout(epsilon=0.1, delta=0.3), order(8, 0.61), 300)[1]
    assert not errs_too_often(winners, [0], 0.3)
    assert errs_too_often(winners, [1], 0.3)


def test_it_leaves_the_recommendation_to_the_copeland_scores_until_one_arm_is_left():
    algorithm = Knockout()
    assert algorithm.recommendation(algorithm.start(4, 100)) is None
