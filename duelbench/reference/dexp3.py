"""Dueling-EXP3 (Saha, Koren, Mansour, ICML 2021, Algorithm 1), which knows the horizon T.

s[i] are the estimated shifted Borda scores of the arms, 1/K times the sum of P[i, j] over all j with i, added up over
the rounds; at first they are 0. eta = (ln K / (T sqrt(K)))^(2/3), gamma = min(1, sqrt(eta K)). In each round:

1. q_i = (1 - gamma) exp(eta s_i) / sum(exp(eta s)) + gamma / K.
2. x ~ q, y ~ q. Duel (x, y), a fair coin if they are the same arm: o = 1 if x won, else 0.
3. s_x += o / (K q_x q_y).
"""

import math

import numpy as np

from .arithmetic import first_wins
from .exponential_weights import drawn, mixed


def rates(K, horizon, eta, gamma):
    if eta is None:
        eta = (math.log(K) / (horizon * math.sqrt(K))) ** (2 / 3)
    if gamma is None:
        gamma = min(1, math.sqrt(eta * K))
    return eta, gamma


def play(P, horizon, policy, environment, eta, gamma, beta):
    """The path; before step 3 beta / q_i is added to every s_i."""
    K = len(P)
    s = np.zeros(K)
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        # Step 1.
        q = mixed(np.exp(eta * (s - s.max())), gamma)
        # Step 2.
        x, y = drawn(q, policy), drawn(q, policy)
        path[t - 1] = x, y
        o = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
        s += beta / q
        # Step 3.
        s[x] += o / (K * q[x] * q[y])
    return path


def run(P, horizon, policy, environment, eta=None, gamma=None):
    return play(P, horizon, policy, environment, *rates(len(P), horizon, eta, gamma), beta=0.0)
