"""Uniform exploration, the baseline of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), for the Copeland winner.

It knows the horizon T; delta = 1/T. N = K (K - 1) / 2.

1. Duel every pair i < j once, lexicographically.
2. Intervals are p̂ ± sqrt(log(2 N T / delta) / (2 n)). A pair whose interval leaves 1/2 out is decided, for good: all
   intervals hold at once with probability 1 - delta, so none need be asked again.
3. When some arm's lower Copeland count exceeds every other upper count, or every pair is decided, the arm with
   the highest lower count, ties at random, duels itself for ever. Else go on with 1.
"""

import math
from itertools import combinations

from .arithmetic import duel, no_counts
from .copeland_counts import best, is_decided, selected
from .exploration import course


def explore(P, horizon, policy, environment):
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w = no_counts(K)

    def radius(n):
        return math.sqrt(math.log(2 * len(pairs) * horizon * horizon) / (2 * n))

    beats = set()
    while True:
        # Step 1.
        for i, j in pairs:
            duel(P, i, j, environment, w)
            yield i, j
        # Step 2.
        for i, j in pairs:
            if not {(i, j), (j, i)} & beats and is_decided(w, i, j, radius):
                beats.add((i, j) if w[i][j] > w[j][i] else (j, i))
        # Step 3.
        lower = [sum((i, j) in beats for j in range(K)) for i in range(K)]
        upper = [sum((j, i) not in beats for j in range(K) if j != i) for i in range(K)]
        if selected(lower, upper) or len(beats) == len(pairs):
            break
    return best(lower, policy)


def run(P, horizon, policy, environment):
    return course(explore(P, horizon, policy, environment), horizon)[0]
