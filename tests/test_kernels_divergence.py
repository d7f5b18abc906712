"""Divergences against the references' and their series."""

import math

import pytest
from scipy import stats

from duelbench.kernels.divergence import kl, kl_from_half
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


def test_kl_of_two_coins():
    for p in (0.0, 0.2, 0.5, 0.9, 1.0):
        for q in (0.1, 0.5, 0.85):
            assert kl(p, q) == pytest.approx(stats.entropy([p, 1 - p], [q, 1 - q]), rel=1e-12, abs=1e-15)
