"""Sequential-Elimination: as many duels as other programs take, right as often as it promises. Its literal paths are in
test_algorithms_identification_first_passage."""

import numpy as np
import pytest

from duelbench.algorithms.identification.sequential_elimination import SequentialElimination
from duelbench.conformance.instances import order
from tests.passages import Stated, deviation, errs_too_often, explored

# Means and their standard errors for δ = 0.1 of a transcription by somebody else; on the 0.6 model the program of Ren,
# Liu and Shroff (C++) agrees with it.
STATED = [
    Stated("0.6, K = 10", 7567, 56),
    Stated("0.6, K = 16", 12041, 119),
    Stated("0.6, K = 50", 36039, 135),
    Stated("arithmetic8", 6967, 114),
    Stated("btl", 5117, 111),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_as_many_duels_as_stated(stated):
    assert abs(deviation(SequentialElimination(delta=0.1), stated, 2000)) < 3


@pytest.mark.parametrize("mistake", [{"delta": 0.04}, {"epsilon": 0.08}])
def test_a_parameter_a_bit_off_is_seen(mistake):
    assert abs(deviation(SequentialElimination(**{"delta": 0.1} | mistake), STATED[0], 2000)) > 4


def test_it_errs_no_more_often_than_delta():
    """Gaps are hardly above ε."""
    winners = explored(SequentialElimination(epsilon=0.1, delta=0.3), order(8, 0.61), 300)[1]
    assert not errs_too_often(winners, [0], 0.3)
    assert errs_too_often(winners, [1], 0.3)


def test_the_champion_is_recommended():
    algorithm, policy = SequentialElimination(), np.random.default_rng(0)
    state = algorithm.start(3, 1000)
    assert algorithm.recommendation(state) is None
    challenger, champion, _ = algorithm.select(state, 1, 1, policy)
    assert algorithm.recommendation(state) == champion
    algorithm.update(state, challenger, champion, 1, 1)
    t = 2
    while algorithm.select(state, t, t, policy)[:2] == (challenger, champion):
        assert algorithm.recommendation(state) == champion
        algorithm.update(state, challenger, champion, 1, 1)
        t += 1
    assert algorithm.recommendation(state) == challenger
