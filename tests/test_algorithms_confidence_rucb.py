"""RUCB: the path of its literal transcription, and the same path with holds."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.engine.checkpoints import checkpoints
from duelbench.literal import rucb
from tests.paths import (
    INSTANCES,
    counts_of_answers,
    course,
    engine_path,
    held_path,
    holds_as_it_steps,
    literal_path,
    plays,
    same,
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


# Stepping = holding.


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "random10"])
def test_holding_is_stepping(name, parameters):
    horizon = 1_000_000 if name in ("cyclic4", "certain order", "two arms") else 100_000
    for seed in (1, 2):
        assert holds_as_it_steps(Rucb(**PARAMETERS[parameters]), INSTANCES[name], checkpoints([horizon], 10), seed)


@pytest.mark.parametrize("parameters", ["usual", "eager"])
def test_where_the_checkpoints_lie_changes_nothing(parameters):
    algorithm, matrix = Rucb(**PARAMETERS[parameters]), INSTANCES["cyclic4"]
    few = course(algorithm, matrix, checkpoints([10**6], 1), 3)
    many = course(algorithm, matrix, checkpoints([10**6], 100), 3)
    assert same((few[0][:, -1], *few[1:]), (many[0][:, -1], *many[1:]))


def test_holds_are_long():
    counts = counts_of_answers(Rucb(), INSTANCES["certain order"], 10**6, 1)
    assert len(counts) < 1000
    assert max(counts) > 10_000


@pytest.mark.parametrize("name", ["six-rankers", "cyclic4", "certain order", "two arms"])
def test_holds_end_in_their_round(name):
    for algorithm in (Rucb(), Rucb(alpha=0.05)):
        matrix = INSTANCES[name]
        assert np.array_equal(held_path(algorithm, matrix, 30_000, 4), engine_path(algorithm, matrix, 30_000, 4))
