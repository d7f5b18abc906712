"""RMED1: the path of its literal transcription, and the same path with holds."""

import pytest

from duelbench.algorithms.divergence.rmed1 import Rmed1
from duelbench.literal import rmed1
from tests.paths import DIFFERENT, INSTANCES, leaves_the_path, plays_as_written

PARAMETERS = {"usual": {}, "small f": {"f_scale": 0.05, "f_power": 0.5}, "no f": {"f_scale": 0.0}}


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_path_is_the_literal_one(name, parameters):
    rounds = 500 if INSTANCES[name].arms > 5 else 1500
    assert plays_as_written(Rmed1, rmed1, name, rounds, PARAMETERS[parameters])


@pytest.mark.parametrize("mistake", [{"f_scale": 0.36}, {"f_power": 1.0}])
def test_a_small_mistake_leaves_the_path(mistake):
    assert leaves_the_path(Rmed1, rmed1, mistake)
