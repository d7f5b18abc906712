"""Regret of our kernels, deliberately wrong copies of algorithms, and D-TS in thousands of runs at once."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy import special

from duelbench.algorithms import catalogue
from duelbench.compiling.cache import cache_directory
from duelbench.compiling.choice import tier
from duelbench.conformance.rounds import simulate, streams
from duelbench.conformance.statistics import p_values
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from tests.instances import INSTANCES

ROOT = Path(__file__).parents[1]
MATRICES = {
    name: INSTANCES[name] for name in ("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10")
}
"""With a Condorcet winner and without."""


def kernel_regret(algorithm, matrix: PreferenceMatrix, checkpoints, runs, seed, tables=None):
    """Return the cumulative regret of our engine, of shape (runs, kinds × checkpoints).

    The seeds differ from the seeds of the reference. ``tables`` has shape (kinds, K, K); by default, there is only the
    Copeland regret.
    """
    tables = regret_table(matrix, "copeland")[None] if tables is None else tables
    regret = np.empty((runs, len(tables) * len(checkpoints)))
    for run in range(runs):
        environment, policy = streams(seed + 1_000_003, run)
        course = simulate(algorithm, matrix.P, tables, np.asarray(checkpoints), environment, policy)
        regret[run] = course.regret.ravel()
    return regret


def python(*arguments, cwd=ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a separate process with the same import path; the process must succeed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def tiers_of(place):
    """Copy to a cache in ``place`` the record of which compiling tiers work, so that no process tries them again."""
    known = cache_directory()
    chosen = place / "duelbench" / "kernels" / known.name
    chosen.mkdir(parents=True)
    tier()
    for note in known.glob("tier-*.*"):
        (chosen / note.name).write_bytes(note.read_bytes())


def mutated(module: str, replacements: dict[str, str], directory: Path, name: str):
    """Return the class ``name`` of an algorithm's module, loaded as a user's file after replacing some of its text."""
    (source,) = (ROOT / "duelbench" / "algorithms").glob(f"**/{module}.py")
    text = source.read_text(encoding="utf-8")
    for old, new in replacements.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (directory / "wrong.py").write_text(text, encoding="utf-8")
    return catalogue.find(f"wrong.py:{name}", directory)


# D-TS in thousands of runs at once. With a single run, the draws are the same as in tests/reference, in the same order,
# so the path is the same (test_thompson_runs checks this). Many runs make small differences visible.


def crowd_choice(w, t, policy, alpha, plus):
    """Return the first and second arms by lines 4 to 14 of Algorithm 1 of Wu & Liu; ``w`` has shape (runs, K, K)."""
    runs, K = w.shape[:2]
    everyone = np.arange(runs)
    difference = w - w.swapaxes(1, 2)
    n = w + w.swapaxes(1, 2)
    undecided = difference**2 / (4 * np.maximum(n, 1)) <= alpha * math.log(t)
    score = np.sum(undecided | (difference > 0), axis=2)
    C = score == score.max(axis=1, keepdims=True)

    i, j = np.triu_indices(K, 1)
    theta = np.full((runs, K, K), 0.5)
    theta[:, i, j] = policy.beta(w[:, i, j] + 1, w[:, j, i] + 1)
    theta[:, j, i] = 1 - theta[:, i, j]
    votes = np.sum(theta > 0.5, axis=2)
    most = np.where(C, votes, -1)
    A = most == most.max(axis=1, keepdims=True)
    if plus:
        regret = np.where(A, crowd_estimated_regret(theta, votes), np.inf)
        A &= regret == regret.min(axis=1, keepdims=True)
    first = crowd_pick(A, policy)

    others = np.arange(K) != first[:, None]
    theta2 = np.full((runs, K), 0.5)
    theta2[others] = policy.beta(w[everyone, :, first][others] + 1, w[everyone, first][others] + 1)
    uncertain = (undecided | (difference < 0))[everyone, :, first]
    return first, np.argmax(np.where(uncertain, theta2, -1.0), axis=1)


def crowd_estimated_regret(theta, votes):
    """Return the sums over j of ``r̃[i, j] / kl(theta[i, j])`` of Section 4.3, of shape (runs, K)."""
    K = theta.shape[1]
    score = votes / (K - 1)
    loss = score.max(axis=1)[:, None, None] - (score[:, :, None] + score[:, None, :]) / 2
    divergence = special.xlogy(theta, 2 * theta) + special.xlogy(1 - theta, 2 * (1 - theta))
    ratio = np.where(loss > 0, np.inf, 0.0)
    np.divide(loss, divergence, out=ratio, where=(loss > 0) & (divergence > 0))
    ratio[theta == 0.5] = 0.0
    return ratio.sum(axis=2)


def crowd_pick(candidates, policy):
    """Return a random True column of each row; rows with only one True column draw nothing."""
    counts = candidates.sum(axis=1)
    place = np.zeros(len(counts), int)
    several = counts > 1
    place[several] = policy.random(several.sum()) * counts[several]
    return np.argmax(np.cumsum(candidates, axis=1) > place[:, None], axis=1)


def crowd(P, horizon, runs, policy, environment, alpha=0.51, plus=False):
    """Yield the first and second arms of each round up to the horizon, as arrays of shape (runs,)."""
    w = np.zeros((runs, len(P), len(P)), np.int64)
    for t in range(1, horizon + 1):
        first, second = crowd_choice(w, t, policy, alpha, plus)
        different = np.flatnonzero(first != second)
        i, j = first[different], second[different]
        won = environment.random(len(different)) < P[i, j]
        w[different, np.where(won, i, j), np.where(won, j, i)] += 1
        yield first, second


def crowd_regret(matrix: PreferenceMatrix, checkpoints, runs, seed, tables, plus=False):
    """Return the cumulative regrets of D-TS or, if ``plus``, D-TS+, of shape (runs, kinds × checkpoints)."""
    environment, policy = streams(seed, 0)
    total = np.zeros((runs, len(tables)))
    columns = []
    rounds = crowd(matrix.P, int(checkpoints[-1]), runs, policy, environment, plus=plus)
    for t, (first, second) in enumerate(rounds, start=1):
        total += tables[:, first, second].T
        if t in checkpoints:
            columns.append(total.copy())
    return np.stack(columns, axis=2).reshape(runs, -1)


def disagreement(a, b):
    """Return the smallest p-value for the hypothesis that two (runs, checkpoints) samples have one distribution."""
    return float(p_values(a, b).min(initial=1.0))


def agreement(a, b):
    """Return ``disagreement`` with a Bonferroni correction for both tests and all columns."""
    return min(1.0, 2 * a.shape[1] * disagreement(a, b))
