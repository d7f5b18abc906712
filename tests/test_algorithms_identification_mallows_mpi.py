"""MallowsMPI: as many duels as other programs take, right as often as it promises. Its literal paths are in
test_algorithms_identification_first_passage."""

import numpy as np
import pytest

from duelbench.algorithms.identification.mallows_mpi import MallowsMpi
from duelbench.conformance.instances import order
from duelbench.preferences.matrix import PreferenceMatrix
from tests.exploring import whole
from tests.passages import Stated, deviation, errs_too_often, explored

# Means and their standard errors for δ = 0.1 of a transcription by somebody else; on the 0.6 model the program of Ren,
# Liu and Shroff (C++) agrees with it.
STATED = [
    Stated("0.6, K = 10", 8654, 32),
    Stated("0.6, K = 16", 14813, 75),
    Stated("0.6, K = 50", 51424, 143),
    Stated("arithmetic8", 9434, 130),
    Stated("btl", 4325, 58),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_as_many_duels_as_stated(stated):
    assert abs(deviation(MallowsMpi(delta=0.1), stated, 1000)) < 3


@pytest.mark.parametrize("mistake", [{"delta": 0.05}])
def test_a_parameter_a_bit_off_is_seen(mistake):
    assert abs(deviation(MallowsMpi(**{"delta": 0.1} | mistake), STATED[0], 1000)) > 4


def test_it_errs_no_more_often_than_delta():
    """Gaps may be as small as they like."""
    winners = explored(MallowsMpi(delta=0.5), order(8, 0.55), 300)[1]
    assert not errs_too_often(winners, [0], 0.5)
    assert errs_too_often(winners, [1], 0.5)


def test_the_champion_is_recommended():
    algorithm, policy = MallowsMpi(), np.random.default_rng(0)
    state = algorithm.start(3, 1000)
    assert algorithm.recommendation(state) is None
    champion, challenger, _ = algorithm.select(state, 1, 1, policy)
    assert algorithm.recommendation(state) == champion
    algorithm.update(state, champion, challenger, 0, 1)
    t = 2
    while algorithm.select(state, t, t, policy)[:2] == (champion, challenger):
        assert algorithm.recommendation(state) == champion
        algorithm.update(state, champion, challenger, 0, 1)
        t += 1
    assert algorithm.recommendation(state) == challenger


def test_a_tie_is_never_decided():
    played = whole(MallowsMpi(), PreferenceMatrix(np.full((2, 2), 0.5)), 10**8, seed=0)
    assert played.declaration is None
    assert played.informative == 10**8
