"""RUCB: the path of its literal transcription, and the same path with holds."""

import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.literal import rucb
from tests.paths import DIFFERENT, INSTANCES, leaves_the_path, plays_as_written

PARAMETERS = {"usual": {}, "eager": {"alpha": 0.05}, "cautious": {"alpha": 1.0}}


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_path_is_the_literal_one(name, parameters):
    rounds = 1000 if INSTANCES[name].arms > 5 else 2000
    assert plays_as_written(Rucb, rucb, name, rounds, PARAMETERS[parameters])


@pytest.mark.parametrize("alpha", [0.51 * 1.2, 0.51 * 1.001])
def test_a_small_mistake_leaves_the_path(alpha):
    assert leaves_the_path(Rucb, rucb, {"alpha": alpha})
