"""Doubler, MultiSBM, Sparring: kernels against their references."""

from collections import deque

import numpy as np
import pytest

from duelbench.algorithms.reductions.reductions import Doubler, MultiSbm, Sparring
from duelbench.engine.simulate import simulate
from duelbench.literal import doubler, multisbm, sparring
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.tables import TABLES
from tests.comparison import (
    MATRICES,
    disagreement,
    kernel_path,
    kernel_regret,
    output_of,
    reference_regret,
    resolution,
    streams,
)

REDUCTIONS = {"doubler": (Doubler, doubler), "multisbm": (MultiSbm, multisbm), "sparring": (Sparring, sparring)}

OTHERS = {
    "K=2": PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "sushi16, with ties": TABLES["sushi16"].matrix(),
    "tennis8, with zeros and ones": TABLES["tennis8"].matrix(),
}

reductions = pytest.mark.parametrize("name", REDUCTIONS)


@reductions
@pytest.mark.parametrize("matrix", [*MATRICES, *OTHERS])
@pytest.mark.parametrize(("seed", "alpha"), [(0, 3.0), (1, 3.0), (2, 0.6)])
def test_the_path_is_that_of_the_reference(name, matrix, seed, alpha):
    algorithm, reference = REDUCTIONS[name]
    chosen = (MATRICES | OTHERS)[matrix]
    environment, policy = streams(seed, 0)
    expected = reference.run(chosen.P, 1000, policy, environment, alpha=alpha)
    np.testing.assert_array_equal(kernel_path(algorithm(alpha=alpha), chosen, 1000, seed), expected)


@reductions
def test_every_round_is_a_request_of_its_own(name):
    matrix = MATRICES["six-rankers"]
    tables = regret_table(matrix, "copeland")[None]
    courses = [
        simulate(REDUCTIONS[name][0](), matrix.P, tables, np.array([10, 5000]), *streams(3, 0), stepping=stepping)
        for stepping in (True, False)
    ]
    np.testing.assert_array_equal(courses[0].regret, courses[1].regret)
    np.testing.assert_array_equal(courses[0].duels, courses[1].duels)


@reductions
@pytest.mark.parametrize("matrix", MATRICES)
def test_regret_is_distributed_like_the_references(name, matrix):
    algorithm, reference = REDUCTIONS[name]
    ours = kernel_regret(algorithm(), MATRICES[matrix], [150, 300], 400, seed=5)
    theirs = reference_regret(reference, MATRICES[matrix], [150, 300], 100, seed=5)
    assert disagreement(ours, theirs) > 1e-3 / 4
    assert resolution(ours, theirs) < 0.1


@reductions
def test_a_slightly_larger_factor_is_seen(name):
    algorithm = REDUCTIONS[name][0]
    matrix = MATRICES["six-rankers"]
    samples = [kernel_regret(algorithm(alpha=alpha), matrix, [1000, 4000], 500, seed=6) for alpha in (3.0, 3.6)]
    again = kernel_regret(algorithm(), matrix, [1000, 4000], 500, seed=7)
    assert disagreement(samples[0], again) > 1e-3 / 4
    assert disagreement(*samples) < 1e-6


@reductions
def test_a_reference_that_rewards_the_loser_is_seen(name):
    algorithm, reference = REDUCTIONS[name]
    matrix = MATRICES["mslr5-condorcet"]
    mirrored = PreferenceMatrix(matrix.P.T)
    ours = kernel_regret(algorithm(), matrix, [1000], 100, seed=8)
    table = regret_table(matrix, "copeland")
    theirs = np.empty((20, 1))
    for run in range(20):
        environment, policy = streams(8, run)
        path = reference.run(mirrored.P, 1000, policy, environment)
        theirs[run] = table[path[:, 0], path[:, 1]].sum()
    assert disagreement(ours, theirs) < 1e-6


@reductions
def test_the_best_arm_comes_out_in_the_end(name):
    matrix = MATRICES["mslr5-condorcet"]
    tables = regret_table(matrix, "copeland")[None]
    course = simulate(REDUCTIONS[name][0](), matrix.P, tables, np.array([10**6]), *streams(9, 0))
    best = matrix.condorcet_winner()
    assert course.duels[best, best] > 0.6 * 10**6


@reductions
@pytest.mark.parametrize("delay", [1, 7, 300])
def test_outcomes_may_come_late(name, delay):
    matrix = MATRICES["six-rankers"]
    algorithm = REDUCTIONS[name][0]()
    environment, policy = streams(10, 0)
    state = algorithm.start(matrix.arms, 3000)
    waiting = deque()
    for t in range(1, 3001):
        first, second, count = algorithm.select(state, t, t, policy)
        assert count == 1 and 0 <= first < matrix.arms and 0 <= second < matrix.arms
        waiting.append((first, second, 0 if first == second else int(environment.random() < matrix.P[first, second])))
        if len(waiting) > delay:
            algorithm.update(state, *waiting.popleft(), 1)
    if name == "doubler":
        # The epoch that 3000 falls into began after round 2 + 4 + … + 1024 = 2046.
        heard = 3000 - 2046 - delay
        self_duels_waiting = sum(first == second for first, second, _ in waiting)
        assert state.bandit.total[0] == heard + self_duels_waiting


def test_doublers_epochs_have_two_four_eight_rounds():
    matrix = MATRICES["six-rankers"]
    path = kernel_path(Doubler(), matrix, 2 + 4 + 8 + 16, seed=11)
    assert len(set(path[:2, 0])) == 1
    for start, length in ((2, 4), (6, 8), (14, 16)):
        before = set(path[start - length // 2 : start, 1])
        assert set(path[start : start + length, 0]) <= before
        # A new bandit begins with arms that it has not played yet.
        assert len(set(path[start : start + min(length, matrix.arms), 1])) == min(length, matrix.arms)


COURSES = """
import numpy as np
from duelbench.algorithms.reductions.reductions import Doubler, MultiSbm, Sparring
from duelbench.engine.simulate import simulate
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES, streams

for algorithm in (Doubler(), MultiSbm(), Sparring()):
    for seed, matrix in enumerate(MATRICES.values()):
        tables = regret_table(matrix, "copeland")[None]
        course = simulate(algorithm, matrix.P, tables, np.array([100, 1000]), *streams(seed, 0))
        print(algorithm.compiled(), course.regret.tolist(), course.duels.tolist())
"""


def test_compiled_kernels_equal_interpreted_ones():
    compiled, interpreted = (output_of(COURSES, interpreted=each) for each in (False, True))
    assert "True" in compiled and "False" not in compiled and "True" not in interpreted
    assert compiled.replace("True", "False") == interpreted
