"""What tests of datasets and of parts of matrices share."""

import itertools

import numpy as np

from duelbench.sources.tables import TABLES


def rng(seed=1):
    return np.random.default_rng(seed)


SUSHI = TABLES["sushi16"].matrix()


def sets_apart(close, size):
    arms = range(len(close))
    return [each for each in itertools.combinations(arms, size) if not close[np.ix_(each, each)].any()]
