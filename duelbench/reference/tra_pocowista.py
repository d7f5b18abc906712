"""TRA-POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024): POCOWISTA for transitive matrices.

1. delta' = delta/(K ln K), delta for K = 2.
2. The steps of POCOWISTA, but after each decision close the known relation and recompute co and pot from it. The rules
   of inference: x > y > z, x > y ~ z and x ~ y > z give x > z; x ~ y ~ z gives x ~ z.
"""

import math

from .exploration import course
from .pocowista import next_pair
from .ppr import ppr
from .random_order import shuffled


def close(score):
    """Add what follows, until nothing does: the better of two steps down, neither of which is up."""
    while True:
        new = {
            (x, z): max(score[x, y], score[y, z])
            for x, y in score
            for v, z in score
            if y == v and x != z and (x, z) not in score and min(score[x, y], score[y, z]) >= 0.5
        }
        if not new:
            return
        for (x, z), share in new.items():
            score[x, z], score[z, x] = share, 1 - share


def explore(P, horizon, policy, environment, delta=0.05, outcomes=3, T=None):
    K = len(P)
    error = delta / (K * math.log(K)) if K > 2 else delta
    score = {}
    order = shuffled(range(K), policy)
    while True:
        i, j = next_pair(order, score)
        if j is None:
            return i
        score[i, j] = yield from ppr(P, i, j, error, outcomes, environment, T)
        score[j, i] = 1 - score[i, j]
        close(score)


def run(P, horizon, policy, environment, delta=0.05, outcomes=3, T=None):
    return course(explore(P, horizon, policy, environment, delta, outcomes, T), horizon)[0]
