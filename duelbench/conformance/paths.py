"""Paths of the engine and of reference implementations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arrays import Ints
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import Problem
from duelbench.experiment.reference_runs import changing_course, reference_path
from duelbench.preferences.matrix import PreferenceMatrix


def reference_course(
    algorithm: Algorithm,
    matrix: PreferenceMatrix | Problem,
    horizon: int,
    seed: int,
    function: Callable[..., Any] | None = None,
) -> tuple[Ints, tuple[Declared, int] | None]:
    """Return the (horizon, 2) arms of run 0 of the reference implementation, and its declaration.

    This works for every algorithm of the catalogue with its parameters, with or without declarations, and, for a
    ``Problem``, for changing preferences. ``engine_course`` returns the same for the algorithm. ``function`` replaces
    that of ``duelbench.reference``, for example by a copy with a deliberate mistake.
    """
    if isinstance(matrix, Problem):
        return changing_course(algorithm, matrix, horizon, streams(seed, 0), function)
    return reference_path(algorithm, matrix.P, horizon, streams(seed, 0), function, matrix.ties)


def engine_path(algorithm: Algorithm, matrix: PreferenceMatrix, horizon: int, seed: int) -> Ints:
    """Return the (horizon, 2) arms of run 0 of the engine, with a checkpoint after every round."""
    return engine_course(algorithm, matrix, horizon, seed)[0]


def engine_course(
    algorithm: Algorithm, matrix: PreferenceMatrix, horizon: int, seed: int
) -> tuple[Ints, tuple[Declared, int] | None]:
    """Return the same as ``engine_path``, and the declaration."""
    K = matrix.arms
    numbers = np.arange(float(K * K)).reshape(1, K, K)  # the "regret" of a pair is its index
    played = simulate(algorithm, matrix.P, numbers, np.arange(1, horizon + 1), *streams(seed, 0), T=matrix.ties)
    numbered = np.diff(played.regret[0], prepend=0.0).astype(int)
    return np.stack(np.divmod(numbered, K), axis=1), played.declaration


def plays(algorithm: Algorithm, matrix: PreferenceMatrix, path: Ints, seed: int, holds: bool = True) -> bool:
    """Return whether the algorithm plays ``path``, with a checkpoint after every round and, if ``holds``, with few."""
    horizon, K = len(path), matrix.arms
    if not np.array_equal(engine_path(algorithm, matrix, horizon, seed), path):
        return False
    if not holds:
        return True
    marks = checkpoints([horizon], 2)
    held = simulate(algorithm, matrix.P, pair_tables(K), marks, *streams(seed, 0)).regret
    numbers = path[:, 0] * K + path[:, 1]
    return all(np.array_equal(held[:, k], np.bincount(numbers[:t], minlength=K * K)) for k, t in enumerate(marks))
