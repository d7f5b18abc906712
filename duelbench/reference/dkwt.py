"""DKWT (Haddenhorst, Bengs, Hüllermeier, NeurIPS 2021), a Dvoretzky-Kiefer-Wolfowitz tournament, here for duels.

1. delta' = delta/K. Two random arms; one is the champion-to-be.
2. Decide a pair: for s = 1, 2, ...: h = 2^(-s - 1), gamma = 6 delta'/(pi^2 s^2), T = ceil((8/h^2) ln(4/gamma)) duels;
   if |2 p̂ - 1| > h the majority wins, else next s. p̂ is over the T duels; with reuse, over all duels of this pair.
3. The loser is out; the winner meets a random arm not yet seen; declare the last winner.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def duels_of_step(s, delta):
    h = 2 ** (-s - 1)
    gamma = 6 * delta / (math.pi**2 * s**2)
    return math.ceil(8 / h**2 * math.log(4 / gamma))


def decide(P, i, j, delta, reuse, environment):
    s = w = n = 0
    while True:
        s += 1
        if not reuse:
            w = n = 0
        for _ in range(duels_of_step(s, delta)):
            w += int(first_wins(P, i, j, environment))
            n += 1
            yield i, j
        if abs(2 * w - n) > 2 ** (-s - 1) * n:
            return i if 2 * w > n else j


def explore(P, horizon, policy, environment, delta=0.05, reuse=False):
    K = len(P)
    # Step 1.
    order = shuffled(range(K), policy)
    champion = order[0]
    for arm in order[1:]:
        # Steps 2 and 3.
        champion = yield from decide(P, champion, arm, delta / K, reuse, environment)
    return champion


def run(P, horizon, policy, environment, delta=0.05, reuse=False):
    return course(explore(P, horizon, policy, environment, delta, reuse), horizon)[0]
