"""SEEBS: as many duels as other programs take, right as often as it promises. Its literal paths are in
test_algorithms_identification_first_passage."""

import pytest

from duelbench.algorithms.identification.seebs import Seebs
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from tests.exploring import same
from tests.passages import Stated, deviation, errs_too_often, explored, literal_path

# Means and their standard errors for δ = 0.1 of a transcription by somebody else; on the 0.6 model the program of Ren,
# Liu and Shroff (C++) agrees with it.
STATED = [
    Stated("0.6, K = 10", 78994, 251),
    Stated("0.6, K = 16", 131619, 307),
    Stated("0.6, K = 50", 432337, 511),
    Stated("arithmetic8", 73041, 463),
    Stated("btl", 26891, 136),
]


@pytest.mark.parametrize("stated", [STATED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in STATED[1:])])
def test_as_many_duels_as_stated(stated):
    assert abs(deviation(Seebs(delta=0.1), stated, 400)) < 3


@pytest.mark.parametrize("mistake", [{"delta": 0.08}])
def test_a_parameter_a_bit_off_is_seen(mistake):
    assert abs(deviation(Seebs(**{"delta": 0.1} | mistake), STATED[0], 400)) > 4


@pytest.mark.parametrize("gap", [0.0, 0.04])
def test_the_path_is_the_literal_one_where_tests_come_to_their_limit(gap):
    """At a gap of 0 those of a tournament do, at 0.04 those with the pivot of the first stages."""
    algorithm, matrix = Seebs(delta=0.95), order(3, 0.5 + gap)
    ours = engine_course(algorithm, matrix, 80_000, 0)
    assert same(ours, literal_path(algorithm, matrix, 80_000, 0))
    pairs = {tuple(sorted(pair)) for pair in ours[0].tolist()}
    assert len(pairs) >= 2


def test_it_errs_no_more_often_than_delta():
    """Gaps may be as small as they like."""
    winners = explored(Seebs(delta=0.6), order(5, 0.55), 300)[1]
    assert not errs_too_often(winners, [0], 0.6)
    assert errs_too_often(winners, [1], 0.6)


def test_the_pivot_is_recommended():
    algorithm, policy, environment = Seebs(), *streams(1, 0)
    matrix, state, t, pivots = order(4, 0.8), Seebs().start(4, 10_000), 1, []
    while algorithm.declaration(state) is None:
        first, second, _ = algorithm.select(state, t, t, policy)
        pivots.append(algorithm.recommendation(state))
        algorithm.update(state, first, second, int(environment.random() < matrix.P[first, second]), 1)
        t += 1
    assert pivots[0] is None
    assert pivots[-1] == algorithm.recommendation(state) == 0
    assert len(set(pivots)) >= 2
