"""Windows of outcomes: the sums of their halves, kept from outcome to outcome."""

import numpy as np
import pytest

from duelbench.algorithms.monitored.windows import empty, even, no_windows, push


@pytest.mark.parametrize("w", [2, 4, 10])
def test_halves_are_those_of_the_last_outcomes(w):
    rng = np.random.default_rng(1)
    windows = no_windows(3, w, 1000)
    for _ in range(2):
        seen = [[], [], []]
        for _ in range(200):
            pair, outcome = int(rng.integers(3)), int(rng.integers(2))
            seen[pair].append(outcome)
            last = seen[pair][-w:]
            full = len(last) == w
            apart = abs(sum(last[w // 2 :]) - sum(last[: w // 2]))
            assert push(windows, pair, outcome) == (apart if full else -1)
        empty(windows)


def test_there_is_no_room_for_more_outcomes_than_there_can_be():
    windows = no_windows(2, 10**9, 5)
    assert windows.outcomes.shape == (2, 5)
    assert [push(windows, 1, 1) for _ in range(5)] == [-1] * 5
    assert windows.newer[1] == 5


def test_windows_are_even():
    assert [even(x) for x in (-3.0, 0.0, 2.0, 2.1, 3.0, 4.0, 899.96, 1658.3)] == [2, 2, 2, 4, 4, 4, 900, 1660]
