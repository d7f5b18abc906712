"""Random choices draw one double of the stream each, and none where there is no choice."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from duelbench.kernels.draws import below, pick


def test_below_is_one_double_of_the_stream():
    ours, numpys = np.random.default_rng(1), np.random.default_rng(1)
    assert [below(n, ours) for n in range(1, 500)] == [int(numpys.random() * n) for n in range(1, 500)]
    counts = np.bincount([below(7, ours) for _ in range(14_000)], minlength=7)
    assert stats.chisquare(counts).pvalue > 0.001
    assert len(counts) == 7


def test_pick_draws_only_among_several():
    ours, numpys = np.random.default_rng(2), np.random.default_rng(2)
    candidates = np.array([8, 3, 5, 99, 99])
    assert pick(candidates, 1, ours) == 8
    assert [pick(candidates, 3, ours) for _ in range(200)] == [[8, 3, 5][int(numpys.random() * 3)] for _ in range(200)]
    assert ours.bit_generator.state == numpys.bit_generator.state


def test_exactly_the_binomials_of_the_votes():
    # The identity that votes rest on: P(Beta(a+1, b+1) > 1/2) = P(Bin(a+b+1, 1/2) <= a).
    for a, b in ((0, 0), (3, 1), (2, 9)):
        m = a + b + 1
        exact = Fraction(sum(math.comb(m, k) for k in range(a + 1)), 2**m)
        assert float(exact) == pytest.approx(stats.beta.sf(0.5, a + 1, b + 1), rel=1e-12)
