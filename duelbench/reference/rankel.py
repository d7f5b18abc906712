"""RankEl (Busa-Fekete, Szörényi, Hüllermeier, AAAI 2014), Copeland ranking. It knows the horizon T; delta = 1/T.

The paper elicits a whole ranking and stops when that is good enough. Here it looks for one winner, so step 3 is not
the paper's.

1. Duel every pair i < j whose interval contains 1/2 once, lexicographically; at first, all pairs.
2. Intervals are p̂ ± sqrt(log(5 K² n⁴ / (4 delta)) / (2 n)).
3. When some arm's lower Copeland count is no less than every other upper count, such an arm, ties at random, duels
   itself for ever. Else go on with 1. Until the sole winner: when some arm's lower count exceeds every other upper
   count, or no pair is left, the arm with the highest lower count, ties at random.
"""

import math
from itertools import combinations

from .arithmetic import duel, no_counts, pick
from .copeland_counts import best, counts, is_decided, selected, unexceeded
from .exploration import course


def confidence_radius(n, K, T):
    delta = 1 / T
    return math.sqrt(math.log(5 * K**2 * n**4 / (4 * delta)) / (2 * n))


def explore(P, horizon, policy, environment, until="winner"):
    K = len(P)
    w = no_counts(K)

    def radius(n):
        return confidence_radius(n, K, horizon)

    while True:
        lower, upper = counts(w, radius)
        pairs = [(i, j) for i, j in combinations(range(K), 2) if not is_decided(w, i, j, radius)]
        # Step 3.
        if until == "winner":
            if unexceeded(lower, upper):
                return pick(unexceeded(lower, upper), policy)
        elif selected(lower, upper) or not pairs:
            return best(lower, policy)
        # Steps 1 and 2.
        for i, j in pairs:
            duel(P, i, j, environment, w)
            yield i, j


def run(P, horizon, policy, environment, until="winner"):
    return course(explore(P, horizon, policy, environment, until), horizon)[0]
