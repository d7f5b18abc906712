"""Versatile-DB (Saha, Gaillard, ICML 2022): two Tsallis-INF players (Zimmert, Seldin, AISTATS 2019).

L[m][i] are the estimated losses of arm i to player m = 1, 2; at first they are 0. In each round t, with
eta = eta_scale / sqrt(t):

1. Each player has p_i = 4 / (eta (L_i - x))^2, with that x < min L of which sum p = 1.
2. a ~ p^1, b ~ p^2. Duel (a, b), a fair coin if they are the same arm. The player whose arm loses has the loss 1 for
   it, the other one 0.
3. estimator "iw": L_a of player 1 += its loss / p_a, L_b of player 2 likewise.
   estimator "rv": with B_i = 1/2 where p_i >= eta^2, else 0, all L_i += B_i, and L_a += (loss - B_a) / p_a.

With ``shared`` both arms are drawn from one player's p, whose L has half of what either of two players would add.
``eta_scale`` is 2 with iw and 4 with rv.
"""

import math

import numpy as np

from .arithmetic import first_wins
from .exponential_weights import drawn


def distribution(L, eta):
    """Step 1, by Newton's method from where the least L alone has p = 1, down to where x no longer falls."""
    x = min(L) - 2 / eta
    while True:
        p = 4 / (eta * (L - x)) ** 2
        below = x - (sum(p) - 1) / (eta * sum(p**1.5))
        if not below < x:
            return p / sum(p)
        x = below


def estimated(p, arm, loss, eta, estimator):
    """Step 3: what is added to a player's L."""
    B = np.where(p >= eta**2, 0.5, 0.0) if estimator == "rv" else np.zeros(len(p))
    added = B.copy()
    added[arm] += (loss - B[arm]) / p[arm]
    return added


def run(P, horizon, policy, environment, estimator="iw", eta_scale=None, shared=False):
    K = len(P)
    if eta_scale is None:
        eta_scale = {"iw": 2, "rv": 4}[estimator]
    players = 1 if shared else 2
    L = [np.zeros(K) for _ in range(players)]
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        eta = eta_scale / math.sqrt(t)
        # Step 1.
        p = [distribution(each, eta) for each in L]
        # Step 2.
        a, b = drawn(p[0], policy), drawn(p[-1], policy)
        path[t - 1] = a, b
        o = policy.random() < 0.5 if a == b else first_wins(P, a, b, environment)
        # Step 3.
        L[0] += estimated(p[0], a, 1 - o, eta, estimator) / (2 if shared else 1)
        L[-1] += estimated(p[-1], b, int(o), eta, estimator) / (2 if shared else 1)
    return path
