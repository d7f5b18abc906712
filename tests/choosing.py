"""Helpers for tests of matrices, submatrices and datasets."""

import itertools

import numpy as np

from duelbench.sources.published_matrices import TABLES


def rng(seed=1):
    return np.random.default_rng(seed)


def mirrored(upper):
    """Return probabilities with a given upper triangle."""
    return np.triu(upper, 1) + np.tril(1 - upper.T, -1) + np.eye(len(upper)) / 2


SUSHI = TABLES["sushi16"].matrix()


def sets_apart(close, size):
    arms = range(len(close))
    return [each for each in itertools.combinations(arms, size) if not close[np.ix_(each, each)].any()]
