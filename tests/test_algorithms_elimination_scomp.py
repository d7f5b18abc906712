"""SCOMP: who duels whom in a batch. Its literal paths are in test_algorithms_elimination_batched."""

from itertools import combinations

import numpy as np

from duelbench.algorithms.elimination.scomp import Scomp
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal.scomp import seed_set


def test_the_first_batch_has_every_pair_with_a_seed():
    arms, horizon, batches = 9, 10_000, 4  # c_1 = 10
    sizes = set()
    for seed in range(12):
        seeds = seed_set(arms, streams(seed, 0)[1])
        pairs = [(i, j) for i, j in combinations(range(arms), 2) if i in seeds or j in seeds or not seeds]
        arms_played, _ = engine_course(Scomp(batches=batches), order(arms, 0.6), horizon, seed)
        assert np.array_equal(arms_played[: 10 * len(pairs)], np.repeat(pairs, 10, axis=0)), seed
        sizes.add(len(seeds))
    assert len(sizes) > 2
