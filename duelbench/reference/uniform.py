"""Uniform exploration: a random pair of different arms each round, or all pairs in turn."""

from itertools import combinations

import numpy as np

from .arithmetic import duel, no_counts


def run(P, horizon, policy, environment, variant="random"):
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w = no_counts(K)  # kept only because a duel has an outcome
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        if variant == "random":
            i = int(policy.random() * K)
            j = int(policy.random() * (K - 1))
            j += j >= i
        elif variant == "round-robin":
            i, j = pairs[(t - 1) % len(pairs)]
        else:
            raise ValueError(f"unknown variant {variant!r}")
        path[t - 1] = i, j
        duel(P, i, j, environment, w)
    return path
