"""IF: who goes with whom. Its literal paths are in test_algorithms_elimination."""

import math

import numpy as np

from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter
from tests.exploring import from_upper_triangle, whole


def test_what_the_loser_beat_is_dropped():
    """On certain outcomes: the incumbent needs n duels to be beaten, n² > 16 n log(T K²), then all it beat go too."""
    matrix = from_upper_triangle([1.0, 1.0, 1.0], [1.0, 1.0], [1.0])
    horizon = 5000
    n = math.floor(16 * math.log(horizon * 16)) + 1
    seen = set()
    for seed in range(12):
        played = whole(InterleavedFilter(), matrix, horizon, seed)
        # Arm 0 beats all; any other falls to the lowest of those above it, arm 0, with nobody left from below. So the
        # first incumbent duelled all the others.
        (incumbent,) = [b for b in range(4) if np.count_nonzero(played.duels[b]) == 4 - (b != 0)]
        seen.add(incumbent)
        assert played.informative == n * (3 + max(0, incumbent - 1))
    assert seen == {0, 1, 2, 3}


def test_an_arm_that_the_loser_did_not_beat_is_kept():
    algorithm = InterleavedFilter()
    for wins, kept in ((201, False), (200, True), (199, True)):
        state = algorithm.start(3, 1000)
        policy = np.random.default_rng(0)
        incumbent, one, _ = algorithm.select(state, 1, 1, policy)
        _, other, _ = algorithm.select(state, 2, 2, policy)
        algorithm.update(state, incumbent, one, 0, 400)
        algorithm.update(state, incumbent, other, wins, 400)
        first, second, count = algorithm.select(state, 801, 1000, policy)
        assert (first, second, count) == ((one, other, 1) if kept else (one, one, 200))


def test_an_outcome_of_a_former_incumbent_comes_too_late():
    algorithm, policy = InterleavedFilter(), np.random.default_rng(0)
    state = algorithm.start(3, 1000)
    incumbent, one, _ = algorithm.select(state, 1, 1, policy)
    _, other, _ = algorithm.select(state, 2, 2, policy)
    algorithm.update(state, incumbent, one, 0, 400)
    assert algorithm.select(state, 401, 1000, policy)[:2] == (one, other)
    algorithm.update(state, incumbent, other, 5, 5)
    assert state.won.sum() == state.lost.sum() == 0
    algorithm.update(state, one, other, 1, 1)
    assert state.won[other] == 1


def test_the_incumbent_is_recommended():
    algorithm, policy = InterleavedFilter(), np.random.default_rng(0)
    state = algorithm.start(3, 1000)
    assert algorithm.recommendation(state) is None
    incumbent, one, _ = algorithm.select(state, 1, 1, policy)
    algorithm.select(state, 2, 2, policy)
    assert algorithm.recommendation(state) == incumbent
    algorithm.update(state, incumbent, one, 0, 400)
    algorithm.select(state, 401, 1000, policy)
    assert algorithm.recommendation(state) == one
