"""PCOMP: outcomes that come too late. Its literal paths are in test_algorithms_elimination_batched."""

import numpy as np

from duelbench.algorithms.elimination.pcomp import Pcomp


def test_an_outcome_of_the_batch_before_is_ignored():
    algorithm = Pcomp(batches=4)
    state = algorithm.start(3, 10_000)  # c_1 = 10: three pairs in the first 30 rounds
    policy = np.random.default_rng(0)
    for t in range(1, 32):
        algorithm.select(state, t, t, policy)
    for _ in range(10):
        algorithm.update(state, 0, 1, 1, 1)
    algorithm.update(state, 0, 2, 10, 10)
    algorithm.update(state, 1, 2, 10, 10)
    assert state.wins.sum() == 0
    algorithm.update(state, 0, 1, 1, 1)
    assert state.wins[0, 1] == 1 == state.wins.sum()
