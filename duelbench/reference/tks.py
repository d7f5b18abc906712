"""TKS (Ren, Liu, Shroff, ICML 2020): tournament k-selection.

Declare tks(S, k, epsilon, delta) of all arms S, and then the others by number. tks(S, k, epsilon, delta):

1. R = S. For t = 1, 2, ... while |R| > k: epsilon_t = (epsilon/4) 0.8^t, delta_t = 6 delta/(pi² t²).
2. Cut R, in random order, into groups of 2k arms; fewer may be in the last one.
3. R = eqs(group, k, epsilon_t, delta_t/k) of all groups; one of k arms or fewer passes as it is.
"""

import math

from .eqs import eqs, with_others
from .exploration import course
from .random_order import shuffled


def tks(P, S, k, epsilon, delta, policy, environment, worst=False):
    R, t = S, 1
    while len(R) > k:
        # Step 1.
        epsilon_t, delta_t = epsilon / 4 * 0.8**t, 6 * delta / (math.pi**2 * t**2)
        # Step 2.
        R, passed = shuffled(R, policy), []
        for start in range(0, len(R), 2 * k):
            # Step 3.
            group = R[start : start + 2 * k]
            passed += yield from eqs(P, group, k, epsilon_t, delta_t / k, policy, environment, worst)
        R, t = passed, t + 1
    return R


def explore(P, horizon, policy, environment, top=1, delta=0.1, epsilon=0.05):
    K = len(P)
    order = with_others((yield from tks(P, list(range(K)), top, epsilon, delta, policy, environment)), K)
    return [order[:top], order[top:]]


def run(P, horizon, policy, environment, top=1, delta=0.1, epsilon=0.05):
    return course(explore(P, horizon, policy, environment, top, delta, epsilon), horizon)[0]
