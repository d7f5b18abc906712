"""Queries with judged documents, for tests."""

import numpy as np

from duelbench.sources.comparison import Simulation
from duelbench.sources.letor import Judged


def simulation(model="perfect", interleavings=1, cutoff=10, seed=1, top_grade=4):
    return Simulation(model, interleavings, cutoff, seed, top_grade)


def judged(grades, *rankers):
    return Judged(np.array(grades), np.array(rankers, float).T)


def random_query(documents, rankers, seed):
    rng = np.random.default_rng(seed)
    return Judged(rng.integers(0, 5, documents), rng.normal(size=(documents, rankers)))
