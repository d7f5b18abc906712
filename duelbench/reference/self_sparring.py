"""IndSelfSparring (Sui, Zhuang, Burdick, Yue, UAI 2017, Algorithm 3) with two arms a round.

0. S[i] = F[i] = 0.
1. For each of the two places: theta[i] ~ Beta(S[i] + 1, F[i] + 1) for all arms; the arm is argmax theta.
2. Duel them. S of the winner and F of the loser grow by eta. An arm that duels itself is both.
"""

import numpy as np

from .arithmetic import first_wins


def run(P, horizon, policy, environment, eta=1.0):
    K = len(P)
    # Step 0.
    S, F = [0.0] * K, [0.0] * K
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        # Step 1.
        x, y = (int(np.argmax([policy.beta(S[i] + 1, F[i] + 1) for i in range(K)])) for _ in range(2))
        path[t - 1] = x, y
        # Step 2.
        winner, loser = (x, y) if x == y or first_wins(P, x, y, environment) else (y, x)
        S[winner] += eta
        F[loser] += eta
    return path
