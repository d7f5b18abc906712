"""POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024): a Copeland winner; the potential winner stays.

The truth of a pair is its most probable outcome.

1. delta' = delta/C(K, 2); co[i] = 0; pot[i] = K - 1 (score so far + undecided pairs).
2. Stop when some arm b (the first maximum of co) has pot[i] <= co[b] for all other i: declare b.
3. i = argmax pot; j = argmax co among arms whose pair with i is undecided (ties: the first of a random permutation).
4. Decide (i, j) by PPR-1v1(delta'), with fresh counts; add 1 to co of the winner, or 1/2 to both; update pot of both.
   Each pair at most once. Go to 2.
"""

import math

from .exploration import course
from .ppr import ppr
from .random_order import shuffled


def next_pair(order, score):
    """Steps 2 and 3, ``score[i, j]`` what i has from its decided pair with j: the next pair; or the winner alone."""
    co = {i: sum(score.get((i, j), 0) for j in order) for i in order}
    pot = {i: sum(score.get((i, j), 1) for j in order if j != i) for i in order}
    b = max(order, key=co.get)
    if all(pot[i] <= co[b] for i in order if i != b):
        return b, None
    i = max(order, key=pot.get)
    return i, max((j for j in order if j != i and (i, j) not in score), key=co.get)


def explore(P, horizon, policy, environment, delta=0.05, outcomes=3, T=None):
    K = len(P)
    # Step 1.
    score = {}
    order = shuffled(range(K), policy)
    while True:
        # Steps 2 and 3.
        i, j = next_pair(order, score)
        if j is None:
            return i
        # Step 4.
        score[i, j] = yield from ppr(P, i, j, delta / math.comb(K, 2), outcomes, environment, T)
        score[j, i] = 1 - score[i, j]


def run(P, horizon, policy, environment, delta=0.05, outcomes=3, T=None):
    return course(explore(P, horizon, policy, environment, delta, outcomes, T), horizon)[0]
