"""RUCB: the path of its literal transcription, and the same path with holds."""

import numpy as np
import pytest

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.literal import rucb
from duelbench.sources.generators import BtlUniform
from tests.paths import DIFFERENT, INSTANCES, leaves_the_path, plays_as_written

PARAMETERS = {"usual": {}, "eager": {"alpha": 0.05}, "cautious": {"alpha": 1.0}}


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", DIFFERENT)
def test_the_path_is_the_literal_one(name, parameters):
    rounds = 1000 if INSTANCES[name].arms > 5 else 2000
    assert plays_as_written(Rucb, rucb, name, rounds, PARAMETERS[parameters])


@pytest.mark.parametrize("alpha", [0.05, 0.51])
def test_the_path_of_many_arms_is_the_literal_one(alpha):
    matrix = BtlUniform(arms=50).draw(np.random.default_rng(1))
    path = literal_path(rucb.run, matrix, 400, 1, alpha=alpha)
    assert np.array_equal(engine_path(Rucb(alpha=alpha), matrix, 400, 1), path)


@pytest.mark.parametrize("delay", [1, 5])
def test_the_champions_are_the_arms_that_nobody_has_beaten(delay):
    """Outcomes come late, and every fourth is of a duel that was not asked for."""
    P, rng = INSTANCES["random10"].P, np.random.default_rng(delay)
    algorithm, policy = Rucb(alpha=0.05), np.random.default_rng(2)
    state = algorithm.start(10, 10**9)
    waiting, numbers = [], set()
    t = 1
    for _ in range(2000):
        first, second, count = algorithm.select(state, t, t + 50, policy)
        champions = np.flatnonzero(state.comparisons.losses == 0)
        assert state.summary[0].n_champions == len(champions)
        assert np.array_equal(state.champions[: len(champions)], champions)
        assert state.summary[0].believed in (-1, *champions)
        numbers.add(len(champions))
        t += count
        if rng.random() < 0.25:
            first, second = rng.choice(10, 2, replace=False).tolist()
        waiting.append((first, second, int(rng.random() < P[first, second])))
        if len(waiting) == delay:
            for outcome in waiting:
                algorithm.update(state, *outcome, 1)
            waiting = []
    assert numbers >= {0, 1, 2, 3}


@pytest.mark.parametrize("alpha", [0.51 * 1.2, 0.51 * 1.001])
def test_a_small_mistake_leaves_the_path(alpha):
    assert leaves_the_path(Rucb, rucb, {"alpha": alpha})
