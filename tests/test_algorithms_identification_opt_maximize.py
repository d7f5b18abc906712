"""Opt-Maximize: as many duels as other programs take, right as often as it promises; its path where arms are pruned.
The other literal paths are in test_algorithms_identification_first_passage."""

import numpy as np
import pytest

from duelbench.algorithms.identification.opt_maximize import OptMaximize
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from tests.comparison import mutated
from tests.exploring import same
from tests.passages import Stated, deviation, errs_too_often, explored, literal_path

MANY = order(120, 0.97)
"""Fewer arms than about 115 are never pruned."""


def test_the_path_is_the_literal_one_where_arms_are_pruned():
    algorithm = OptMaximize(epsilon=0.45, delta=0.9)
    for seed in range(2):
        ours = engine_course(algorithm, MANY, 6000, seed)
        assert same(ours, literal_path(algorithm, MANY, 6000, seed))
        assert ours[1] is not None
        assert ours[1][0] == 0


def test_a_small_delta_is_a_sequential_elimination():
    """K = 10 and δ = 0.1 ≤ 1/K: the numbers of that are stated."""
    assert abs(deviation(OptMaximize(delta=0.1), Stated("0.6, K = 10", 7567, 56), 1000)) < 3
    assert abs(deviation(OptMaximize(delta=0.11), Stated("0.6, K = 10", 7567, 56), 300)) > 4


# Means and their standard errors for δ = 0.1 of a transcription by somebody else.
STATED = [
    Stated("0.6, K = 16", 17154, 286),
    Stated("0.6, K = 50", 45670, 299),
    Stated("0.6, K = 100", 86423, 390),
]
SORTED = """        for a in range(progress.length):
            for b in range(a + 1, progress.length):
                if state.arms[b] < state.arms[a]:
                    state.arms[a], state.arms[b] = state.arms[b], state.arms[a]
        progress.position = 0
"""


@pytest.mark.slow
@pytest.mark.parametrize("stated", STATED)
def test_as_many_duels_as_stated_where_the_last_step_begins_with_the_best_arm(stated, tmp_path):
    """That transcription goes through the arms in numerical order in its last step, and the best has number 0: it
    spares the tests of the others before it. In random order, which the paper asks for, duels are a tenth more."""
    shuffling = "        shuffle(state.arms, progress.length, rng)\n        progress.position = 0\n"
    by_number = mutated("opt_maximize", {shuffling: SORTED}, tmp_path, "OptMaximize")
    assert abs(deviation(by_number(delta=0.1), stated, 1000)) < 3
    assert deviation(OptMaximize(delta=0.1), stated, 1000) > 4


def test_it_errs_no_more_often_than_delta():
    """Gaps are hardly above ε."""
    winners = explored(OptMaximize(epsilon=0.1, delta=0.3), order(8, 0.61), 300)[1]
    assert not errs_too_often(winners, [0], 0.3)
    assert errs_too_often(winners, [1], 0.3)


def test_the_anchor_is_recommended():
    algorithm, policy, environment = OptMaximize(delta=0.5), *streams(1, 0)
    state, P, t, named = algorithm.start(16, 10**6), order(16, 0.8).P, 1, []
    while algorithm.declaration(state) is None:
        first, second, count = algorithm.select(state, t, 10**6, policy)
        named.append(algorithm.recommendation(state))
        wins = int(environment.binomial(count, P[first, second])) if first != second else 0
        algorithm.update(state, first, second, wins, count)
        t += count
    assert named[0] == named[1]
    assert named[-1] == 0
    assert algorithm.recommendation(algorithm.start(16, 100)) is None
    assert np.count_nonzero(np.diff(named)) >= 1
