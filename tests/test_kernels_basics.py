"""Divergences, draws and extremes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.draws import below, pick
from duelbench.kernels.extremes import least_place, most_place
from duelbench.literal import arithmetic


def test_kl_is_the_references_to_the_last_bit():
    for n in (1, 2, 3, 7, 100, 12_345):
        for w in range(0, n + 1, max(1, n // 100)):
            assert kl_from_half(w / n) == arithmetic.kl(w / n)


def test_kl_near_one_half_is_its_series():
    # kl(1/2 + x) = 2x² + 4x⁴/3 + …
    for x in (1e-2, 1e-3, 1e-4, 1e-5):
        assert kl_from_half(0.5 + x) == pytest.approx(2 * x**2 + 4 * x**4 / 3 + 32 * x**6 / 15, rel=1e-5)
    assert [kl_from_half(p) for p in (0.0, 0.5, 1.0)] == [math.log(2), 0.0, math.log(2)]


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


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_extremes_take_the_lowest_place(kind):
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 20):
        for _ in range(20):
            values = rng.integers(0, 6, size).astype(kind)
            assert least_place(values) == np.argmin(values)
            assert most_place(values) == np.argmax(values)
    assert least_place(np.full(3, np.inf)) == 0


def test_exactly_the_binomials_of_the_votes():
    # The identity that votes rest on: P(Beta(a+1, b+1) > 1/2) = P(Bin(a+b+1, 1/2) <= a).
    for a, b in ((0, 0), (3, 1), (2, 9)):
        m = a + b + 1
        exact = Fraction(sum(math.comb(m, k) for k in range(a + 1)), 2**m)
        assert float(exact) == pytest.approx(stats.beta.sf(0.5, a + 1, b + 1), rel=1e-12)
