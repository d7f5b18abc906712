"""Divide-and-Battle (Saha, Gopalan, ALT 2019, Algorithm 2), with two arms a duel.

0. S = all arms; epsilon_0 = epsilon/8, delta_0 = delta/2.
1. In each round: if two arms are left, epsilon_l = 2 epsilon/3, delta_l = delta first. Then delta_l halves and
   epsilon_l becomes three quarters of itself.
2. S is paired at random; every pair has t = ceil(ln(2/delta_l) / epsilon_l²) duels.
3. Who has won more stays, on a tie the first; the odd arm stays, too. Again from 1 while more than one is left.
4. The last arm is declared.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    # Step 0.
    S = list(range(len(P)))
    epsilon_l, delta_l = epsilon / 8, delta / 2
    while len(S) > 1:
        # Step 1.
        if len(S) == 2:
            epsilon_l, delta_l = 2 * epsilon / 3, delta
        delta_l, epsilon_l = delta_l / 2, 3 / 4 * epsilon_l
        # Step 2.
        t = math.ceil(math.log(2 / delta_l) / epsilon_l**2)
        S = shuffled(S, policy)
        stay = []
        while len(S) >= 2:
            a, b, *S = S
            wins = 0
            for _ in range(t):
                wins += int(first_wins(P, a, b, environment))
                yield a, b
            # Step 3.
            stay.append(a if wins >= t - wins else b)
        S = stay + S
    # Step 4.
    return S[0]


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    return course(explore(P, horizon, policy, environment, epsilon, delta), horizon)[0]
