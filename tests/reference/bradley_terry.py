"""Doubt and gap variance: active sampling by the normal approximation to the posterior of Bradley-Terry strengths.

``P[i beats j] = 1 / (1 + exp(g[j] - g[i]))``; each arm has also won and lost ``ghosts`` duels against an arm of
strength 0. Every fit starts Newton's method at 0 and halves its step until the log-posterior increases.
"""

import math
from functools import cmp_to_key
from itertools import combinations, count, pairwise

import numpy as np

from .conventions import duel, in_proportion, no_counts, pick, shuffled


def logistic(x):
    return 1 / (1 + np.exp(-x))


def log_posterior(w, g, ghosts):
    prior = -ghosts * (np.logaddexp(0, g) + np.logaddexp(0, -g)).sum()
    return prior - (w * np.logaddexp(0, g[None, :] - g[:, None])).sum()


def information(n, g, ghosts):
    """The negative Hessian of the log-posterior, with n[i, j] votes on i and j."""
    p = logistic(g[:, None] - g[None, :])
    A = -n * p * (1 - p)
    own = 2 * ghosts * logistic(g) * logistic(-g)
    return A + np.diag(own - A.sum(axis=1))


def fitted(w, ghosts, added=0):
    """The posterior mode of g. ``added`` (1 without ghosts) is added to every entry of the information matrix."""
    w = np.array(w, dtype=float)
    n, g = w + w.T, np.zeros(len(w))
    for _ in range(100):
        slope = (w - n * logistic(g[:, None] - g[None, :])).sum(axis=1) + ghosts * (1 - 2 * logistic(g))
        step = np.linalg.solve(added + information(n, g, ghosts), slope)
        while abs(step).max() > 1e-9 and log_posterior(w, g + step, ghosts) < log_posterior(w, g, ghosts):
            step = step / 2
        g = g + step
        if abs(step).max() < 1e-9:
            break
    return g


def share_above(g, C, i, j):
    """f: the probability that arm i is stronger than arm j."""
    d, s = g[i] - g[j], math.sqrt(C[i, i] + C[j, j] - 2 * C[i, j])
    return math.erfc(-d / s / math.sqrt(2)) / 2


def order_doubt(g, C, i, j):
    """min(f, 1 - f); 1 - f is computed as the f of (j, i)."""
    return min(share_above(g, C, i, j), share_above(g, C, j, i))


def due(votes, last):
    """Whether to fit the strengths again: after every vote, and from 40 votes on after every 5 % more votes."""
    return last is None or votes - last >= max(1, last // 20)


def doubt(P, horizon, policy, environment, ghosts=1.0):
    """Doubt: draw the next pair in proportion to min(f, 1 - f), where f is the posterior probability of g_i > g_j.

    1. Fit the strengths to all votes, if due: g and its covariance C.
    2. Draw pair (i, j) with probability proportional to min(f, 1 - f).
    3. Ask for a vote on it.
    """
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w, last = no_counts(K), None
    for votes in count():
        # Step 1.
        if due(votes, last):
            g, last = fitted(w, ghosts), votes
            C = np.linalg.inv(information(np.add(w, np.transpose(w)), g, ghosts))
            weights = [max(order_doubt(g, C, i, j), 1e-300) for i, j in pairs]
        # Step 2.
        i, j = in_proportion(pairs, weights, policy)
        yield i, j
        # Step 3.
        duel(P, i, j, environment, w)


def gap_variance(P, horizon, policy, environment, ghosts=1.0):
    """Gap variance: the pair that lowers Sum_k weight_k Var(g_(k) - g_(k+1)) most, over neighbours in the order of g.

    0. A random order of the arms, for those with equal g.
    1. Fit the strengths to all votes, if due: g, its covariance C, and the order (1), (2), ... of the arms.
       a_k = e_(k) - e_(k+1); weight_k = min(f, 1 - f) / Var(a_k^T g), with f of the two arms (k) and (k+1).
    2. Update C, but not g, by the votes since the last fit. One more vote on (i, j) lowers Var(a^T g) by
       v (a^T C (e_i - e_j))^2 / (1 + v Var(g_i - g_j)), v = p (1 - p).
    3. Ask for a vote on the pair with the largest sum over k of weight_k times this reduction; break ties at random.
    """
    K = len(P)
    pairs = list(combinations(range(K), 2))
    e = np.eye(K)
    # Step 0.
    order = shuffled(range(K), policy)
    w, last = no_counts(K), None
    for votes in count():
        # Step 1.
        n = np.add(w, np.transpose(w))
        if due(votes, last):
            g, last = fitted(w, ghosts), votes
            C = np.linalg.inv(information(n, g, ghosts))
            ranked = by_strength(g, order)
            gaps = list(pairwise(ranked))
            a = np.array([e[upper] - e[lower] for upper, lower in gaps])
            weight = [order_doubt(g, C, *gap) / (a_k @ C @ a_k) for gap, a_k in zip(gaps, a, strict=True)]
            p = logistic(g[:, None] - g[None, :])
            v = p * (1 - p)
        # Step 2.
        C = np.linalg.inv(information(n, g, ghosts))
        variance = C.diagonal()[:, None] + C.diagonal()[None, :] - 2 * C
        lowers = np.zeros((K, K))
        for k in range(K - 1):
            moved = (a[k] @ C)[:, None] - (a[k] @ C)[None, :]
            lowers += weight[k] * v * moved**2 / (1 + v * variance)
        # Step 3.
        most = max(lowers[i, j] for i, j in pairs)
        i, j = pairs[pick([k for k, pair in enumerate(pairs) if lowers[pair] >= most * (1 - 1e-6)], policy)]
        yield i, j
        duel(P, i, j, environment, w)


def by_strength(g, order):
    """The arms from the strongest to the weakest; ties keep their place in ``order``."""
    return sorted(order, key=cmp_to_key(lambda a, b: 0 if abs(g[a] - g[b]) < 1e-9 else g[b] - g[a]))
