"""Winner Stays, strong regret (Chen, Frazier, ICML 2017, Algorithm 2).

For l = 1, 2, ...:

1. Play round l of WS-W: K - 1 iterations, each of which ends when one of the two arms that duel has C = -l. That arm
   has lost the iteration, and Z, the winner of the last one, has won the round.
2. Duel (Z, Z) for floor(beta^l) rounds, and ignore the outcomes. They are no "last duel" of WS-W.
"""

import math
from itertools import count, islice

import numpy as np

from .ws_w import duel_and_count, pair


def duels(P, policy, environment, beta):
    K = len(P)
    C, previous = [0] * K, ()
    for l in count(1):  # noqa: E741
        # Step 1.
        iterations = 0
        while iterations < K - 1:
            previous = pair(C, previous, policy)
            yield previous
            duel_and_count(P, *previous, environment, C)
            iterations += -l in (C[previous[0]], C[previous[1]])
        Z = max(range(K), key=C.__getitem__)
        # Step 2.
        for _ in range(math.floor(beta**l)):
            yield Z, Z


def run(P, horizon, policy, environment, beta=1.1):
    return np.array(list(islice(duels(P, policy, environment, beta), horizon)), dtype=int)
