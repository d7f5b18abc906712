"""D-TS, D-TS+ and RCS in whole runs: distributed as their reference implementations, thousands of runs at once.

Single rounds of D-TS are tested in test_thompson.py, holds in test_holds.py.
"""

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.thompson.dts import Dts
from duelbench.algorithms.thompson.dts_plus import DtsPlus
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.conformance.case import order
from duelbench.conformance.reference import course
from duelbench.conformance.rounds import streams
from duelbench.conformance.statistics import resolution
from duelbench.preferences.regret import regret_table
from tests.comparison import agreement, crowd, crowd_pick, crowd_regret, disagreement, kernel_regret
from tests.instances import INSTANCES
from tests.reference.rucb import rcs as reference_of_rcs
from tests.reference_paths import reference_course
from tests.thompson_runs import MATRICES, REFERENCE, Free, ours, tables_of

MARKS, RUNS = (5, 100, 250), 1500
FEWER = {"six-rankers": 600, "cyclic4": 600, "random10": 1200}
"""Numbers of runs on matrices that need fewer to show an equally small difference."""
KINDS = {"d-ts": (Dts, False), "d-ts+": (DtsPlus, True)}
kinds = pytest.mark.parametrize("kind", KINDS)


def reference(kind, matrix, marks=MARKS, runs=RUNS):
    return crowd_regret(MATRICES[matrix], marks, runs, 11, tables_of(MATRICES[matrix]), plus=KINDS[kind][1])


@kinds
@pytest.mark.parametrize("matrix", MATRICES)
def test_crowd_is_the_reference(kind, matrix):
    algorithm, plus = KINDS[kind]
    for seed in range(2):
        environment, policy = streams(seed, 0)
        path = [(i[0], j[0]) for i, j in crowd(MATRICES[matrix].P, 150, 1, policy, environment, plus=plus)]
        assert np.array_equal(path, reference_course(algorithm(), MATRICES[matrix], 150, seed)[0])


@kinds
@pytest.mark.parametrize("matrix", REFERENCE)
def test_runs_are_distributed_as_the_reference(kind, matrix):
    """Runs have the reference's distribution; differences of 7 % in mean regret would be four standard errors."""
    marks, runs = (100, 250) if matrix == "random10" else MARKS, FEWER.get(matrix, RUNS)
    a, b = reference(kind, matrix, marks, runs), ours(KINDS[kind][0](), MATRICES[matrix], marks, runs)
    assert agreement(a, b) > 0.001
    assert resolution(a[:, : len(marks)], b[:, : len(marks)]) < 0.07


@pytest.mark.slow
def test_free_rounds_are_the_reference():
    """Runs without holds have the reference's distribution; test_holds compares longer runs with them."""
    free = ours(Free(inner=Dts()), MATRICES["cyclic4"], MARKS, RUNS)
    assert agreement(reference("d-ts", "cyclic4"), free) > 0.001


# RCS


def crowd_rcs(P, horizon, policy, environment, runs):
    """Return the (runs, horizon, 2) arms of the reference in many runs at once; one run has the same draws."""
    K = len(P)
    above, below = np.triu_indices(K, 1)
    every = np.arange(runs)
    w = np.zeros((runs, K, K), int)
    chosen = np.zeros((runs, K), int)
    path = np.empty((runs, horizon, 2), int)
    for t in range(1, horizon + 1):
        theta = np.full((runs, K, K), 0.5)
        theta[:, above, below] = policy.beta(w[:, above, below] + 1, w[:, below, above] + 1)
        theta[:, below, above] = 1 - theta[:, above, below]
        champions = (theta >= 0.5).all(axis=2)
        nobody = ~champions.any(axis=1)
        champions[nobody] = (chosen == chosen.min(axis=1, keepdims=True))[nobody]
        c = crowd_pick(champions, policy)
        chosen[every, c] += 1
        won, lost = w[every, :, c], w[every, c, :]
        n = won + lost
        seen = np.maximum(n, 1)
        rivals = (n == 0) | ((won - lost) ** 2 / (4 * seen) <= 0.51 * np.log(t)) | (won > lost)
        rivals[every, c] = False
        u = np.where(n == 0, 2.0, won / seen + np.sqrt(0.51 * np.log(t) / seen))
        u[~rivals] = -1.0
        u[every, c] = np.where(rivals.any(axis=1), -2.0, 0.5)
        d = crowd_pick(u == u.max(axis=1, keepdims=True), policy)
        path[:, t - 1] = np.stack([c, d], axis=1)
        duelled = np.flatnonzero(c != d)
        i, j = c[duelled], d[duelled]
        first_wins = environment.random(len(duelled)) < P[i, j]
        w[duelled, np.where(first_wins, i, j), np.where(first_wins, j, i)] += 1
    return path


