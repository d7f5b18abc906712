"""RCS against its reference, in distribution, and its holds against stepping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.conformance.statistics import disagreement, resolution
from duelbench.literal import rcs
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import LinearOrder
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES, kernel_regret
from tests.paths import counts_of_answers, share_of_the_winner

MORE = MATRICES | {
    "two arms": order(2, 0.65),
    "tennis8, with 0 and 1": TABLES["tennis8"].matrix(),
    "three winners": order(5, 0.9, winners=3),
}


def crowd_pick(mask, policy):
    """Pick, in every row, one of the places where ``mask`` is True; a single one needs no draw."""
    counts = mask.sum(axis=1)
    chosen = np.zeros(len(mask), int)
    chosen[counts > 1] = policy.random((counts > 1).sum()) * counts[counts > 1]
    return (np.cumsum(mask, axis=1) == chosen[:, None] + 1).argmax(axis=1)


def least_chosen(chosen):
    return chosen == chosen.min(axis=1, keepdims=True)


def crowd_rcs(P, horizon, policy, environment, runs, alpha=0.51, winner=np.greater_equal, fallback=least_chosen):
    """Return the (runs, horizon, 2) arms of the reference in many runs at once; with one run, by the same draws."""
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
        champions = (winner(theta, 0.5) | np.eye(K, dtype=bool)).all(axis=2)
        nobody = ~champions.any(axis=1)
        champions[nobody] = fallback(chosen)[nobody]
        c = crowd_pick(champions, policy)
        chosen[every, c] += 1
        won, lost = w[every, :, c], w[every, c, :]
        n = won + lost
        seen = np.maximum(n, 1)
        rivals = (n == 0) | ((won - lost) ** 2 / (4 * seen) <= alpha * np.log(t)) | (won > lost)
        rivals[every, c] = False
        u = np.where(n == 0, 2.0, won / seen + np.sqrt(alpha * np.log(t) / seen))
        u[~rivals] = -1.0
        u[every, c] = np.where(rivals.any(axis=1), -2.0, 0.5)
        d = crowd_pick(u == u.max(axis=1, keepdims=True), policy)
        path[:, t - 1] = np.stack([c, d], axis=1)
        duelled = np.flatnonzero(c != d)
        i, j = c[duelled], d[duelled]
        first_wins = environment.random(len(duelled)) < P[i, j]
        w[duelled, np.where(first_wins, i, j), np.where(first_wins, j, i)] += 1
    return path


def crowd_regret(matrix, checkpoints, runs, seed, **parameters):
    environment, policy = streams(seed, 0)
    path = crowd_rcs(matrix.P, checkpoints[-1], policy, environment, runs, **parameters)
    table = regret_table(matrix, "copeland")
    return np.cumsum(table[path[..., 0], path[..., 1]], axis=1)[:, np.array(checkpoints) - 1]


@pytest.mark.parametrize("name", ["cyclic4", "random10", "two arms", "three winners"])
def test_the_crowd_of_rcs_is_its_reference(name):
    matrix = MORE[name]
    environment, policy = streams(1, 0)
    expected = rcs.run(matrix.P, 300, policy, environment)
    environment, policy = streams(1, 0)
    assert np.array_equal(crowd_rcs(matrix.P, 300, policy, environment, 1)[0], expected)


@pytest.mark.parametrize("name", MATRICES)
def test_rcs_agrees_with_its_reference(name):
    checkpoints = [80, 300]
    expected = crowd_regret(MATRICES[name], checkpoints, 2000, 7)
    held = kernel_regret(Rcs(), MATRICES[name], checkpoints, 2000, 7)
    assert disagreement(expected, held) > 1e-4
    assert resolution(expected, held) < 0.08


def test_the_comparison_of_rcs_notices_mistakes():
    matrix, checkpoints = order(4, 0.8), [80, 300]
    right = kernel_regret(Rcs(), matrix, checkpoints, 2000, 7)
    assert disagreement(crowd_regret(matrix, checkpoints, 2000, 7), right) > 1e-4
    mistakes = (
        {"alpha": 0.51 * 1.2},
        {"winner": np.less_equal},  # the arm that loses to all others
        {"fallback": lambda chosen: np.ones(chosen.shape, bool)},  # any arm when nobody wins the tournament
    )
    for mistake in mistakes:
        assert disagreement(crowd_regret(matrix, checkpoints, 2000, 7, **mistake), right) < 1e-6, mistake


def test_rcs_knows_the_chances_of_the_tournament():
    matrix = MATRICES["random10"]
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


@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "tennis8, with 0 and 1", "three winners", "all tied"])
def test_nothing_breaks_without_a_condorcet_winner(name):
    matrix = PreferenceMatrix(np.full((5, 5), 0.5)) if name == "all tied" else MORE[name]
    course = simulate(Rcs(), matrix.P, pair_tables(matrix.arms), np.array([1, 1000, 300_000]), *streams(1, 0))
    assert course.duels.sum() == 300_000


def test_feedback_may_come_late():
    assert share_of_the_winner(Rcs(), delay=7) > 0.9


def test_a_hundred_million_rounds_cost_the_informative_duels():
    """By answers, not by the clock: a converged run gives far fewer of them than it plays rounds."""
    matrix = LinearOrder(arms=4).draw(np.random.default_rng(0))
    assert len(counts_of_answers(Rcs(), matrix, 10**8, 1)) < 20_000
