"""Doubt: the next pair in proportion to min(f, 1 - f), where f is the share of the posterior with i above j.

1. Fit the strengths to all votes, if due: g and its covariance C.
2. Draw pair (i, j) with probability proportional to min(f, 1 - f).
3. Ask for a vote on it.
"""

from itertools import combinations

import numpy as np

from .arithmetic import duel, no_counts
from .bradley_terry import doubt, due, fitted, information


def run(P, horizon, policy, environment, ghosts=1.0):
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w, last = no_counts(K), None
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        # Step 1.
        votes = t - 1
        if due(votes, last):
            g, last = fitted(w, ghosts), votes
            C = np.linalg.inv(information(np.add(w, np.transpose(w)), g, ghosts))
            weights = [max(doubt(g, C, i, j), 1e-300) for i, j in pairs]
        # Step 2.
        left = sum(weights) * policy.random()
        k = 0
        while k < len(pairs) - 1 and left >= weights[k]:
            left -= weights[k]
            k += 1
        i, j = pairs[k]
        path[t - 1] = i, j
        # Step 3.
        duel(P, i, j, environment, w)
    return path
