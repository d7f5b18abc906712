"""Halving-Battle (Saha, Gopalan, ALT 2019, Algorithm 3), with two arms a duel.

0. S = all arms; epsilon_0 = epsilon/4, delta_0 = delta.
1. In each round delta_l halves and epsilon_l becomes three quarters of itself.
2. S is paired at random; every pair has t = ceil(ln(4/delta_l) / epsilon_l²) duels.
3. Who has won at least the median of the pair stays; the odd arm stays, too. Again from 1 while more than one is left.
4. The last arm is declared.
"""

import math
from statistics import median

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    # Step 0.
    S = list(range(len(P)))
    epsilon_l, delta_l = epsilon / 4, delta
    while len(S) > 1:
        # Step 1.
        delta_l, epsilon_l = delta_l / 2, 3 / 4 * epsilon_l
        # Step 2.
        t = math.ceil(math.log(4 / delta_l) / epsilon_l**2)
        S = shuffled(S, policy)
        stay = []
        while len(S) >= 2:
            a, b, *S = S
            wins = {a: 0, b: 0}
            for _ in range(t):
                wins[a if first_wins(P, a, b, environment) else b] += 1
                yield a, b
            # Step 3.
            stay += [arm for arm in (a, b) if wins[arm] >= median(wins.values())]
        S = stay + S
    # Step 4.
    return S[0]


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    return course(explore(P, horizon, policy, environment, epsilon, delta), horizon)[0]
