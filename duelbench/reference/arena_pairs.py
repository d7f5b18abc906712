"""Arena pairs (Chiang et al., ICML 2024): a pair in proportion to what one more duel takes off its standard error.

That is sqrt(v/n) - sqrt(v/(n+1)).

1. Every pair duels once, in random order.
2. Draw pair (i, j) with that probability: n is its number of duels, v = p (1 - p), p = (w + 1) / (n + 2).
"""

import math
from itertools import combinations

import numpy as np

from .arithmetic import duel, no_counts
from .random_order import shuffled


def weight(w, i, j):
    n = w[i][j] + w[j][i]
    p = (w[i][j] + 1) / (n + 2)
    v = p * (1 - p)
    return math.sqrt(v / n) - math.sqrt(v / (n + 1))


def run(P, horizon, policy, environment):
    pairs = list(combinations(range(len(P)), 2))
    # Step 1.
    first = shuffled(pairs, policy)
    w = no_counts(len(P))
    path = np.empty((horizon, 2), dtype=int)
    for t in range(horizon):
        if t < len(pairs):
            i, j = first[t]
        else:
            # Step 2.
            weights = [weight(w, *pair) for pair in pairs]
            left, k = sum(weights) * policy.random(), 0
            while k < len(pairs) - 1 and left >= weights[k]:
                left -= weights[k]
                k += 1
            i, j = pairs[k]
        path[t] = i, j
        duel(P, i, j, environment, w)
    return path
