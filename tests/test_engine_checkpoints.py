"""The rounds at which regret is recorded."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from duelbench.engine.checkpoints import checkpoints


def test_checkpoints_by_hand():
    assert checkpoints([1], 20).tolist() == [1]
    assert checkpoints([10], 1).tolist() == [1, 10]
    assert checkpoints([999], 1).tolist() == [1, 10, 100, 999]
    assert checkpoints([100], 4).tolist() == [1, 2, 3, 6, 10, 18, 32, 56, 100]
    assert checkpoints([50, 7], 1).tolist() == [1, 7, 10, 50]


@given(some.lists(some.integers(1, 10**12), min_size=1, max_size=4), some.integers(1, 1000))
def test_checkpoints_increase_from_one_to_the_horizon(horizons, per_decade):
    marks = checkpoints(horizons, per_decade)
    assert marks.dtype == np.int64
    assert marks[-1] == max(horizons)
    assert np.all(np.diff(marks) > 0)
    assert marks[0] == 1
    assert set(horizons) <= set(marks.tolist())
    assert {10**k for k in range(13) if 10**k <= max(horizons)} <= set(marks.tolist())
    if max(horizons) >= 10**9 and per_decade <= 100 and len(horizons) == 1:
        grid = marks[(marks >= 10**7) & (marks < 10**8)]
        assert len(grid) == per_decade


@given(some.integers(1, 10**12), some.integers(1, 10**12), some.integers(1, 200))
def test_the_grid_of_a_shorter_run_is_the_beginning_of_that_of_a_longer_one(a, b, per_decade):
    short, long = sorted((a, b))
    shorter, longer = checkpoints([short], per_decade), checkpoints([long], per_decade)
    assert np.array_equal(shorter[shorter < short], longer[longer < short])
