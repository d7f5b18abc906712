"""MergeDTS (Li, Markov, de Rijke, Zoghi, TOIS 2020), by its authors' code.

0. The arms, in random order, are cut into batches of M. s = 1, t = C + 1, w[i, j] = 1 for all i and j.
1. B is the batch number t modulo how many there are. If it has one arm, the next batch joins it; if one arm is left at
   all, it duels itself for ever.
2. u[i, j] = w[i, j] / n + sqrt(alpha log t / n), n = w[i, j] + w[j, i]. If some i in B has u[i, j] < 1/2 for some j in
   B, one such i, at random, is eliminated; go to 1.
3. theta[i, j] ~ Beta(w[i, j], w[j, i]), each for itself. c in B has most theta[c, j] > 1/2 with j in B, ties at random.
4. phi[j] ~ Beta(w[j, c], w[c, j]) for the others j in B; d = argmin phi. Duel (c, d). t += 1.
5. If at most K / 2^s + 1 arms are left in more than one batch: merge, s += 1, t = C + 1.
"""

import math

import numpy as np

from .arithmetic import duel, pick
from .merging import constant, cut, few_enough, losers, merge
from .random_order import shuffled


def take(batches, k, w, alpha, t, policy):
    """Steps 1 and 2: return the arms that are left of batch k."""
    while True:
        if len(batches[k]) == 1 and len(batches) > 1:
            following = (k + 1) % len(batches)
            batches[k] = batches[k] + batches[following]
            del batches[following]
            k -= following < k
        out = losers(batches[k], w, alpha, math.log(t))
        if not out:
            return batches[k]
        batches[k].remove(pick(out, policy))


def run(P, horizon, policy, environment, alpha=0.262144, batch=16, delta=0.01, C=400_000.0):
    K = len(P)
    C = constant(K, alpha, delta) if C is None else C
    # Step 0.
    batches, s, t = cut(shuffled(range(K), policy), batch), 1, C + 1
    w = [[1] * K for _ in range(K)]
    path = np.empty((horizon, 2), dtype=int)
    for place in range(horizon):
        B = take(batches, int(t) % len(batches), w, alpha, t, policy)
        if len(B) == 1:
            path[place:] = B[0]
            break
        # Step 3.
        ahead = {i: sum(policy.beta(w[i][j], w[j][i]) > 0.5 for j in B if j != i) for i in B}
        c = pick([i for i in B if ahead[i] == max(ahead.values())], policy)
        # Step 4.
        phi = {j: policy.beta(w[j][c], w[c][j]) for j in B if j != c}
        d = min(phi, key=phi.get)
        path[place] = c, d
        duel(P, c, d, environment, w)
        t += 1
        # Step 5.
        if few_enough(batches, K, s):
            batches, s, t = merge(batches, batch, policy), s + 1, C + 1
    return path
