"""MergeRUCB (Zoghi, Whiteson, de Rijke, WSDM 2015), by three independent codes.

0. The arms, in random order, are cut into batches of p. s = 1.
1. In round t take the batches in turn, one in each round. u[i, j] = w[i, j] / n + sqrt(alpha log(t + C) / n), n the
   duels of the pair.
2. Every i in the batch B with u[i, j] < 1/2 for some j in B is eliminated. If one arm is left in B, take the next
   batch; if one arm is left at all, it duels itself for ever.
3. c is random in B, d = argmax over j in B without c of u[j, c], ties at random. Duel (c, d).
4. If at most K / 2^s + 1 arms are left in more than one batch: merge, s += 1. At once, if no batch has two arms.
"""

import math

import numpy as np

from .arithmetic import duel, pick
from .merging import constant, cut, few_enough, losers, merge, upper
from .random_order import shuffled


def run(P, horizon, policy, environment, alpha=1.01, batch=4, delta=0.01, C=None, prior=0):
    K = len(P)
    C = constant(K, alpha, delta) if C is None else C
    w = [[prior] * K for _ in range(K)]
    # Step 0.
    batches, s, current = cut(shuffled(range(K), policy), batch), 1, 0
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        log_t = math.log(t + C)
        while True:
            # Steps 1 and 2.
            out = losers(batches[current], w, alpha, log_t)
            B = batches[current] = [i for i in batches[current] if i not in out]
            left = sum(len(each) for each in batches)
            if len(B) > 1 or left == 1:
                break
            if left == len(batches):
                batches, s = merge(batches, batch, policy), s + 1
            current = (current + 1) % len(batches)
        if left == 1:
            path[t - 1 :] = B[0]
            break
        # Step 3.
        c = pick(B, policy)
        u = {j: upper(w, j, c, alpha, log_t) for j in B if j != c}
        d = pick([j for j in u if u[j] == max(u.values())], policy)
        path[t - 1] = c, d
        duel(P, c, d, environment, w)
        # Step 4.
        if few_enough(batches, K, s):
            batches, s = merge(batches, batch, policy), s + 1
        current = (current + 1) % len(batches)
    return path
