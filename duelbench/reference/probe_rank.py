"""Probe-Rank (Lou, Jin, Wu, Xu, Gu, Farnoud, NeurIPS 2022), with delta' = 2 delta / K².

1. Take the arms in random order and rank them from the top down (transitivity.py), deciding pairs as follows.
2. tau = 1 for each pair at first. Take those of the pairs that have the smallest tau.
3. Duel each of them ⌈2/epsilon² ln(1/delta_tau)⌉ times, epsilon = 2^-tau, delta_tau = 6 delta' / (pi² tau²). p is the
   share of these duels that the first arm has won: the pair is decided if |p - 1/2| > epsilon/2. Now tau += 1.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled
from .transitivity import top_down


def batch(tau, delta):
    """The duels of a pair."""
    return math.ceil(2 / (2**-tau) ** 2 * math.log(1 / (6 * delta / (math.pi**2 * tau**2))))


def explore(P, horizon, policy, environment, delta=0.05):
    K = len(P)
    taus = {}

    def decide(pairs):
        # Step 2.
        smallest = min(taus.get(pair, 1) for pair in pairs)
        decided = []
        for i, j in [pair for pair in pairs if taus.get(pair, 1) == smallest]:
            # Step 3.
            n, w = batch(smallest, 2 * delta / K**2), 0
            for _ in range(n):
                w += int(first_wins(P, i, j, environment))
                yield i, j
            if abs(w / n - 0.5) > 2**-smallest / 2:
                decided.append((i, j) if w / n > 0.5 else (j, i))
            taus[i, j] = smallest + 1
        return decided

    # Step 1.
    return (yield from top_down(shuffled(range(K), policy), decide))


def run(P, horizon, policy, environment, delta=0.05):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
