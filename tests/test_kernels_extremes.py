"""Extremes, and which of several."""

import numpy as np
import pytest

from duelbench.kernels.extremes import least_place, most_place


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_extremes_take_the_lowest_place(kind):
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 20):
        for _ in range(20):
            values = rng.integers(0, 6, size).astype(kind)
            assert least_place(values) == np.argmin(values)
            assert most_place(values) == np.argmax(values)
    assert least_place(np.full(3, np.inf)) == 0
