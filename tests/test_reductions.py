"""Reductions to bandits: what the paths in catalogue.py do not test."""

from collections import deque

import numpy as np
import pytest

from duelbench.algorithms.reductions.doubler import Doubler
from duelbench.algorithms.reductions.versatile_db import find_chances, new_players, weigh, weigh_less
from duelbench.conformance.rounds import streams
from tests.instances import INSTANCES

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.mark.parametrize("delay", [7, 300])
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


# Tsallis-INF: its probabilities to ten digits


def by_bisection(losses, eta):
    """Return the probabilities in extended precision, if the machine supports it."""
    gap = np.asarray(losses, np.longdouble) - losses.min()
    eta = np.longdouble(eta)
    low, high = -2 * np.sqrt(np.longdouble(len(gap))) / eta, -2 / eta
    for _ in range(80):
        x = (low + high) / 2
        low, high = (low, x) if (4 / (eta * (gap - x)) ** 2).sum() > 1 else (x, high)
    return 4 / (eta * (gap - low)) ** 2


def losses(K, t, kind, rng):
    """Return losses after t rounds: equal, similar or far apart, plus a common loss."""
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


def test_tsallis_falling_losses():
    """Losses may fall with thousands of late outcomes, all weighted by the same probabilities."""
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
    """On average over the drawn arm, losses grow by ``share`` times the true losses, up to a common constant."""
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
