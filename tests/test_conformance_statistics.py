"""Two samples are told apart when they should be, and the sizes that are said to be seen are."""

import time

import numpy as np
import pytest

from duelbench.conformance.claims import CheckFailed
from duelbench.conformance.statistics import (
    FEWEST,
    agreement,
    demand_agreement,
    demand_equal_means,
    disagreement,
    p_values,
    resolution,
    two_samples,
)


def normal(seed, mean=10.0, runs=1000):
    return np.random.default_rng(seed).normal(mean, 2.0, (runs, 3))


def test_samples_of_one_distribution_agree_and_others_do_not():
    assert agreement(normal(1), normal(2)) > 0.01
    assert disagreement(normal(1), normal(2, 11.0)) < 1e-10
    spread = normal(2) * 2.0 - 10.0  # the same mean
    assert disagreement(normal(1), spread) < 1e-10
    assert disagreement(np.ones((5, 2)), np.ones((5, 2))) == 1.0


def test_a_column_that_is_always_another_is_seen():
    assert p_values(np.zeros((100, 1)), np.ones((100, 1)))[0] < 1e-10
    assert p_values(np.zeros((100, 1)), np.ones((100, 1)), paired=True)[0] < 1e-10


def test_pairs_show_a_hundredth_where_samples_do_not():
    one = normal(1)
    other = one + 0.1 + np.random.default_rng(3).normal(0, 0.2, one.shape)
    assert disagreement(one, other) > 1e-3
    assert p_values(one, other, paired=True).min() < 1e-10
    assert resolution(one, other, paired=True) < 0.01 < resolution(one, other)


def test_a_difference_of_the_size_that_is_said_is_seen():
    one, other = normal(1), normal(2)
    seen = resolution(one, other)
    assert 0.02 < seen < 0.06
    with pytest.raises(CheckFailed, match=r"t = 3 is 10\.\d* on average here and 1\d\.\d* there"):
        demand_equal_means(one, other * (1 + 2 * seen), 4.0, ["t = 1", "t = 2", "t = 3"][::-1], ("here", "there"))
    demand_equal_means(one, other, 5.0, ["t = 1", "t = 2", "t = 3"], ("here", "there"))


def test_the_rounding_of_runs_that_are_all_the_same_is_no_difference():
    one, sides = np.full((100, 1), 0.1 + 0.2), ("here", "there")
    demand_equal_means(one, np.full((100, 1), 0.3), 5.0, ["t = 1"], sides)
    with pytest.raises(CheckFailed):
        demand_equal_means(one, np.full((100, 1), 0.3 + 1e-9), 5.0, ["t = 1"], sides)


def test_the_column_that_differs_is_named():
    other = normal(2)
    other[:, 1] += 1.0
    names, sides = ["first", "second", "third"], ("here", "there")
    demand_agreement(normal(1), normal(2), names, sides)
    with pytest.raises(CheckFailed, match=r"second differs in distribution: on average 10.* here and 1[01].* there"):
        demand_agreement(normal(1), other, names, sides)


def test_there_are_as_many_runs_as_there_is_time_for():
    def run(number):
        return np.array([float(number)])

    a, b = two_samples(run, run, time.process_time())
    assert len(a) == len(b) == FEWEST
    assert a[:, 0].tolist() == list(range(FEWEST))
    assert len(two_samples(run, run, time.process_time() + 60, most=4 * FEWEST)[0]) == 4 * FEWEST
