"""Runs of an algorithm in the engine."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from numba.core import config

from duelbench.algorithms.catalogue import catalogue
from duelbench.compiling import dispatcher
from duelbench.conformance.reference import engine_course
from duelbench.conformance.rounds import in_numbers, pair_tables, simulate, streams
from duelbench.engine import loops
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import checkpoints
from duelbench.engine.rollout import LiveRun, Streams
from duelbench.experiment.answers import answers
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
    """An environment stream with which an arm wins exactly its expected share of each block, rounded down."""

    def random(self):
        return 0.5

    def binomial(self, n, p):
        return int(n * p)


def played(program, P, horizon, seed=1, **rules):
    """Play a program in plain Python with ``Shares``; return its blocks as (i, j, duels), and the run."""
    rngs = Streams(Shares(), np.random.default_rng(seed))
    P = np.asarray(P, float)
    run = LiveRun(program, Problem(P, np.zeros((1, *P.shape))), np.array([horizon]), rngs, Rules(**rules))
    run.play()
    blocks = answers(program, P, horizon, rngs._replace(policy=np.random.default_rng(seed)), Rules(**rules))
    return [each[1:] for each in blocks], run


def counts_of_answers(algorithm, matrix, horizon, seed):
    """Return the number of duels of each answer in a run."""
    return [each.duels for each in answers(algorithm, matrix.P, horizon, streams(seed, 0))]


def same(ours, theirs):
    """Tell whether two paths and declarations are equal."""
    return np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1]


def engine_path(algorithm, matrix, horizon, seed):
    """Return the (horizon, 2) arms of run 0, played round by round."""
    return engine_course(algorithm, matrix, horizon, seed)[0]


def held_path(algorithm, matrix, horizon, seed):
    """Return the (horizon, 2) arms of run 0, where holds may last until the final round."""
    path = np.empty((horizon, 2), int)
    for answer in answers(algorithm, matrix.P, horizon, streams(seed, 0)):
        path[answer.t - 1 : answer.t - 1 + answer.duels] = answer.first, answer.second
    return path


def holds_round_by_round(algorithm, matrix, horizon, seed):
    """Return whether every hold ends in the right round; a comparison at few checkpoints may not show this."""
    return np.array_equal(held_path(algorithm, matrix, horizon, seed), engine_path(algorithm, matrix, horizon, seed))


def plays(algorithm, matrix, path, seed, holds=True):
    """Return whether the algorithm plays ``path`` round by round and, if ``holds``, also with few checkpoints."""
    horizon, K = len(path), matrix.arms
    if not np.array_equal(engine_path(algorithm, matrix, horizon, seed), path):
        return False
    if not holds:
        return True
    marks = checkpoints([horizon], 2)
    held = simulate(algorithm, matrix.P, pair_tables(K), marks, *streams(seed, 0)).regret
    numbers = path[:, 0] * K + path[:, 1]
    return all(np.array_equal(held[:, k], np.bincount(numbers[:t], minlength=K * K)) for k, t in enumerate(marks))


def sample(algorithm, matrix, marks, runs, seed, tables=None, **how):
    """Return the (runs, …) numbers to compare: regret by ``tables`` at the checkpoints, and the declarations.

    Without ``tables``, the regret is Copeland and Borda regret, and the final duels of every ordered pair are included.
    With ``tables``, they are not, since an algorithm may merge the counts of arms with equal regret.
    """
    every_duel = tables is None
    if tables is None:
        tables = np.stack([regret_table(matrix, kind) for kind in ("copeland", "borda")])
    rows = []
    for run in range(runs):
        played = simulate(algorithm, matrix.P, tables, np.asarray(marks), *streams(seed, run), **how)
        duels = played.duels.ravel() if every_duel else []
        rows.append([*played.regret.ravel(), *duels, *in_numbers(played)])
    return np.array(rows)
