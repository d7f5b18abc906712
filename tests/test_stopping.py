"""Stopping when an arm is best with probability 0.95: how often it then is, though one looked after every few votes."""

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import Posterior, best_arms
from duelbench.sessions.standings import chances

UNTIL = 0.95


def expected(rng, arms):
    """A world as the posterior expects it before any vote."""
    return Posterior(counts(np.zeros((arms, arms)))).draw(rng).P


def bradley_terry(rng, arms):
    strength = rng.normal(0, 0.7, arms)
    return 1 / (1 + np.exp(strength[None, :] - strength[:, None]))


def unrelated(rng, arms):
    upper = np.triu(rng.uniform(0.2, 0.8, (arms, arms)), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(arms) / 2


def narrow(rng, arms):
    """The best arm beats each other one narrowly; these beat each other clearly, in cycles."""
    P = np.full((arms, arms), 0.5)
    for i in range(arms):
        for j in range(i + 1, arms):
            P[i, j] = 0.62 if i == 0 else 0.9 if (j - i) % 2 else 0.1
            P[j, i] = 1 - P[i, j]
    order = rng.permutation(arms)
    return P[np.ix_(order, order)]


def counts(wins):
    return PairCounts(tuple(map(str, range(len(wins)))), wins, np.zeros_like(wins))


def stopped(world, runs, arms, every, most, draws=300, times=1):
    """Return, of sessions that stopped, whether their arm was best, and with which probability it was said to be.

    The leader meets one of the arms with a chance to be best in two votes of three, as algorithms do; one looks after
    ``every`` so many votes, and takes each for so many ``times`` one.
    """
    right, promised = [], []
    for run in range(runs):
        rng = np.random.default_rng([12, run])
        P, wins, now = world(rng, arms), np.zeros((arms, arms)), np.full(arms, 1 / arms)
        for vote in range(1, most + 1):
            i, j = rng.choice(arms, 2, replace=False)
            if rng.random() < 2 / 3:
                i = int(now.argmax())
                others = np.where(np.arange(arms) == i, 0, now + 0.05)
                j = int(rng.choice(arms, p=others / others.sum()))
            winner, loser = (i, j) if rng.random() < P[i, j] else (j, i)
            wins[winner, loser] += 1
            if vote % every == 0:
                now = chances(counts(times * wins), draws=draws, seed=vote)
                if now.max() >= UNTIL:
                    right.append(best_arms(P, "copeland")[now.argmax()])
                    promised.append(now.max())
                    break
    return np.array(right), np.array(promised)


def test_who_stops_is_right_as_often_as_promised():
    right, promised = stopped(expected, 40, 3, 20, 160, draws=200)
    assert len(right) > 20
    assert right.mean() > promised.mean() - 3 * np.sqrt(UNTIL * (1 - UNTIL) / len(right))


def test_to_stop_too_early_is_noticed():
    right, promised = stopped(expected, 60, 3, 5, 20, draws=200, times=10)
    assert right.mean() < promised.mean() - 3 * np.sqrt(UNTIL * (1 - UNTIL) / len(right))


@pytest.mark.slow
@pytest.mark.parametrize("world", [expected, bradley_terry, unrelated, narrow])
def test_who_stops_is_right_in_many_worlds(world):
    """Where the prior is not right either: the share that is right may then fall short of 0.95 by a little."""
    right, promised = stopped(world, 150, 5, 20, 500)
    assert len(right) > 60
    assert right.mean() > promised.mean() - 0.04 - 3 * np.sqrt(UNTIL * (1 - UNTIL) / len(right))
