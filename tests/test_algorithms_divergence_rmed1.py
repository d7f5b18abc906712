"""RMED1: the path of its literal transcription, and the same path with holds."""

import numpy as np
import pytest

from duelbench.algorithms.divergence.rmed1 import Rmed1
from duelbench.literal import rmed1
from tests.paths import (
    INSTANCES,
    engine_path,
    literal_path,
    plays,
)

PARAMETERS = {"usual": {}, "small f": {"f_scale": 0.05, "f_power": 0.5}, "no f": {"f_scale": 0.0}}
NAMES = [name for name in INSTANCES if name not in ("hudry13", "sushi16", "two arms, close", "three winners")]


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", NAMES)
def test_the_path_is_the_literal_one(name, parameters):
    matrix, how = INSTANCES[name], PARAMETERS[parameters]
    for seed, horizon in ((1, 500 if matrix.arms > 5 else 1500), *((seed, 250) for seed in range(2, 6)), (9, 7)):
        path = literal_path(rmed1, matrix, horizon, seed, **how)
        assert plays(Rmed1(**how), matrix, path, seed)


@pytest.mark.parametrize("mistake", [{"f_scale": 0.36}, {"f_power": 1.0}])
def test_a_small_mistake_leaves_the_path(mistake):
    matrix = INSTANCES["cyclic4"]
    for seed in range(3):
        path = literal_path(rmed1, matrix, 3000, seed)
        assert not np.array_equal(engine_path(Rmed1(**mistake), matrix, 3000, seed), path)
