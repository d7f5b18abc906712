"""Sparring (Ailon, Karnin, Joachims, ICML 2014, Algorithm 3) over UCB.

1. x_t is the choice of the left bandit, y_t that of the right one.
2. Duel (x_t, y_t), a fair coin if they are the same arm. The side that won gets 1 for its arm, the other 0.
"""

import numpy as np

from .arithmetic import first_wins
from .ucb import Ucb


def spar(P, horizon, policy, environment, left, right):
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        # Step 1.
        x, y = left.advance(policy), right.advance(policy)
        path[t - 1] = x, y
        # Step 2.
        first_won = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
        left.feedback(x, first_won)
        right.feedback(y, not first_won)
    return path


def run(P, horizon, policy, environment, alpha=3.0):
    return spar(P, horizon, policy, environment, Ucb(len(P), alpha), Ucb(len(P), alpha))
