"""Mean ranks, against the example of Demšar's paper, scipy and samples without a difference."""

import numpy as np
import pytest
from scipy.stats import f, friedmanchisquare

from duelbench.ranks import FEWEST, Ranks, mean_ranks, p_said

# Table 6 of Demšar 2006: areas under the curve of four decision trees on fourteen datasets.
TREES = """\
0.763 0.768 0.771 0.798
0.599 0.591 0.590 0.569
0.954 0.971 0.968 0.967
0.628 0.661 0.654 0.657
0.882 0.888 0.886 0.898
0.936 0.931 0.916 0.931
0.661 0.668 0.609 0.685
0.583 0.583 0.563 0.625
0.775 0.838 0.866 0.875
1.000 1.000 1.000 1.000
0.940 0.962 0.965 0.962
0.619 0.666 0.614 0.669
0.972 0.981 0.975 0.975
0.957 0.978 0.946 0.970
"""


def test_the_example_of_the_paper():
    areas = np.array([line.split() for line in TREES.splitlines()], float)
    found = mean_ranks(-areas)
    # The paper gives "voting" the ranks 2 and 3 for 0.975 twice, from digits that it does not print.
    assert found.mean == pytest.approx([3.143, 2.0, 2.893 + 0.5 / 14, 1.964 - 0.5 / 14], abs=6e-4)
    assert (found.datasets, found.enough) == (14, True)
    assert found.critical == pytest.approx(1.25, abs=0.005)
    assert found.p < 0.05
    # C4.5 (3.143) differs from C4.5+m (2.000) and C4.5+m+cf by less than 1.25: so no pair is told apart.
    assert found.alike() == [(0, 3)]


def test_the_quantiles_are_those_of_the_papers_table_5():
    """q at 5 % for 2 … 10 classifiers."""
    for k, q in zip(range(2, 11), (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164), strict=True):
        critical = mean_ranks(np.random.default_rng(k).random((6, k))).critical
        assert critical == pytest.approx(q * np.sqrt(k * (k + 1) / 36), rel=5e-4)


def test_friedmans_test_is_that_of_scipy():
    values = np.random.default_rng(1).normal([0, 0, 0.8, 1], 1, (9, 4))
    values[3, :2] = 0  # a tie
    squared = friedmanchisquare(*values.T).statistic
    ratio = 8 * squared / (9 * 3 - squared)
    assert mean_ranks(values).p == pytest.approx(f.sf(ratio, 3, 24), rel=1e-9)


def test_without_a_difference_both_find_one_in_a_twentieth():
    """2,000 samples of 8 datasets and 4 algorithms: a standard error of 0.5 %."""
    rng = np.random.default_rng(2)
    found = [mean_ranks(rng.random((8, 4))) for _ in range(2000)]
    assert np.mean([each.p < 0.05 for each in found]) == pytest.approx(0.05, abs=0.015)
    assert np.mean([np.ptp(each.mean) >= each.critical for each in found]) == pytest.approx(0.04, abs=0.015)


def test_stretches_that_are_not_told_apart():
    def stretches(*mean):
        return Ranks(np.array(mean), 9, 0.0, 1.0).alike()

    assert stretches(1.0, 1.5, 2.2, 5.0) == [(0, 1), (1, 2)]
    assert stretches(5.0, 1.0, 2.0, 3.0) == []
    assert stretches(1.0, 1.2, 1.4) == [(0, 2)]
    assert Ranks(np.array([1.0, 5.0, 9.0]), 9, 0.06, 1.0).alike() == [(0, 2)]  # Friedman's test finds no difference


def test_extremes():
    same = mean_ranks(np.ones((6, 3)))
    assert (same.p, same.mean.tolist(), same.alike()) == (1.0, [2, 2, 2], [(0, 2)])
    always = mean_ranks(np.tile([1.0, 2.0], (FEWEST - 1, 1)))
    assert (always.p, always.mean.tolist(), always.enough) == (0.0, [1, 2], False)


def test_p_in_words():
    assert [p_said(p) for p in (0.0004, 0.0312, 0.0996, 0.5)] == [
        *("$p$ < 0.001", "$p$ = 0.031", "$p$ = 0.10", "$p$ = 0.50")
    ]
