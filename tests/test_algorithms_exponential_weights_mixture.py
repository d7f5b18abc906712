"""Exponential weights beside scipy's softmax, where nothing overflows and where everything would."""

import numpy as np
import pytest
from scipy import special

from duelbench.algorithms.exponential_weights.mixture import mix


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0, 1e8])
def test_chances_are_softmax_and_the_uniform(size):
    scores = size * np.random.default_rng(1).normal(size=7)
    p = np.empty(7)
    mix(scores, 0.3, 0.05, p)
    np.testing.assert_allclose(p, 0.95 * special.softmax(0.3 * scores) + 0.05 / 7, rtol=1e-12)
    assert p.sum() == pytest.approx(1, abs=1e-15)


def test_without_a_rate_all_arms_are_alike():
    p = np.empty(4)
    mix(np.array([1e9, -1e9, 0.0, 3.0]), 0.0, 0.5, p)
    assert p.tolist() == [0.25] * 4
