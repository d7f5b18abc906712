"""Running kernels and references side by side, and saying whether two samples of regret agree."""

from __future__ import annotations

import numpy as np
from scipy import stats

from duelbench.engine.simulate import simulate
from duelbench.preferences.generators import UniformRandom
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.preferences.tables import TABLES

MATRICES = {
    "six-rankers": TABLES["six-rankers"].matrix(),
    "mslr5-condorcet": TABLES["mslr5-condorcet"].matrix(),
    "mslr5-non-condorcet": TABLES["mslr5-non-condorcet"].matrix(),
    "cyclic4": TABLES["cyclic4"].matrix(),
    "random10": UniformRandom(arms=10, condorcet=True, seed=10).draw(np.random.default_rng(10)),
}
"""The matrices on which every algorithm is compared with its reference."""


def streams(seed: int, run: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the environment's and the policy's stream of a run."""
    return np.random.default_rng([seed, run, 0]), np.random.default_rng([seed, run, 1])


def reference_regret(module, matrix: PreferenceMatrix, checkpoints, runs, seed, kind="copeland", **parameters):
    """Return the (runs, checkpoints) cumulative regret of a module of ``tests/reference``."""
    table = regret_table(matrix, kind)
    places = np.asarray(checkpoints) - 1
    regret = np.empty((runs, len(places)))
    for run in range(runs):
        environment, policy = streams(seed, run)
        path = module.run(matrix.P, int(checkpoints[-1]), policy, environment, **parameters)
        regret[run] = np.cumsum(table[path[:, 0], path[:, 1]])[places]
    return regret


def kernel_regret(algorithm, matrix: PreferenceMatrix, checkpoints, runs, seed, kind="copeland", stepping=False):
    """Return the (runs, checkpoints) cumulative regret of our engine, other seeds than the reference's."""
    tables = regret_table(matrix, kind)[None]
    regret = np.empty((runs, len(checkpoints)))
    for run in range(runs):
        environment, policy = streams(seed + 1_000_003, run)
        course = simulate(algorithm, matrix.P, tables, np.asarray(checkpoints), environment, policy, stepping=stepping)
        regret[run] = course.regret[0]
    return regret


def kernel_path(algorithm, matrix: PreferenceMatrix, horizon: int, seed: int) -> np.ndarray:
    """Return the (horizon, 2) arms of a run, played round by round, with the streams that a reference run 0 has."""
    environment, policy = streams(seed, 0)
    state = algorithm.start(matrix.arms, horizon)
    path = np.empty((horizon, 2), int)
    for t in range(1, horizon + 1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert count == 1
        path[t - 1] = first, second
        wins = int(environment.random() < matrix.P[first, second]) if first != second else 0
        algorithm.update(state, first, second, wins, 1)
    return path


def disagreement(a: np.ndarray, b: np.ndarray) -> float:
    """Return the smallest p-value, over checkpoints, that two (runs, checkpoints) samples have one distribution.

    Kolmogorov–Smirnov and Welch's t, each column by itself; multiply by the number of tests for a family-wise level.
    """
    p = 1.0
    for x, y in zip(a.T, b.T, strict=True):
        if np.ptp(np.concatenate([x, y])) == 0.0:
            continue
        p = min(p, stats.ks_2samp(x, y, method="asymp").pvalue)
        if np.var(x) + np.var(y) > 0.0:
            p = min(p, stats.ttest_ind(x, y, equal_var=False).pvalue)
    return float(p)


def resolution(a: np.ndarray, b: np.ndarray) -> float:
    """Return the relative difference of final mean regret that four standard errors can see."""
    x, y = a[:, -1], b[:, -1]
    error = np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
    return float(4.0 * error / max(x.mean(), y.mean()))
