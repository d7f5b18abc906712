"""Estimates: their errors are how much they vary, and verdicts keep to them."""

import math

import numpy as np
import pytest

from duelbench.reproduction import estimates
from duelbench.reproduction.estimates import Mean


def test_below_counts_both_errors():
    assert estimates.below(Mean(1, 0.3), Mean(2, 0.3)) is True
    assert estimates.below(Mean(1, 0.4), Mean(2, 0.4)) is None
    assert estimates.below(Mean(2, 0.3), Mean(1, 0.3)) is False


def test_inside_is_all_of_the_interval_or_nothing():
    assert [estimates.inside(Mean(x, 0.1), 1, 2) for x in (1.5, 1.3, 1.1, 0.9, 0.7, 1.9, 2.3)] == [
        True, True, None, None, False, None, False,
    ]  # fmt: skip
    assert [estimates.inside(Mean(x, 0.0), 1, 2) for x in (0.9, 1, 2, 2.1)] == [False, True, True, False]
    assert estimates.inside(Mean(math.nan, 0.1), 1, 2) is None
    assert estimates.inside(Mean(1.5, math.nan), 1, 2) is None


def test_errors_are_how_much_estimates_vary():
    """Of 20,000 repetitions; an error that is 5 % off would be seen."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(8, 0.3, 20_000), rng.normal(5, 0.2, 20_000)
    first, second = Mean(8, 0.3), Mean(5, 0.2)
    assert estimates.ratio(first, second).sem == pytest.approx((a / b).std(), rel=0.03)
    assert estimates.difference(first, second).sem == pytest.approx((a - b).std(), rel=0.03)
    hits = rng.binomial(400, 0.3, 20_000)
    assert estimates.share(120, 400).sem == pytest.approx((hits / 400).std(), rel=0.03)


def test_a_share_of_all_runs_has_an_error():
    """In at least 19 of 20 samples the interval has the share, which the plain error, 0 for 40 of 40, would not."""
    rng = np.random.default_rng(2)
    for p in (0.5, 0.9, 0.99):
        low, high = np.transpose([estimates.share(hits, 40).ends for hits in rng.binomial(40, p, 4000)])
        assert np.mean((low <= p) & (p <= high)) > 0.93


def test_quotients_by_zero_are_no_error():
    assert estimates.ratio(Mean(1, 0.1), Mean(0, 0)) == (math.inf, math.inf)
    assert estimates.ratio(Mean(0, 0.1), Mean(2, 0.1)) == (0, 0.05)


def test_numbers_are_short():
    assert [estimates.number(x) for x in (0.0, 1234567.8, 12.345, 0.00123, math.inf)] == [
        "0", "1,234,568", "12.3", "0.00123", "inf",
    ]  # fmt: skip
    assert estimates.Mean(2.0, 0.25).with_interval == "2.00 (1.50 to 2.50)"


def test_verdicts_are_combined():
    assert estimates.together([True, True]) is True
    assert estimates.together([True, None]) is None
    assert estimates.together([None, False, True]) is False
