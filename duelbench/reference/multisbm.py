"""MultiSBM (Ailon, Karnin, Joachims, ICML 2014, Algorithm 2) over UCB.

0. One bandit S_x per arm x; y_0 is a random arm.
1. x_t = y_{t-1}; y_t is the choice of S_{x_t}.
2. Duel (x_t, y_t), a fair coin if they are the same arm; S_{x_t} gets 1 for y_t if y_t won.
"""

import numpy as np

from .arithmetic import first_wins
from .ucb import Ucb


def run(P, horizon, policy, environment, alpha=3.0):
    K = len(P)
    # Step 0.
    S = [Ucb(K, alpha) for _ in range(K)]
    y = int(policy.random() * K)
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        # Step 1.
        x = y
        y = S[x].advance(policy)
        path[t - 1] = x, y
        # Step 2.
        first_won = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
        S[x].feedback(y, not first_won)
    return path
