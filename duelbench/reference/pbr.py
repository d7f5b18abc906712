"""Preference-based racing (Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier, ICML 2013), Copeland ranking, top 1.

It knows the horizon T; delta = 1/T, n_max = T.

0. The active pairs are all ordered pairs.
1. Duel every active pair (i, j) once, lexicographically. The orders (i, j) and (j, i) share their data; a tie is half a
   win for both.
2. Intervals are p̂ ± sqrt(log(2 K² n_max / delta) / (2 n)). An arm is selected when its lower Copeland count exceeds
   every other upper count, discarded when its upper count is below some other lower count.
3. Pairs whose interval leaves 1/2 out, and pairs of two arms that are both selected or discarded, are active no more.
4. With no active pair left the arm with the highest lower count, ties at random, duels itself for ever: it is the
   selected arm if there is one. Else go on with 1.
"""

import math
from itertools import permutations

from .arithmetic import no_counts, outcome
from .copeland_counts import best, counts, discarded, is_decided, selected
from .exploration import course


def confidence_radius(n, K, T):
    n_max, delta = T, 1 / T
    return math.sqrt(math.log(2 * K**2 * n_max / delta) / (2 * n))


def explore(P, horizon, policy, environment, T=None):
    K = len(P)
    w = no_counts(K)
    lower = [0] * K

    def radius(n):
        return confidence_radius(n, K, horizon)

    # Step 0.
    active = list(permutations(range(K), 2))
    while active:
        # Step 1.
        for i, j in active:
            share = outcome(P, T, i, j, environment)
            w[i][j] += share
            w[j][i] += 1 - share
            yield i, j
        # Step 2.
        lower, upper = counts(w, radius)
        settled = selected(lower, upper) + discarded(lower, upper)
        # Step 3.
        active = [(i, j) for i, j in active if not is_decided(w, i, j, radius) and not (i in settled and j in settled)]
    # Step 4.
    return best(lower, policy)


def run(P, horizon, policy, environment, T=None):
    return course(explore(P, horizon, policy, environment, T), horizon)[0]
