"""Tsallis-INF: its chances to ten digits, wherever the search begins; and estimates of losses that have no bias."""

import numpy as np
import pytest

from duelbench.algorithms.reductions.tsallis_inf import find_chances, new_players, weigh, weigh_less


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
def test_chances_to_ten_digits_wherever_the_search_begins(K, t, kind):
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
def test_where_the_search_ends_at_once_there_are_eleven_digits(K):
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
def test_chances_to_ten_digits_from_round_to_round(K):
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


def test_falling_losses_leave_the_search_below_all_of_them():
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
def test_estimates_have_no_bias(share):
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
