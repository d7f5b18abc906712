"""Algorithms that decide pairs by first-passage tests: their cases, the page's instances, and how long a run
explores."""

import importlib
from typing import NamedTuple

import numpy as np
from scipy import stats

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal.exploration import course
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES


class Case(NamedTuple):
    """An algorithm with its parameters; rash ones, so that a run gets beyond its first pairs soon."""

    name: str
    parameters: dict

    def make(self):
        return catalogue()[self.name](**self.parameters)


CASES = {
    "knockout": Case("knockout", {}),
    "knockout, rash": Case("knockout", {"epsilon": 0.3, "delta": 0.4, "gamma": 1.3}),
    "sequential-elimination": Case("sequential-elimination", {}),
    "sequential-elimination, rash": Case("sequential-elimination", {"epsilon": 0.3, "delta": 0.5}),
    "opt-maximize": Case("opt-maximize", {}),
    "opt-maximize, rash": Case("opt-maximize", {"epsilon": 0.45, "delta": 0.9}),
    "mallows-mpi": Case("mallows-mpi", {}),
    "mallows-mpi, rash": Case("mallows-mpi", {"delta": 0.9}),
    "seebs": Case("seebs", {}),
    "seebs, rash": Case("seebs", {"delta": 0.95}),
}

STRENGTHS = np.exp(-0.3 * np.arange(10))
INSTANCES = {
    "0.6, K = 10": order(10, 0.6),
    "0.6, K = 16": order(16, 0.6),
    "0.6, K = 50": order(50, 0.6),
    "0.6, K = 100": order(100, 0.6),
    "arithmetic8": TABLES["arithmetic8"].matrix(),
    "btl": PreferenceMatrix(STRENGTHS[:, None] / (STRENGTHS[:, None] + STRENGTHS)),
}
"""Arm 0 is the best of each."""


def explored(algorithm, matrix, runs, seed=1):
    """Return (runs,) how many duels the declarations took, and (runs,) the declared arms."""
    table, marks = np.zeros((1, *matrix.P.shape)), np.array([10**9])
    declared = [simulate(algorithm, matrix.P, table, marks, *streams(seed, run)).declaration for run in range(runs)]
    winners, duels = np.array(declared).T
    return duels, winners


def literal_path(algorithm, matrix, horizon, seed):
    """Return the arms of each round and the declaration of the transcription."""
    module = importlib.import_module("duelbench.literal." + algorithm.name.replace("-", "_"))
    environment, policy = streams(seed, 0)
    explore = module.explore(matrix.P, horizon, policy, environment, **algorithm.model_dump())
    return course(explore, horizon, asked_once_more=not algorithm.uses_horizon)


class Stated(NamedTuple):
    """A mean number of duels on one of the ``INSTANCES``, with its standard error."""

    instance: str
    mean: float
    error: float


def deviation(algorithm, stated, runs):
    """Return by how many standard errors the mean number of duels differs from a stated one.

    No run may declare an arm that loses to the best by more than ε: on arithmetic8 the second loses by 0.05.
    """
    matrix, slack = INSTANCES[stated.instance], getattr(algorithm, "epsilon", 0.0)
    duels, winners = explored(algorithm, matrix, runs)
    assert np.all(matrix.P[winners, 0] >= 0.5 - slack - 1e-9)
    return (duels.mean() - stated.mean) / np.hypot(duels.std(ddof=1) / np.sqrt(runs), stated.error)


def errs_too_often(winners, good, delta):
    """Tell whether more runs than δ allows declared an arm that is none of the ``good``: p < 10⁻³, one-sided."""
    wrong = int(np.sum(~np.isin(winners, good)))
    return stats.binomtest(wrong, len(winners), delta, alternative="greater").pvalue < 1e-3
