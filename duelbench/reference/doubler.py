"""Doubler (Ailon, Karnin, Joachims, ICML 2014, Algorithm 1) over UCB.

0. L = [one random arm]; the epoch is i = 1.
1. Reset the bandit S.
2. For 2^i rounds: the first arm is a random entry of the multiset L, the second S's choice; S gets 1 if the second
   won (a fair coin if both are the same arm).
3. L = the multiset of the seconds of these 2^i rounds; i = i + 1; go on with 1.

The entries of L are listed in increasing order of the arms; a single entry needs no draw.
"""

from itertools import count, islice

import numpy as np

from .arithmetic import first_wins, pick
from .ucb import Ucb


def rounds(P, policy, environment, alpha):
    K = len(P)
    # Step 0.
    L = [int(policy.random() * K)]
    for i in count(1):
        # Step 1.
        S = Ucb(K, alpha)
        # Step 2.
        seconds = []
        for _ in range(2**i):
            x = pick(sorted(L), policy)
            y = S.advance(policy)
            first_won = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
            S.feedback(y, not first_won)
            seconds.append(y)
            yield x, y
        # Step 3.
        L = seconds


def run(P, horizon, policy, environment, alpha=3.0):
    return np.array(list(islice(rounds(P, policy, environment, alpha), horizon)), dtype=int)
