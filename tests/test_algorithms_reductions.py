"""Doubler, MultiSBM, Sparring: their literal paths, and what they do besides."""

from collections import deque

import numpy as np
import pytest

from duelbench.conformance.rounds import simulate, streams
from duelbench.preferences.regret import regret_table
from tests.comparison import MATRICES, output_of
from tests.exploring import whole
from tests.reducing import ALL, REDUCTIONS, fast_path

reductions = pytest.mark.parametrize("name", REDUCTIONS)


def literal_path(name, matrix, horizon, seed, **parameters):
    environment, policy = streams(seed, 0)
    return REDUCTIONS[name][1].run(matrix.P, horizon, policy, environment, **parameters)


# Literal paths


@reductions
@pytest.mark.parametrize("matrix", ALL)
@pytest.mark.parametrize(("seed", "alpha"), [(0, 3.0), (1, 0.6)])
def test_the_path_is_the_literal_one(name, matrix, seed, alpha):
    expected = literal_path(name, ALL[matrix], 700, seed, alpha=alpha)
    np.testing.assert_array_equal(fast_path(name, ALL[matrix], 700, seed, alpha=alpha), expected)


@reductions
def test_short_horizons_have_the_literal_path(name):
    for horizon in (1, 2, 7):
        for matrix in (ALL["K=2"], ALL["cyclic4"]):
            np.testing.assert_array_equal(fast_path(name, matrix, horizon, 4), literal_path(name, matrix, horizon, 4))


@reductions
def test_a_factor_a_bit_off_leaves_the_path(name):
    matrix = ALL["six-rankers"]
    for seed in range(3):
        expected = literal_path(name, matrix, 500, seed)
        assert np.array_equal(fast_path(name, matrix, 500, seed), expected)
        assert not np.array_equal(fast_path(name, matrix, 500, seed, alpha=3.0 * 1.02), expected)


@reductions
def test_a_transcription_that_rewards_the_loser_has_another_path(name, monkeypatch):
    module = REDUCTIONS[name][1]
    right = module.first_wins
    monkeypatch.setattr(module, "first_wins", lambda *arguments: not right(*arguments))
    matrix = ALL["mslr5-condorcet"]
    assert not np.array_equal(fast_path(name, matrix, 500, 8), literal_path(name, matrix, 500, 8))


# What comes out


@reductions
def test_the_best_arm_comes_out_in_the_end(name):
    matrix = ALL["mslr5-condorcet"]
    best = matrix.condorcet_winner()
    assert whole(REDUCTIONS[name][0](), matrix, 10**6, seed=9).duels[best, best] > 0.6 * 10**6


# Interpreted: the same bits, and outcomes that come late


INTERPRETED = """
from tests.test_algorithms_reductions import REDUCTIONS, late_outcomes, played
for name in REDUCTIONS:
    for delay in (1, 7, 300):
        late_outcomes(name, delay)
    for line in played(name):
        print(line)
"""


def played(name):
    for seed, matrix in enumerate(MATRICES.values()):
        tables = regret_table(matrix, "copeland")[None]
        course = simulate(REDUCTIONS[name][0](), matrix.P, tables, np.array([100, 1000]), *streams(seed, 0))
        yield f"{course.regret.tolist()} {course.duels.tolist()}"


def late_outcomes(name, delay):
    matrix = ALL["six-rankers"]
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


def test_interpreted_kernels_give_the_same_bits_and_outcomes_may_come_late():
    assert all(kind().compiled() for kind, _ in REDUCTIONS.values())
    expected = [line for name in REDUCTIONS for line in played(name)]
    assert output_of(INTERPRETED, interpreted=True).splitlines() == expected
