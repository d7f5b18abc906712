"""REX3 (Gajane, Urvoy, Clérot, ICML 2015), as in the C++ code of its supplement, which made the figures.

R[i] = 0 for all arms. gamma = min(1/2, sqrt(K ln K / (e g T))); adaptive: the same with t for T, in each round.
1. p[i] = (1 - gamma) v[i] / sum(v) + gamma / K, v[i] = exp(gamma R[i] / K). (The largest R is subtracted first.)
2. Draw a and b independently from p. Duel (a, b).
3. If they differ: psi = 1 if a has won, else -1; R[a] += step psi / p[a], R[b] -= step psi / p[b].
The pseudo-code of the paper has step = 1/2.
"""

import math

import numpy as np

from .arithmetic import first_wins
from .exponential_weights import drawn, mixed


def run(P, horizon, policy, environment, gamma=None, g=0.5, adaptive=False, step=1.0):
    K = len(P)
    R = np.zeros(K)
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        T = t if adaptive else horizon
        used = gamma if gamma is not None else min(0.5, math.sqrt(K * math.log(K) / (math.e * g * T)))
        # Step 1.
        p = mixed(np.exp(used / K * (R - R.max())), used)
        # Step 2.
        a, b = drawn(p, policy), drawn(p, policy)
        path[t - 1] = a, b
        # Step 3.
        if a != b:
            psi = 1 if first_wins(P, a, b, environment) else -1
            R[a] += step * psi / p[a]
            R[b] -= step * psi / p[b]
    return path
