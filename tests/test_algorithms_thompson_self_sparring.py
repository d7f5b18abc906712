"""Self-Sparring: its literal path, what a self-duel teaches, and its regret beside published numbers."""

import numpy as np
import pytest

from duelbench.algorithms.thompson.self_sparring import SelfSparring
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.literal import self_sparring
from tests.merging import errors_from, regrets
from tests.paths import DIFFERENT, INSTANCES


@pytest.mark.parametrize("eta", [1.0, 0.5, 3.0])
def test_the_path_is_the_literal_one(eta):
    for label in DIFFERENT:
        for seed, horizon in ((1, 300), (2, 5)):
            path = literal_path(self_sparring.run, INSTANCES[label], horizon, seed, eta=eta)
            assert plays(SelfSparring(eta=eta), INSTANCES[label], path, seed), label


class Deaf(SelfSparring):
    """Learns nothing where an arm duels itself: wrong."""

    name = "deaf"
    select = staticmethod(getattr(SelfSparring.select, "py_func", SelfSparring.select))

    @staticmethod
    def update(state, first, second, wins, count):
        if first != second:
            SelfSparring.update(state, first, second, wins, count)


@pytest.mark.parametrize("mistake", [SelfSparring(eta=1.2), Deaf()])
def test_a_mistake_has_another_path(mistake):
    matrix = INSTANCES["cyclic4"]
    path = literal_path(self_sparring.run, matrix, 300, 1)
    assert np.array_equal(engine_path(SelfSparring(), matrix, 300, 1), path)
    assert not np.array_equal(engine_path(mistake, matrix, 300, 1), path)


def test_an_arm_that_duels_itself_wins_and_loses():
    state = SelfSparring().start(3, 100)
    SelfSparring.update(state, 1, 1, 0, 4)
    SelfSparring.update(state, 1, 2, 3, 5)
    assert state.won.tolist() == [0, 7, 2]
    assert state.lost.tolist() == [0, 6, 3]


@pytest.mark.slow
def test_regret_as_published(mslr):
    """MSLR navigational: the numbers of the MergeDTS authors' slides; 3113 is from few runs, 2906 ± 78 from more.

    At t = 1e6, where they have 8000, twenty runs have 7772 ± 163: results/fig-mergedts-2.
    """
    regret = regrets(SelfSparring(), mslr["mslr-navigational"], [100_000], 16)
    assert errors_from(regret, [(2906, 78)]).max() < 3
