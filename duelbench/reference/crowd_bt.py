"""Crowd-BT without judges (Chen et al., WSDM 2013): the duel with the largest expected information.

1. Arm i has strength N(mu[i], s[i]): at first N(0, prior_variance).
2. If a beats b, with p = sigma(mu[a] - mu[b]): mu[a] += s[a] (1 - p), mu[b] -= s[b] (1 - p), and for both
   s[x] *= max(1 - s[x] p (1 - p), 1e-4).
3. The gain of a pair is c KL(after a wins || now) + (1 - c) KL(after b wins || now), each the sum over both arms of
   KL(m, v || m0, v0) = (v/v0 - 1 - ln(v/v0) + (m - m0)^2/v0) / 2, and c = p + (s[a] + s[b]) p (1 - p) (1 - 2p) / 2.
4. Duel the pair with the largest gain, one of several at random (tolerance 1e-12).
"""

import math
from itertools import combinations

import numpy as np

from .arithmetic import first_wins, pick


def logistic(x):
    return 1 / (1 + math.exp(-x))


def after(mu, s, winner, loser):
    """Step 2: the new means and variances."""
    p = logistic(mu[winner] - mu[loser])
    mu, now, s = mu.copy(), s, s.copy()
    mu[winner] += now[winner] * (1 - p)
    mu[loser] -= now[loser] * (1 - p)
    for arm in (winner, loser):
        s[arm] = now[arm] * max(1 - now[arm] * p * (1 - p), 1e-4)
    return mu, s


def divergence(m, v, m0, v0):
    return (v / v0 - 1 - np.log(v / v0) + (m - m0) ** 2 / v0).sum() / 2


def gain(mu, s, a, b):
    """Step 3."""
    p = logistic(mu[a] - mu[b])
    c = p + (s[a] + s[b]) * p * (1 - p) * (1 - 2 * p) / 2
    return c * divergence(*after(mu, s, a, b), mu, s) + (1 - c) * divergence(*after(mu, s, b, a), mu, s)


def run(P, horizon, policy, environment, prior_variance=1.0):
    K = len(P)
    pairs = list(combinations(range(K), 2))
    mu, s = np.zeros(K), np.full(K, prior_variance)
    path = np.empty((horizon, 2), dtype=int)
    for t in range(horizon):
        gains = [gain(mu, s, *pair) for pair in pairs]
        best = [pair for pair, each in zip(pairs, gains, strict=True) if each >= max(gains) - 1e-12]
        i, j = path[t] = pick(best, policy)
        mu, s = after(mu, s, *((i, j) if first_wins(P, i, j, environment) else (j, i)))
    return path
