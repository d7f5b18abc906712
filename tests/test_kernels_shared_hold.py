"""Holds that arms share: each has its part in distribution, and every round is answered once."""

import numpy as np
import pytest
from scipy import stats

from duelbench.kernels.shared_hold import allocate, emit


def test_parts_are_multinomial_with_the_arms_weights():
    p_informative, arms = np.array([0.0, 0.2, 0.9, 0.6]), np.array([3, 1, 0, 2])
    weights = np.array([0.4, 0.8, 1.0]) / 2.2  # of arms 3, 1, 0: the list has three
    rng, seen = np.random.default_rng(1), {}
    for _ in range(6000):
        pending = np.zeros(4, np.int64)
        allocate(pending, arms, 3, p_informative, 3, rng)
        assert pending.sum() == 3
        assert pending[2] == 0
        parts = tuple(pending[[3, 1, 0]].tolist())
        seen[parts] = seen.get(parts, 0) + 1
    counts = list(seen.values())
    assert len(counts) == 10

    def p_of(weights):
        return stats.chisquare(counts, [6000 * stats.multinomial.pmf(parts, 3, weights) for parts in seen]).pvalue

    assert p_of(weights) > 0.001
    assert p_of([1 / 3] * 3) < 1e-7


@pytest.mark.parametrize("most", [1, 4, 10**6])
def test_every_round_is_answered_once(most):
    pending = np.array([3, 0, 17, 9])
    answered = np.zeros(4, int)
    while (answer := emit(pending, most))[2] > 0:
        assert answer[0] == answer[1]
        assert answer[2] <= most
        answered[answer[0]] += answer[2]
    assert answered.tolist() == [3, 0, 17, 9]
    assert not pending.any()


def test_nothing_is_drawn_for_a_single_arm_or_no_rounds():
    rng, untouched = np.random.default_rng(1), np.random.default_rng(1)
    pending = np.zeros(3, np.int64)
    allocate(pending, np.array([1, 0, 2]), 1, np.array([0.5, 0.5, 0.5]), 8, rng)
    assert pending.tolist() == [0, 8, 0]
    pending[:] = 0
    allocate(pending, np.array([1, 0, 2]), 3, np.array([0.5, 0.5, 0.5]), 0, rng)
    assert pending.tolist() == [0, 0, 0]
    assert rng.random() == untouched.random()
