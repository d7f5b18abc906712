"""Reductions to bandits: what paths do not show (catalogue.py)."""

from collections import deque

import numpy as np
import pytest

from duelbench.algorithms.reductions.doubler import Doubler
from duelbench.algorithms.reductions.multisbm import MultiSbm
from duelbench.algorithms.reductions.sparring import Sparring
from duelbench.algorithms.reductions.tsallis_inf import find_chances, new_players, weigh, weigh_less
from duelbench.algorithms.reductions.versatile_db import VersatileDb
from duelbench.conformance.paths import engine_path
from duelbench.conformance.rounds import streams
from tests.instances import INSTANCES

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.mark.parametrize("kind", [Doubler, MultiSbm, Sparring])
def test_alpha_is_that_of_the_bandits(kind):
    for algorithm, alpha in ((kind(), 3.0), (kind(alpha=2.5), 2.5)):
        assert algorithm.start(4, 100)[0].alpha == alpha
    with pytest.raises(ValueError, match="greater than 0"):
        kind(alpha=0.0)


def test_doubler_epochs():
    matrix = INSTANCES["six-rankers"]
    arms = engine_path(Doubler(), matrix, 2 + 4 + 8 + 16, 11)
    assert len(set(arms[:2, 0])) == 1
    for start, length in ((2, 4), (6, 8), (14, 16)):
        before = set(arms[start - length // 2 : start, 1])
        assert set(arms[start : start + length, 0]) <= before
        # A new bandit begins with arms that it has not played yet.
        assert len(set(arms[start : start + min(length, matrix.arms), 1])) == min(length, matrix.arms)


@pytest.mark.parametrize("delay", [1, 7, 300])
def test_doubler_hears_of_its_epoch_alone(delay):
    matrix, algorithm = INSTANCES["six-rankers"], Doubler()
    environment, policy = streams(10, 0)
    state = algorithm.start(matrix.arms, 3000)
    waiting = deque()
    for t in range(1, 3001):
        first, second, count = algorithm.select(state, t, t, policy)
        assert count == 1
        waiting.append((first, second, 0 if first == second else int(environment.random() < matrix.P[first, second])))
        if len(waiting) > delay:
            algorithm.update(state, *waiting.popleft(), 1)
    # The epoch that 3000 falls into began after round 2 + 4 + … + 1024 = 2046.
    heard = 3000 - 2046 - delay
    self_duels_waiting = sum(first == second for first, second, _ in waiting)
    assert state.bandit.total[0] == heard + self_duels_waiting


def test_multisbm_rewards():
    state = MultiSbm().start(3, 100)
    MultiSbm.update(state, 0, 2, 1, 4)
    assert (state.bandits.plays[0, 2], state.bandits.won[0, 2]) == (4, 3)
    MultiSbm.update(state, 1, 1, 0, 1)  # heard when it was chosen
    assert state.bandits.plays.sum() == 4


def test_sparring_rewards_one_side():
    P = INSTANCES["six-rankers"].P
    environment, policy = streams(3, 0)
    state, plays, self_duels = Sparring().start(6, 500), np.zeros((2, 6), int), 0
    for t in range(1, 501):
        first, second, _ = Sparring.select(state, t, t, policy)
        plays[0, first] += 1
        plays[1, second] += 1
        self_duels += first == second
        Sparring.update(state, first, second, int(first != second and environment.random() < P[first, second]), 1)
    assert np.array_equal(state.bandits.plays, plays)
    assert state.bandits.won.sum() == 500  # one reward in every round, for the coin of a self-duel, too
    assert 0 < self_duels < 500


def test_versatile_db_teaches_one_player():
    P, algorithm = INSTANCES["six-rankers"].P, VersatileDb()
    environment, policy = streams(3, 0)
    state, self_duels = algorithm.start(6, 500), 0
    for t in range(1, 501):
        before = state.players.loss.copy()
        first, second, count = algorithm.select(state, t, 500, policy)
        assert count == 1
        self_duels += first == second
        algorithm.update(state, first, second, int(first != second and environment.random() < P[first, second]), 1)
        grown = state.players.loss - before
        (m,), (arm,) = np.nonzero(grown)
        assert arm == (first, second)[m]
        assert grown[m, arm] == pytest.approx(1 / state.players.chance[m, arm])
    assert 0 < self_duels < 500


# Tsallis-INF: its chances to ten digits


def by_bisection(losses, eta):
    """The chances in extended precision, where the machine has it."""
    gap = np.asarray(losses, np.longdouble) - losses.min()
    eta = np.longdouble(eta)
    low, high = -2 * np.sqrt(np.longdouble(len(gap))) / eta, -2 / eta
    for _ in range(80):
        x = (low + high) / 2
        low, high = (low, x) if (4 / (eta * (gap - x)) ** 2).sum() > 1 else (x, high)
    return 4 / (eta * (gap - low)) ** 2


def losses(K, t, kind, rng):
    """Losses such as they are after t rounds: all alike, far apart, or one far behind, on top of what all have lost."""
    spread = {"alike": 0.0, "near": np.sqrt(t), "apart": 10.0 * t, "tiny": 1e-3}[kind]
    return spread * rng.exponential(size=K) ** 2 + t / 2


def distance(p, q):
    return float(np.abs(p - q).sum() / 2)


@pytest.mark.parametrize("K", [2, 5, 1000])
@pytest.mark.parametrize("t", [1, 30, 10**4, 10**8])
@pytest.mark.parametrize("kind", ["alike", "tiny", "near", "apart"])
def test_tsallis_chances_from_any_start(K, t, kind):
    rng = np.random.default_rng(K)
    for scale in (0.5, 2.0, 4.0):
        eta = scale / np.sqrt(t)
        players = new_players(1, K, eta)
        players.loss[0] = losses(K, t, kind, rng)
        right = by_bisection(players.loss[0], eta)
        least = players.loss[0].min()
        for start in (-2.0, -2.0 * np.sqrt(K), -1e3 * K, -1e-3):  # times 1/η from the least loss
            players.root[0] = least + start / eta
            find_chances(players, 0, eta)
            assert distance(players.chance[0], right) < 1e-10
            assert abs(players.chance[0].sum() - 1) < 1e-10


@pytest.mark.parametrize("K", [2, 5, 1000])
def test_tsallis_chances_from_close_starts(K):
    """It begins so close to x that the first step may be the last, or has just to be taken."""
    rng = np.random.default_rng(K)
    eta = 2.0 / 100
    players = new_players(1, K, eta)
    players.loss[0] = rng.exponential(200, size=K)
    find_chances(players, 0, eta)
    right, root = by_bisection(players.loss[0], eta), players.root[0]
    away = players.loss[0].min() - root
    for part in (-1e-4, -1e-5, -3e-6, -9e-7, 9e-7, 3e-6, 1e-5, 1e-4):
        players.root[0] = root + part * away
        find_chances(players, 0, eta)
        assert distance(players.chance[0], right) < 1e-11


@pytest.mark.parametrize("K", [2, 5, 1000])
def test_tsallis_chances_from_round_to_round(K):
    """From the last round's x, after a loss that may be as large as 1/p; now and then of the rarest arm."""
    rng = np.random.default_rng(K)
    for before in (0, 10**3, 10**8):
        players = new_players(2, K, 2.0)
        players.loss[:] = losses(2 * K, before, "near" if before else "alike", rng).reshape(2, K)
        players.root[:] = players.loss.min(axis=1) - 1
        for t in range(before + 1, before + 40):
            eta = 2.0 / np.sqrt(t)
            for m in range(2):
                find_chances(players, m, eta)
                assert distance(players.chance[m], by_bisection(players.loss[m], eta)) < 1e-10
                p = players.chance[m]
                weigh(players, m, int(p.argmin()) if t % 10 == 0 else int(rng.choice(K, p=p / p.sum())), 1.0, 1.0)


def test_tsallis_falling_losses():
    """Thousands of late outcomes, weighed one by one by the same chances."""
    eta, rng = 4.0 / np.sqrt(100), np.random.default_rng(1)
    players = new_players(1, 4, eta)
    players.loss[0] = [0.0, 5.0, 20.0, 200.0]
    find_chances(players, 0, eta)
    chance = players.chance[0].copy()
    for arm in rng.choice(4, 5000, p=chance / chance.sum()):
        weigh_less(players, 0, int(arm), 0.0, 1.0, eta)
        assert players.root[0] < players.loss[0].min()
    find_chances(players, 0, 4.0 / np.sqrt(5100))
    assert distance(players.chance[0], by_bisection(players.loss[0], 4.0 / np.sqrt(5100))) < 1e-10


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_tsallis_estimates_have_no_bias(share):
    """On average over the arm that is drawn all losses grow by share times what the arms lose, but for one number."""
    lost = np.array([1.0, 0.0, 1.0, 1.0])
    eta = 4.0 / np.sqrt(200)
    for estimate, number in (
        (lambda *given: weigh(*given, share), 0.0),
        (lambda *given: weigh_less(*given, share, eta), 0.5),
    ):
        start = np.array([0.0, 3.0, 20.0, 60.0])
        mean = np.zeros(4)
        for arm in range(4):
            players = new_players(1, 4, eta)
            players.loss[0] = start
            find_chances(players, 0, eta)
            assert number == 0.0 or 0 < (players.chance[0] < eta**2).sum() < 4
            estimate(players, 0, arm, lost[arm])
            mean += players.chance[0, arm] * (players.loss[0] - start)
        np.testing.assert_allclose(mean, share * (lost - number), atol=1e-9)
