"""RCS, CCB and SCB against their references, and their holds against stepping."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.algorithms.confidence.scb import LEFT, Scb
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.engine.simulate import simulate
from duelbench.literal import ccb, rcs, scb
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.sources.generators import LinearOrder
from duelbench.sources.tables import TABLES
from tests.comparison import (
    MATRICES,
    disagreement,
    kernel_path,
    kernel_regret,
    mutated,
    order,
    output_of,
    reference_regret,
    resolution,
    streams,
)

CIRCLE = order(5, 0.9, winners=3)
"""Three tied Copeland winners, large gaps."""

MORE = MATRICES | {
    "two arms": order(2, 0.65),
    "sushi16, with ties": TABLES["sushi16"].matrix(),
    "tennis8, with 0 and 1": TABLES["tennis8"].matrix(),
    "three winners": CIRCLE,
}


def curves(algorithm, matrix, kinds, checkpoints, runs, seed, stepping=False):
    """Return the (runs, kinds × checkpoints) regrets, and the (runs, K²) duels of every ordered pair."""
    tables = np.stack([regret_table(matrix, kind) for kind in kinds])
    regret, duels = [], []
    for run in range(runs):
        environment, policy = streams(seed, run)
        course = simulate(algorithm, matrix.P, tables, np.asarray(checkpoints), environment, policy, stepping=stepping)
        regret.append(course.regret.ravel())
        duels.append(course.duels.ravel())
    return np.array(regret), np.array(duels)


def play_round(algorithm, state, t, P, environment, policy):
    """Play round t by itself."""
    first, second, _ = algorithm.select(state, t, t, policy)
    wins = int(environment.random() < P[first, second]) if first != second else 0
    algorithm.update(state, first, second, wins, 1)


# The same path as the reference, draw for draw.


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("seed", [1, 2])
def test_ccb_plays_its_reference(name, seed):
    matrix = MORE[name]
    environment, policy = streams(seed, 0)
    expected = ccb.run(matrix.P, 1500, policy, environment)
    assert np.array_equal(kernel_path(Ccb(), matrix, 1500, seed), expected)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 1.3])
@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "random10", "three winners", "tennis8, with 0 and 1"])
def test_ccb_plays_its_reference_at_other_alphas(name, alpha, monkeypatch):
    matrix = MORE[name]
    trimmed = []
    subset = ccb.random_subset
    monkeypatch.setattr(ccb, "random_subset", lambda *inputs: trimmed.append(inputs) or subset(*inputs))
    environment, policy = streams(3, 0)
    expected = ccb.run(matrix.P, 2500, policy, environment, alpha=alpha)
    assert np.array_equal(kernel_path(Ccb(alpha=alpha), matrix, 2500, 3), expected)
    if alpha < 1 and matrix.arms > 5:
        assert trimmed  # the random part of line 9C was seen


def test_a_wrong_ccb_plays_another_path():
    matrix = MATRICES["mslr5-non-condorcet"]
    environment, policy = streams(1, 0)
    expected = ccb.run(matrix.P, 1500, policy, environment)
    assert not np.array_equal(kernel_path(Ccb(alpha=0.51 * 1.02), matrix, 1500, 1), expected)


@pytest.mark.parametrize("name", [*MORE, "fast"])
@pytest.mark.parametrize("seed", [1, 2])
def test_scb_plays_its_reference(name, seed):
    matrix = order(6, 0.97) if name == "fast" else MORE[name]
    environment, policy = streams(seed, 0)
    expected = scb.run(matrix.P, 4000, policy, environment)
    assert np.array_equal(kernel_path(Scb(), matrix, 4000, seed), expected)
    if name == "fast":
        assert expected[-1, 0] == expected[-1, 1] == 0  # an arm was found


def test_scb_plays_its_reference_through_elimination_and_into_the_next_round():
    matrix = order(40, 1.0)
    horizon = 4 + 16 + 256 + 65536 + 2000
    environment, policy = streams(1, 0)
    expected = scb.run(matrix.P, horizon, policy, environment)
    found = expected[:, 0] == expected[:, 1]
    assert found[60_000:65_812].all() and not found[65_812:].any()
    assert np.array_equal(kernel_path(Scb(), matrix, horizon, 1), expected)
    # Arms were dropped before all of their pairs were known.
    environment, policy = streams(1, 0)
    algorithm, t = Scb(), 1
    state = algorithm.start(40, horizon)
    while t < 30_000:
        first, second, count = algorithm.select(state, t, t, policy)
        algorithm.update(
            state, first, second, int(first != second and environment.random() < matrix.P[first, second]), 1
        )
        t += count
    assert state.cursor[LEFT] < 40
    assert state.unknown[~state.remaining].max() > 0


# Holds.


@pytest.mark.parametrize("name", ["six-rankers", "mslr5-condorcet", "cyclic4", "random10", "two arms"])
def test_ccb_with_one_winner_holds_along_the_path_of_stepping(name):
    checkpoints = [10, 300, 10_000, 200_000]
    held, held_duels = curves(Ccb(), MORE[name], ["copeland"], checkpoints, 3, 5)
    stepped, stepped_duels = curves(Ccb(), MORE[name], ["copeland"], checkpoints, 3, 5, stepping=True)
    assert np.array_equal(held, stepped)
    assert np.array_equal(held_duels, stepped_duels)


def test_ccb_does_not_hold_in_the_round_of_a_late_reset():
    """Line 9B may empty S after the removals: they are due again in the next round, draws included."""
    paths = []
    for last in (2, 1000):
        algorithm, policy = Ccb(), np.random.default_rng(1)
        state = algorithm.start(4, 1000)
        algorithm.select(state, 1, 1, policy)
        for winner, loser in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
            algorithm.update(state, winner, loser, 100, 100)
        state.shortlist[:] = [False, True, False, True]
        assert algorithm.select(state, 2, last, policy) == (0, 0, 1)
        assert state.shortlist.all() and state.most_losses[0] == 0
        first, second, count = algorithm.select(state, 3, last + 1, policy)
        assert (first, second, count) == (0, 0, last - 1)
        assert state.shortlist.tolist() == [True, False, False, False]
        assert state.size.tolist() == [0, 1, 1, 1]
        algorithm.select(state, 3 + count, 3 + count, policy)
        paths.append((state.beaters.tolist(), policy.random()))
    assert paths[0] == paths[1]


def test_ccb_shares_a_hold_between_tied_winners(tmp_path):
    def play(algorithm, seed, stepping=False):
        return curves(algorithm, CIRCLE, ["copeland", "borda"], [500, 2000, 5000], 800, seed, stepping)

    stepped, stepped_duels = play(Ccb(), 1, stepping=True)
    held, held_duels = play(Ccb(), 2)
    assert disagreement(stepped, held) > 1e-4
    assert disagreement(stepped_duels, held_duels) > 1e-5
    self_duels = held_duels[:, [0, 6, 12]]
    assert self_duels.sum() > 0.5 * held_duels.sum()
    # Giving the rounds of a hold to a single winner at random leaves the means as they are, but not the distribution.
    wrong = mutated("ccb", {"contenders > 1 and count > 1": "contenders > 5 and count > 1"}, tmp_path, "Ccb")()
    assert disagreement(stepped_duels, play(wrong, 2)[1]) < 1e-9


def test_rcs_holds_like_stepping(tmp_path):
    """With a small α, so that a safe arm is often not that safe and holds are short."""
    matrix, checkpoints = order(4, 0.8), [100, 1000, 5000]

    def play(algorithm, seed, stepping=False):
        return curves(algorithm, matrix, ["copeland", "strong"], checkpoints, 1500, seed, stepping)

    stepped, stepped_duels = play(Rcs(alpha=0.1), 1, stepping=True)
    held, held_duels = play(Rcs(alpha=0.1), 2)
    assert disagreement(stepped, held) > 1e-4
    assert disagreement(stepped_duels, held_duels) > 1e-5
    assert resolution(stepped, held) < 0.1
    wrong = mutated("rcs", {"/ log_quiet if": "/ log_quiet * 1.5 if"}, tmp_path, "Rcs")(alpha=0.1)
    assert disagreement(stepped, play(wrong, 2)[0]) < 1e-6


@pytest.mark.parametrize("name", ["mslr5-condorcet", "six-rankers"])
def test_rcs_holds_like_stepping_with_small_gaps(name):
    stepped = kernel_regret(Rcs(), MATRICES[name], [1000, 30_000], 300, 1, stepping=True)
    held = kernel_regret(Rcs(), MATRICES[name], [1000, 30_000], 300, 2)
    assert disagreement(stepped, held) > 1e-4


def test_scb_duels_in_blocks_like_stepping(tmp_path):
    matrix, checkpoints = order(4, 0.75), [150, 276, 900, 3000]

    def play(algorithm, seed, stepping=False):
        return curves(algorithm, matrix, ["copeland"], checkpoints, 1500, seed, stepping)

    stepped, stepped_duels = play(Scb(), 1, stepping=True)
    held, held_duels = play(Scb(), 2)
    assert disagreement(stepped, held) > 1e-4
    assert disagreement(stepped_duels, held_duels) > 1e-5
    # Blocks that are too long, without the check.
    wrong = mutated("scb", {"int(0.75 *": "int(2.5 *", "duels < 8 or m *": "duels < 8 or 0 * m *"}, tmp_path, "Scb")()
    assert disagreement(stepped, play(wrong, 2)[0]) < 1e-6


def test_a_block_of_scb_never_hides_a_decision():
    """However the duels of a block end, the pair could not have been decided before its last one."""
    rng = np.random.default_rng(4)
    algorithm = Scb()
    for p in (0.5, 0.55, 0.8, 1.0):
        state = algorithm.start(2, 10**9)
        t, longest = 1, 0
        while t < 60_000:
            first, second, count = algorithm.select(state, t, 10**9, rng)
            if first == second:
                t += count
                continue
            longest = max(longest, count)
            won, lost = state.wins[first, second], state.wins[second, first]
            level = float(state.budget[1]) / 4
            for extra in range(1, count):
                for w, n in ((won + extra, won + lost + extra), (won, won + lost + extra)):
                    assert n * scb.kl(w / n, 0.5) <= scb.exploration(n, level)
            algorithm.update(state, first, second, int(rng.binomial(count, p)), count)
            t += count
        assert longest > 10


# In distribution.


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


@pytest.mark.parametrize("name", ["cyclic4", "three winners"])
def test_ccb_agrees_with_its_reference_in_distribution(name):
    expected = reference_regret(ccb, MORE[name], [100, 400], 200, 11)
    assert disagreement(expected, kernel_regret(Ccb(), MORE[name], [100, 400], 200, 11)) > 1e-4


def test_the_comparison_of_ccb_notices_a_mistake():
    right = kernel_regret(Ccb(), CIRCLE, [100, 400], 200, 11)
    assert disagreement(reference_regret(ccb, CIRCLE, [100, 400], 200, 11, alpha=0.51 * 1.2), right) < 1e-3


def test_scb_agrees_with_its_reference_in_distribution():
    matrix, checkpoints = order(3, 0.85), [200, 700, 1500]
    right = kernel_regret(Scb(), matrix, checkpoints, 400, 13)
    assert disagreement(reference_regret(scb, matrix, checkpoints, 400, 13), right) > 1e-4
    assert disagreement(reference_regret(scb, matrix, checkpoints, 400, 13, scale=1.2), right) < 1e-6


# Everywhere.


@pytest.mark.parametrize("algorithm", [Rcs(), Ccb(), Scb()], ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize("name", ["mslr5-non-condorcet", "tennis8, with 0 and 1", "three winners", "all tied"])
def test_nothing_breaks_without_a_condorcet_winner(algorithm, name):
    matrix = PreferenceMatrix(np.full((5, 5), 0.5)) if name == "all tied" else MORE[name]
    environment, policy = streams(1, 0)
    checkpoints = np.array([1, 1000, 300_000])
    course = simulate(algorithm, matrix.P, regret_table(matrix, "copeland")[None], checkpoints, environment, policy)
    assert course.duels.sum() == 300_000


@pytest.mark.parametrize("algorithm", [Rcs(), Ccb(), Scb()], ids=lambda algorithm: algorithm.name)
def test_a_hundred_million_rounds_cost_the_informative_duels(algorithm):
    """By duels, not by the clock: a converged run asks far fewer questions than it plays rounds."""
    matrix = LinearOrder(arms=4).draw(np.random.default_rng(0))
    calls = 0
    state = algorithm.start(4, 10**8)
    environment, policy = streams(1, 0)
    t = 1
    while t <= 10**8:
        last = 10 ** len(str(t))
        first, second, count = algorithm.select(state, t, last, policy)
        wins = int(environment.binomial(count, matrix.P[first, second])) if first != second else 0
        algorithm.update(state, first, second, wins, count)
        calls += 1
        t += count
    assert calls < 20_000


@pytest.mark.parametrize("algorithm", [Rcs(), Ccb(), Scb()], ids=lambda algorithm: algorithm.name)
def test_feedback_may_come_late(algorithm):
    matrix = order(4, 0.9)
    environment, policy = streams(1, 0)
    state = algorithm.start(4, 20_000)
    waiting, t, arms = [], 1, np.zeros(4, int)
    while t <= 20_000:
        first, second, count = algorithm.select(state, t, 20_000, policy)
        wins = int(environment.binomial(count, matrix.P[first, second])) if first != second else 0
        waiting.append((first, second, wins, count))
        if len(waiting) > 7:
            algorithm.update(state, *waiting.pop(0))
        if t + count > 10_000:
            np.add.at(arms, [first, second], count)
        t += count
    assert arms[0] > 0.9 * arms.sum()


SCRIPT = """
import hashlib
import numpy as np
from duelbench.algorithms.confidence.ccb import Ccb
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.algorithms.confidence.scb import Scb
from duelbench.engine.simulate import simulate
P = np.array({P!r})
table = np.arange(float(P.size)).reshape(1, *P.shape)
for algorithm in (Rcs(), Ccb(), Scb()):
    streams = [np.random.default_rng([5, k]) for k in range(2)]
    course = simulate(algorithm, P, table, np.array([1, 10, 700, 8000]), *streams)
    print(hashlib.sha256(course.regret.tobytes() + course.duels.tobytes()).hexdigest(), algorithm.compiled())
"""


def test_compiled_and_interpreted_runs_are_the_same():
    script = SCRIPT.format(P=order(5, 0.85, winners=3).P.tolist())
    answers = [[line.split() for line in output_of(script, interpreted=each).splitlines()] for each in (False, True)]
    assert [hash for hash, _ in answers[0]] == [hash for hash, _ in answers[1]]
    assert [compiled for _, compiled in answers[0]] == ["True"] * 3
    assert [compiled for _, compiled in answers[1]] == ["False"] * 3
