"""Hybrid-MST (Li et al., NeurIPS 2018): mutual information of the next vote and the difference of strengths.

1. Every arm has won half a duel against every other. Fit Bradley-Terry by maximum likelihood: g, and its covariance C.
2. The gain of a pair is H(E q) - E H(q), where q = sigma(x), x ~ N(g_i - g_j, C_ii + C_jj - 2 C_ij), with H the entropy
   in nats; by a Gauss-Hermite quadrature with 30 nodes.
3. Each of the first K (K - 1) / 2 duels is that of the pair with the largest gain, one of several at random.
4. Later ones come in batches: the spanning tree with the largest gains.

Only differences of strengths matter. So 1 is added to every entry of the information matrix, whose inverse then exists.
"""

import numpy as np

from .arithmetic import duel, no_counts
from .bradley_terry import information, log_posterior, logistic
from .random_order import shuffled
from .spanning_tree import best_pair, tree

NODES, WEIGHTS = np.polynomial.hermite.hermgauss(30)


def fitted(w):
    """Step 1: g. Newton's method from 0, whose step is halved until the likelihood grows."""
    n, g = w + w.T, np.zeros(len(w))
    for _ in range(100):
        slope = (w - n * logistic(g[:, None] - g[None, :])).sum(axis=1)
        step = np.linalg.solve(1 + information(n, g, 0), slope)
        while abs(step).max() > 1e-9 and log_posterior(w, g + step, 0) < log_posterior(w, g, 0):
            step = step / 2
        g = g + step
        if abs(step).max() < 1e-9:
            break
    return g


def entropy(q):
    q = np.clip(q, 1e-300, 1 - 1e-16)
    return -q * np.log(q) - (1 - q) * np.log(1 - q)


def gains(w):
    """Step 2, for every pair."""
    g = fitted(w)
    C = np.linalg.inv(1 + information(w + w.T, g, 0))
    variance = C.diagonal()[:, None] + C.diagonal()[None, :] - 2 * C
    weights = WEIGHTS / np.sqrt(np.pi)
    q = logistic((g[:, None] - g[None, :])[..., None] + np.sqrt(2 * np.maximum(variance, 0))[..., None] * NODES)
    return np.maximum(entropy(q @ weights) - entropy(q) @ weights, 1e-13)


def run(P, horizon, policy, environment):
    K = len(P)
    w, path, order = no_counts(K), [], list(range(K))
    while len(path) < horizon:
        gain = gains(np.array(w) + 0.5 * (1 - np.eye(K)))
        if len(path) < K * (K - 1) // 2:
            batch = [best_pair(gain, policy)]
        else:
            order = shuffled(order, policy)
            batch = tree(gain, order)
        for i, j in batch:
            duel(P, i, j, environment, w)
            path.append((i, j))
    return np.array(path[:horizon], dtype=int)
