"""Runs of an algorithm in the engine."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from numba.core import config

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.rounds import Rounds, simulate, streams
from duelbench.engine import loops
from duelbench.preferences.regret import regret_table


def interpret(patch):
    """Play with kernels as plain Python, in this process."""
    catalogue()  # kernels of a module imported below would stay plain Python
    patch.setattr(config, "DISABLE_JIT", 1)
    patch.setattr(loops, "_loop", cache(loops._loop.__wrapped__))


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


def counts_of_answers(algorithm, matrix, horizon, seed):
    """Return the number of rounds of each answer of a run."""
    run, counts = Rounds(algorithm, matrix.P, horizon, streams(seed, 0)), []
    while not run.over:
        counts.append(run.answer().duels)
    return counts


def same(ours, theirs):
    """Tell whether two paths and declarations are equal."""
    return np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1]
