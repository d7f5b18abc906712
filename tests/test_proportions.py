"""Intervals are scipy's."""

import pytest
from scipy.stats import binomtest

from duelbench.proportions import wilson


@pytest.mark.parametrize(("right", "trials"), [(0, 1), (1, 1), (0, 20), (17, 20), (20, 20), (999, 1000)])
def test_wilson_intervals(right, trials):
    known = binomtest(right, trials).proportion_ci(method="wilson")
    assert wilson(right / trials, trials) == pytest.approx((known.low, known.high))
