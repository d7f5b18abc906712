"""Probe-Rank-SE (Lou, Jin, Wu, Xu, Gu, Farnoud, NeurIPS 2022), with delta' = 2 delta / K².

1. Take the arms in random order and rank them from the top down (transitivity.py), deciding pairs as follows.
2. Duel each of the pairs once; n are all duels of a pair so far, of which its first arm has won the share p.
3. A pair with n = 2^s, s >= 1, is decided if |p - 1/2| > sqrt(ln(pi² s² / (3 delta')) / (2 n)).
"""

import math

from .arithmetic import first_wins, no_counts
from .exploration import course
from .random_order import shuffled
from .transitivity import top_down


def radius(s, delta):
    return math.sqrt(math.log(math.pi**2 * s**2 / (3 * delta)) / (2 * 2**s))


def explore(P, horizon, policy, environment, delta=0.05):
    K = len(P)
    w, n = no_counts(K), no_counts(K)

    def decide(pairs):
        decided = []
        for i, j in pairs:
            # Step 2.
            w[i][j] += int(first_wins(P, i, j, environment))
            n[i][j] += 1
            yield i, j
            # Step 3.
            s, p = n[i][j].bit_length() - 1, w[i][j] / n[i][j]
            if s >= 1 and n[i][j] == 2**s and abs(p - 0.5) > radius(s, 2 * delta / K**2):
                decided.append((i, j) if p > 0.5 else (j, i))
        return decided

    # Step 1.
    return (yield from top_down(shuffled(range(K), policy), decide))


def run(P, horizon, policy, environment, delta=0.05):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
