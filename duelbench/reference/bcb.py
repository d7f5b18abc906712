"""Borda-Confidence-Bound (Saha, Koren, Mansour, ICML 2021, Algorithm 3), which knows the horizon T.

s[i] are the estimated shifted Borda scores of the arms, added up over the rounds; at first they are 0. In each round t:

1. x is a random arm, y a random other one. Duel (x, y): o = 1 if x won, else 0. s_x += K o.
2. b = s / t, width = 2 sqrt((K / t) ln(2 K T / delta)). If the arm with the largest b has b - width > b + width of
   every other arm it duels itself for ever.
"""

import math

from .arithmetic import first_wins
from .exploration import course


def explore(P, horizon, policy, environment, delta=0.1):
    K = len(P)
    s = [0] * K
    t = 0
    while True:
        # Step 1.
        t += 1
        x = int(policy.random() * K)
        y = int(policy.random() * (K - 1))
        y += y >= x
        o = first_wins(P, x, y, environment)
        yield x, y
        s[x] += K * o
        # Step 2.
        b = [each / t for each in s]
        width = 2 * math.sqrt(K / t * math.log(2 * K * horizon / delta))
        best = max(range(K), key=lambda i: b[i])
        if all(b[best] - width > b[i] + width for i in range(K) if i != best):
            return best


def run(P, horizon, policy, environment, delta=0.1):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
