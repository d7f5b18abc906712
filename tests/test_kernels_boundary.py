"""The boundary of an interval around 1/2, and how many duels cannot reach it."""

import math

import numpy as np
import pytest

from duelbench.kernels.boundary import boundary, room


@pytest.mark.parametrize("scale", [0.7, 4.0, 12.0])
def test_the_boundary_in_wins(scale):
    for n in (1, 7, 1000):
        assert boundary(scale, n) == pytest.approx(n * math.sqrt((scale + 2 * math.log(n)) / (2 * n)))


@pytest.mark.parametrize("scale", [0.7, 4.0, 12.0])
@pytest.mark.parametrize("step", [0.3, 0.5])
def test_so_many_duels_cannot_reach_it_and_a_few_more_may(scale, step):
    for n in (0, 1, 10, 1000):
        for part in (-0.5, 0.0, 0.5, 0.9, 0.99):
            lead = part * boundary(scale, n + 1)
            s = room(scale, n, lead, step)
            assert all(lead + k * step <= boundary(scale, n + k) for k in range(1, s + 1))
            away = np.arange(1, 5 * s + 50)
            reached = [k for k in away if lead + k * step > boundary(scale, n + int(k))]
            assert not reached or part > 0 or n < 10 or s >= 0.3 * (reached[0] - 1)
