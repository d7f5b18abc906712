"""Constants of many draws, in several processes."""

from functools import partial

import numpy as np

from duelbench.bounds import (
    BOUNDS,
    ecw_bound_constant,
    lower_bound_constant,
)
from duelbench.bounds.sample import constants_of
from duelbench.cli.bounds import matrix_drawn
from duelbench.sources.datasets import dataset


def test_any_number_of_processes_gives_the_same_constants():
    told = []
    drawn = partial(matrix_drawn, dataset("uniform-random", parameters={"arms": 4}), 3, True)
    alone = constants_of(drawn, 230, list(BOUNDS), 1, told.append)
    together = constants_of(drawn, 230, list(BOUNDS), 2, told.append)
    assert np.array_equal(alone, together, equal_nan=True)
    assert sum(told) == 460
    assert alone[7, 0] == lower_bound_constant(drawn(7))
    assert alone[8, 1] == ecw_bound_constant(drawn(8))
