"""The round at which log t catches up, against a search through the rounds."""

import math

import numpy as np
import pytest

from duelbench.kernels.thresholds import (
    NEVER,
    first_round_beyond_log,
    first_round_beyond_log_log,
    first_round_beyond_root_log,
    first_round_reaching,
)


def reached(value, scale, offset, t):
    return value <= scale * math.log(t) + offset


@pytest.mark.parametrize("offset", [0.0, 0.6, 30.0])
def test_small_rounds_are_found_by_search(offset):
    rng = np.random.default_rng(3)
    found = set()
    for scale in (0.05, 0.51, 1.0, 3.0):
        for value in (scale * math.log(5000) * rng.random(150) + offset).tolist():
            expected = next(t for t in range(1, 10_000) if reached(value, scale, offset, t))
            assert first_round_reaching(value, scale, offset) == expected
            found.add(expected)
    assert len(found) > 100


def test_values_exactly_on_a_round():
    for scale, offset in ((0.51, 0.0), (1.0, 1.524), (0.145, 0.0), (7.0, 2.0)):
        for t in [*range(2, 300), 10**4, 10**6 + 1, 10**9 + 7, 10**12]:
            value = scale * math.log(t) + offset
            # Not t itself where the rounding of scale · log + offset cannot tell t - 1 from t.
            expected = t
            while reached(value, scale, offset, expected - 1):
                expected -= 1
            assert first_round_reaching(value, scale, offset) == expected
            above = math.nextafter(value, math.inf)
            assert first_round_reaching(above, scale, offset) > expected - (above == value)


def test_large_rounds_are_the_first():
    rng = np.random.default_rng(4)
    for _ in range(300):
        scale, offset = float(rng.choice([0.51, 1.0, 9.0])), float(rng.choice([0.0, 3.7]))
        value = scale * float(rng.uniform(10, 36)) + offset
        t = first_round_reaching(value, scale, offset)
        assert reached(value, scale, offset, t)
        assert not reached(value, scale, offset, t - 1)


def test_ends_of_the_range():
    assert first_round_reaching(0.0, 1.0, 0.0) == 1
    assert first_round_reaching(-5.0, 1.0, 0.0) == 1
    assert first_round_reaching(2.0, 1.0, 2.0) == 1
    assert first_round_reaching(math.nextafter(0.0, 1.0), 1.0, 0.0) == 2
    assert first_round_reaching(43.0, 1.0, 0.0) == NEVER
    assert first_round_reaching(math.inf, 0.51, 0.0) == NEVER
    assert first_round_reaching(1.0, 1e-300, 0.0) == NEVER
    assert 10**12 < first_round_reaching(41.0, 1.0, 0.0) < NEVER


def test_first_rounds_beyond_log_and_its_root():
    for value in (0.0, 0.3, math.log(7), 5.5, 20.0):
        t = first_round_beyond_log(value)
        assert math.log(t) > value
        assert math.log(t - 1) <= value
    assert first_round_beyond_log(-1.0) == 1
    assert first_round_beyond_log(math.inf) == NEVER
    for value in range(1, 13):
        t = first_round_beyond_root_log(value, 3.0)
        assert 3.0 * math.sqrt(math.log(t)) > value
        assert 3.0 * math.sqrt(math.log(t - 1)) <= value
    assert first_round_beyond_root_log(0.0, 3.0) == 2
    assert first_round_beyond_root_log(20.0, 3.0) == NEVER


@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_first_round_beyond_log_log(scale):
    rounds = np.arange(3, 3000)
    growth = np.array([scale * np.log(np.log(t)) for t in rounds])
    for value in (0.1 * scale, 0.7 * scale, 1.0, 2.0, float(growth[100])):
        expected = rounds[growth > value][0] if (growth > value).any() else None
        found = first_round_beyond_log_log(value, scale)
        assert found == expected if expected else found >= 3000
    assert first_round_beyond_log_log(4.0 * scale, scale) == NEVER
