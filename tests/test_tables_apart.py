"""Tests between every two algorithms: right for those who choose the best by the same runs, and able to see."""

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind

from duelbench.tables.apart import Sample, compared_by_fisher, compared_by_welch, holm


def sample(values):
    return Sample(float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5, len(values))


def test_holm_by_hand():
    # 4 · 0.01; then 3 · 0.015, no less than before; 2 · 0.03; 0.05 would be less than the one before.
    assert holm([0.05, 0.01, 0.03, 0.015]) == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


def test_two_means_as_scipy_has_them():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 12), rng.normal(1, 4, 30)
    expected = ttest_ind(a, b, equal_var=False).pvalue
    found = compared_by_welch([sample(a), sample(b)])
    assert found[0, 1] == found[1, 0] == pytest.approx(expected)
    assert found[0, 0] == 1


def test_runs_that_are_all_alike():
    same, other = Sample(5.0, 0.0, 9), Sample(5.1, 0.0, 9)
    assert compared_by_welch([same, same])[0, 1] == 1
    assert compared_by_welch([same, other])[0, 1] == 0
    assert compared_by_welch([same, Sample(5.0, 0.2, 9)])[0, 1] == 1


def test_shares_by_fishers_test_as_scipy_has_it():
    found = compared_by_fisher([Sample(0.9, 0.0, 100), Sample(0.73, 0.0, 100)])
    assert found[0, 1] == pytest.approx(fisher_exact([[90, 10], [73, 27]]).pvalue)


def told_apart(rng, correct):
    """The share of 1,500 tables of ten equal algorithms in which one is told apart from the best."""
    count = 0
    for _ in range(1500):
        runs = rng.exponential(1.0, (10, 40)) * np.array([1, 1, 1, 1, 1, 2, 2, 2, 2, 2])[:, None]
        runs += 3 - np.array([1, 1, 1, 1, 1, 2, 2, 2, 2, 2])[:, None]  # equal means, not variances
        count += correct([sample(each) for each in runs])
    return count / 1500


def against_the_best(samples):
    """As if the best had been chosen before."""
    best = min(samples)
    values = [compared_by_welch([best, each])[0, 1] for each in samples if each is not best]
    return min(holm(values)) < 0.05


def every_pair(samples):
    return compared_by_welch(samples)[samples.index(min(samples))].min() < 0.05


@pytest.mark.slow
def test_that_the_best_is_chosen_by_the_same_runs_does_no_harm():
    """Skew regrets with unequal variances; a standard error of 0.6 %."""
    assert told_apart(np.random.default_rng(3), every_pair) <= 0.06
    assert told_apart(np.random.default_rng(3), against_the_best) >= 0.1


def test_what_is_worse_is_seen():
    rng = np.random.default_rng(4)
    samples = [sample(rng.normal(mean, 1, 100)) for mean in (0, 0, 0.7, 2)]
    assert (compared_by_welch(samples) < 0.05).astype(int).tolist() == [
        [0, 0, 1, 1],
        [0, 0, 1, 1],
        [1, 1, 0, 1],
        [1, 1, 1, 0],
    ]
