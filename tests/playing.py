"""Runs of an algorithm in the engine."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from numba.core import config

from duelbench.algorithms.catalogue import catalogue
from duelbench.compiling import dispatcher
from duelbench.conformance.rounds import answers, simulate, streams
from duelbench.engine import loops
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import LiveRun, Streams
from duelbench.preferences.regret import regret_table


def interpret(patch):
    """Play with kernels as plain Python, in this process."""
    catalogue()  # kernels of a module imported below would stay plain Python
    patch.setattr(config, "DISABLE_JIT", 1)
    patch.setattr(loops, "_loop", cache(loops._loop.__wrapped__))
    patch.setattr(dispatcher, "_plain_functions", {})  # a test may replace one of the kernels


@contextmanager
def interpreting():
    """A context in which kernels are plain Python."""
    with pytest.MonkeyPatch.context() as patch:
        interpret(patch)
        yield


def whole(algorithm, matrix, horizon, seed, **how):
    """Play a run with a single checkpoint at its end; return the duels and the declaration."""
    tables = regret_table(matrix, "copeland")[None]
    return simulate(algorithm, matrix.P, tables, np.array([horizon]), *streams(seed, 0), **how)


class Shares:
    """An environment stream with which an arm wins just its share of each block, rounded down."""

    def random(self):
        return 0.5

    def binomial(self, n, p):
        return int(n * p)


def played(program, P, horizon, seed=1, **rules):
    """Play a program in plain Python where each arm wins its share; return its blocks as (i, j, duels), and the run."""
    rngs = Streams(Shares(), np.random.default_rng(seed))
    P = np.asarray(P, float)
    run = LiveRun(program, Problem(P, np.zeros((1, *P.shape))), np.array([horizon]), rngs, Rules(**rules))
    run.play()
    blocks = answers(program, P, horizon, rngs._replace(policy=np.random.default_rng(seed)), Rules(**rules))
    return [each[1:] for each in blocks], run


def counts_of_answers(algorithm, matrix, horizon, seed):
    """Return the number of rounds of each answer of a run."""
    return [each.duels for each in answers(algorithm, matrix.P, horizon, streams(seed, 0))]


def same(ours, theirs):
    """Tell whether two paths and declarations are equal."""
    return np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1]