def rcs_regret(matrix, checkpoints, runs, seed):
    environment, policy = streams(seed, 0)
    path = crowd_rcs(matrix.P, checkpoints[-1], policy, environment, runs)
    table = regret_table(matrix, "copeland")
    return np.cumsum(table[path[..., 0], path[..., 1]], axis=1)[:, np.array(checkpoints) - 1]


@pytest.mark.parametrize("name", ["cyclic4", "random10", "two arms", "three winners"])
def test_rcs_crowd_is_the_reference(name):
    matrix = INSTANCES[name]
    environment, policy = streams(1, 0)
    expected, _ = course(reference_of_rcs(matrix.P, 300, policy, environment), 300)
    environment, policy = streams(1, 0)
    assert np.array_equal(crowd_rcs(matrix.P, 300, policy, environment, 1)[0], expected)


@pytest.mark.parametrize("name", REFERENCE[:5])
def test_rcs_beside_reference(name):
    checkpoints = [80, 300]
    expected = rcs_regret(INSTANCES[name], checkpoints, 500, 7)
    held = kernel_regret(Rcs(), INSTANCES[name], checkpoints, 500, 7)
    assert disagreement(expected, held) > 1e-4
    assert resolution(expected, held) < 0.1


def test_rcs_runs_with_large_gaps():
    """Runs with large gaps detect a wrong α."""
    matrix, checkpoints = order(4, 0.8), [30, 100]
    expected = rcs_regret(matrix, checkpoints, 1000, 7)
    assert disagreement(expected, kernel_regret(Rcs(), matrix, checkpoints, 1000, 7)) > 1e-4


def test_rcs_chances_of_the_tournament():
    matrix = INSTANCES["random10"]
    algorithm = Rcs()
    environment, policy = streams(2, 0)
    state = algorithm.start(10, 400)
    for t in range(1, 401):
        first, second, _ = algorithm.select(state, t, t, policy)
        algorithm.update(
            state, first, second, int(first != second and environment.random() < matrix.P[first, second]), 1
        )
    wins = state.comparisons.wins
    above_half = stats.beta.sf(0.5, wins + 1, wins.T + 1)
    np.fill_diagonal(above_half, 1.0)
    np.testing.assert_allclose(state.sweep, above_half.prod(axis=1), rtol=1e-8)


def test_rcs_counts_the_champion_of_every_round(interpreted):
    rcs, P, rng, longest, t = Rcs(), order(3, 0.8).P, np.random.default_rng(1), 0, 1
    state = rcs.start(3, 5000)
    while t <= 5000:
        first, second, count = rcs.select(state, t, 5000, rng)
        longest = max(longest, count)
        rcs.update(state, first, second, rng.binomial(count, P[first, second]), count)
        t += count
    assert state.chosen.sum() == 5000
    assert longest > 10


def test_rcs_longest_hold(interpreted):
    """A champion that has beaten all is held at most until the last round in which all its pairs are decided."""
    rcs, P, rng, t, cut = Rcs(), order(3, 0.8).P, np.random.default_rng(1), 1, 0
    state = rcs.start(3, 10**6)
    while t <= 10**6:
        first, second, count = rcs.select(state, t, 10**6, rng)
        if count > 1:
            won, lost = np.delete([state.comparisons.wins[first], state.comparisons.wins[:, first]], first, axis=1)
            lead = won / (won + lost) - 0.5
            longest = np.exp((lead**2 * (won + lost) / rcs.alpha).min())  # the bounds of round t have α log t
            assert t + count - 1 < longest
            cut += t + count >= longest
        rcs.update(state, first, second, rng.binomial(count, P[first, second]), count)
        t += count
    assert cut >= 5


def test_rcs_lengths_of_holds(interpreted):
    """A hold lasts while the champion wins, with probability q per round: k rounds or more with probability q^k."""
    rcs, rng, seen = Rcs(alpha=0.1), np.random.default_rng(1), []
    state = rcs.start(3, 10**6)
    for other in (1, 2):
        rcs.update(state, 0, other, 15, 20)
    q = stats.beta.sf(0.5, 16, 6) ** 2
    for _ in range(4000):
        state.hold[0].due = False
        *_, count = rcs.select(state, 100, 10**6, rng)
        seen.append(count if state.hold[0].due else 0)
    begins = np.array([0, 1, 10, 20, 40, 80, 10**6])
    expected = 4000 * -np.diff(q**begins)
    assert stats.chisquare(np.histogram(seen, begins)[0], expected).pvalue > 0.001
