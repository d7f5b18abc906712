"""Trace-the-Best (Saha, Gopalan, ALT 2019, Algorithm 1), with two arms a duel.

1. r = a random arm; the others come in random order.
2. Each of them, c, meets r for t = ceil(4/epsilon² ln(2K/delta)) duels; p̂ is the share that c wins.
3. If p̂ > 1/2 + epsilon/2: r = c.
4. After the last one r is declared.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    K = len(P)
    # Step 1.
    r, *others = shuffled(range(K), policy)
    t = math.ceil(4 / epsilon**2 * math.log(2 * K / delta))
    for c in others:
        # Step 2.
        wins = 0
        for _ in range(t):
            wins += int(first_wins(P, c, r, environment))
            yield c, r
        # Step 3.
        if wins / t > 0.5 + epsilon / 2:
            r = c
    # Step 4.
    return r


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    return course(explore(P, horizon, policy, environment, epsilon, delta), horizon)[0]
