"""TRA-POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024): POCOWISTA for transitive matrices.

1. delta' = delta/(K ln K), delta for K = 2.
2. The steps of POCOWISTA, but after each decision close the known relation under x > y > z => x > z, and recompute co
   and pot from it. The other rules of inference are about ties, of which a duel has none here.
"""

import math

from .exploration import course
from .pocowista import next_pair
from .ppr import ppr
from .random_order import shuffled


def close(above):
    """Add what follows, until nothing does."""
    while True:
        new = [(x, z) for x in range(len(above)) for y in above[x] for z in above[y] if z not in above[x]]
        if not new:
            return
        for x, z in new:
            above[x].add(z)


def explore(P, horizon, policy, environment, delta=0.05, outcomes=3):
    K = len(P)
    error = delta / (K * math.log(K)) if K > 2 else delta
    above = [set() for _ in range(K)]
    order = shuffled(range(K), policy)
    while True:
        i, j = next_pair(order, above)
        if j is None:
            return i
        winner, loser = yield from ppr(P, i, j, error, outcomes, environment)
        above[winner].add(loser)
        close(above)


def run(P, horizon, policy, environment, delta=0.05, outcomes=3):
    return course(explore(P, horizon, policy, environment, delta, outcomes), horizon)[0]
