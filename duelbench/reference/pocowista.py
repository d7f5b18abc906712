"""POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024): a Copeland winner; the potential winner stays.

1. delta' = delta/C(K, 2); co[i] = 0; pot[i] = K - 1 (score so far + undecided pairs).
2. Stop when some arm b (the first maximum of co) has pot[i] <= co[b] for all other i: declare b.
3. i = argmax pot; j = argmax co among arms whose pair with i is undecided (ties: the first of a random permutation).
4. Decide (i, j) by PPR-1v1(delta'), with fresh counts; update co, and pot of both. Each pair at most once. Go to 2.

Duels have no ties here: a decided pair gives 1 to the winner and 0 to the loser.
"""

import math

from .exploration import course
from .ppr import ppr
from .random_order import shuffled


def next_pair(order, above):
    """Steps 2 and 3 on decided pairs, ``above[i]`` the arms that i beats: the pair; or the winner alone."""
    K = len(order)
    co = {i: len(above[i]) for i in order}
    pot = {i: K - 1 - sum(i in above[k] for k in order) for i in order}
    b = max(order, key=co.get)
    if all(pot[i] <= co[b] for i in order if i != b):
        return b, None
    i = max(order, key=pot.get)
    return i, max((j for j in order if j != i and j not in above[i] and i not in above[j]), key=co.get)


def explore(P, horizon, policy, environment, delta=0.05, outcomes=3):
    K = len(P)
    # Step 1.
    above = [set() for _ in range(K)]
    order = shuffled(range(K), policy)
    while True:
        # Steps 2 and 3.
        i, j = next_pair(order, above)
        if j is None:
            return i
        # Step 4.
        winner, loser = yield from ppr(P, i, j, delta / math.comb(K, 2), outcomes, environment)
        above[winner].add(loser)


def run(P, horizon, policy, environment, delta=0.05, outcomes=3):
    return course(explore(P, horizon, policy, environment, delta, outcomes), horizon)[0]
