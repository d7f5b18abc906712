"""RUCB: the path of its literal transcription, and the same path with holds."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.literal import rucb
from tests.paths import (
    INSTANCES,
    engine_path,
    literal_path,
    plays,
)

PARAMETERS = {"usual": {}, "eager": {"alpha": 0.05}, "cautious": {"alpha": 1.0}}
NAMES = [name for name in INSTANCES if name not in ("hudry13", "sushi16", "two arms, close", "three winners")]


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", NAMES)
def test_the_path_is_the_literal_one(name, parameters):
    matrix, how = INSTANCES[name], PARAMETERS[parameters]
    for seed, horizon in ((1, 1000 if matrix.arms > 5 else 2000), *((seed, 250) for seed in range(2, 6)), (9, 7)):
        path = literal_path(rucb, matrix, horizon, seed, **how)
        assert plays(Rucb(**how), matrix, path, seed)


@pytest.mark.parametrize("alpha", [0.51 * 1.2, 0.51 * 1.001])
def test_a_small_mistake_leaves_the_path(alpha):
    matrix = INSTANCES["cyclic4"]
    for seed in range(3):
        path = literal_path(rucb, matrix, 3000, seed)
        assert not np.array_equal(engine_path(Rucb(alpha=alpha), matrix, 3000, seed), path)
