"""Gap variance: the pair that lowers Sum_k weight_k Var(g_(k) - g_(k+1)) most, over arms adjacent in the order of g.

0. A random order of the arms, for those with equal g.
1. Fit the strengths to all votes, if due: g, its covariance C, and the order (1), (2), ... of the arms.
   a_k = e_(k) - e_(k+1); weight_k = min(f, 1 - f) / Var(a_k^T g), f that of the two arms.
2. Let C have the votes asked for since then as well, with the same g. One more vote on (i, j) lowers Var(a^T g) by
   v (a^T C (e_i - e_j))^2 / (1 + v Var(g_i - g_j)), v = p (1 - p).
3. Ask for a vote on the pair with the largest sum of weight_k times that, one of several at random.
"""

from functools import cmp_to_key
from itertools import combinations, pairwise

import numpy as np

from .arithmetic import duel, no_counts, pick
from .bradley_terry import doubt, due, fitted, information, logistic
from .random_order import shuffled


def by_strength(g, order):
    """The arms from the strongest to the weakest; sorting keeps the order of equal ones."""
    return sorted(order, key=cmp_to_key(lambda a, b: 0 if abs(g[a] - g[b]) < 1e-9 else g[b] - g[a]))


def run(P, horizon, policy, environment, ghosts=1.0):
    K = len(P)
    pairs = list(combinations(range(K), 2))
    e = np.eye(K)
    # Step 0.
    order = shuffled(range(K), policy)
    w, last = no_counts(K), None
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        # Step 1.
        n = np.add(w, np.transpose(w))
        if due(t - 1, last):
            g, last = fitted(w, ghosts), t - 1
            C = np.linalg.inv(information(n, g, ghosts))
            ranked = by_strength(g, order)
            gaps = list(pairwise(ranked))
            a = np.array([e[upper] - e[lower] for upper, lower in gaps])
            weight = [doubt(g, C, *gap) / (a_k @ C @ a_k) for gap, a_k in zip(gaps, a, strict=True)]
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
        path[t - 1] = i, j
        duel(P, i, j, environment, w)
    return path
