"""MallowsMPI (Busa-Fekete, Hüllermeier, Szörényi, ICML 2014): the most preferred item.

1. i is a random arm.
2. For every other arm j, in random order: duel i and j until |p - 1/2| > sqrt(ln(4 K n²/delta) / (2 n)), with p the
   share of the n duels of this pair that i has won; if i has lost, i = j.
3. Declare i.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def radius(n, K, delta):
    return math.sqrt(math.log(4 * K * n**2 / delta) / (2 * n))


def explore(P, horizon, policy, environment, delta=0.05):
    K = len(P)
    # Step 1.
    i, *others = shuffled(range(K), policy)
    # Step 2.
    for j in others:
        w, n = 0, 0
        while n == 0 or abs(w / n - 0.5) <= radius(n, K, delta):
            w += int(first_wins(P, i, j, environment))
            n += 1
            yield i, j
        if w / n < 0.5:
            i = j
    # Step 3.
    return i


def run(P, horizon, policy, environment, delta=0.05):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
