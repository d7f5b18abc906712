"""MergeRUCB and MergeDTS: batches of arms that are merged."""

import math
from itertools import count

from .conventions import duel, pick, shuffled


def constant(K, alpha, delta):
    return ((4 * alpha - 1) * K**2 / ((2 * alpha - 1) * delta)) ** (1 / (2 * alpha - 1))


def upper(w, i, j, alpha, log_t):
    """``u[i, j]``; an unseen pair eliminates no arm."""
    n = w[i][j] + w[j][i]
    return w[i][j] / n + math.sqrt(alpha * log_t / n) if n > 0 else math.inf


def losers(B, w, alpha, log_t):
    """Every i in B with u[i, j] < 1/2 for some j in B."""
    return [i for i in B if any(upper(w, i, j, alpha, log_t) < 0.5 for j in B if j != i)]


def cut(order, batch):
    """Consecutive batches of the arms; the last may be shorter."""
    return [order[start : start + batch] for start in range(0, len(order), batch)]


def few_enough(batches, K, s):
    """Whether to merge the batches."""
    return sum(len(B) for B in batches) <= K / 2**s + 1 and len(batches) > 1


def merge_once(batches, batch, policy):
    """Merge the smallest batch into the largest as long as both have at most 1.5 * ``batch`` arms."""
    old = sorted(shuffled(batches, policy), key=len)
    new, i, j = [], 0, len(old) - 1
    while i < j:
        if len(old[i]) + len(old[j]) > 1.5 * batch:
            new.append(old[j])
            j -= 1
        else:
            new.append(old[i] + old[j])
            i, j = i + 1, j - 1
    return [*new, old[i]] if i == j else new


def merge(batches, batch, policy):
    batches = merge_once(batches, batch, policy)
    if min(len(B) for B in batches) <= 0.5 * batch:
        batches = merge_once(batches, batch, policy)
    return batches


def merge_rucb(P, horizon, policy, environment, alpha=1.01, batch=4, delta=0.01, C=None, prior=0):
    """MergeRUCB (Zoghi, Whiteson, de Rijke, WSDM 2015), following three independent programs.

    0. The arms, in random order, are cut into batches of p. s = 1.
    1. In round t take the batches in turn, one in each round. u[i, j] = w[i, j] / n + sqrt(alpha log(t + C) / n), n the
       duels of the pair.
    2. Every i in the batch B with u[i, j] < 1/2 for some j in B is eliminated. If one arm is left in B, take the next
       batch; if one arm is left at all, it duels itself for ever.
    3. c is random in B, d = argmax over j in B without c of u[j, c], ties at random. Duel (c, d).
    4. If at most K / 2^s + 1 arms are left in several batches: merge, s += 1. If no batch has two arms: at once.
    """
    K = len(P)
    C = constant(K, alpha, delta) if C is None else C
    w = [[prior] * K for _ in range(K)]
    # Step 0.
    batches, s, current = cut(shuffled(range(K), policy), batch), 1, 0
    for t in count(1):
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
            return B[0]
        # Step 3.
        c = pick(B, policy)
        u = {j: upper(w, j, c, alpha, log_t) for j in B if j != c}
        d = pick([j for j in u if u[j] == max(u.values())], policy)
        yield c, d
        duel(P, c, d, environment, w)
        # Step 4.
        if few_enough(batches, K, s):
            batches, s = merge(batches, batch, policy), s + 1
        current = (current + 1) % len(batches)


def merge_dts(P, horizon, policy, environment, alpha=0.262144, batch=16, delta=0.01, C=400_000.0):
    """MergeDTS (Li, Markov, de Rijke, Zoghi, TOIS 2020), following the authors' code.

    0. The arms, in random order, are cut into batches of M. s = 1, t = C + 1, w[i, j] = 1 for all i and j.
    1. B is batch number t modulo the number of batches. If it has one arm, the next batch joins it; if only one arm is
       left, it duels itself for ever.
    2. u[i, j] = w[i, j] / n + sqrt(alpha log t / n), n = w[i, j] + w[j, i]. If some i in B has u[i, j] < 1/2 for some j
       in B, one such i, at random, is eliminated; go to 1.
    3. theta[i, j] ~ Beta(w[i, j], w[j, i]), all independent. c is the arm of B with the most theta[c, j] > 1/2, j in
       B; ties at random.
    4. phi[j] ~ Beta(w[j, c], w[c, j]) for the others j in B; d = argmin phi. Duel (c, d). t += 1.
    5. If at most K / 2^s + 1 arms are left in more than one batch: merge, s += 1, t = C + 1.
    """
    K = len(P)
    C = constant(K, alpha, delta) if C is None else C
    # Step 0.
    batches, s, t = cut(shuffled(range(K), policy), batch), 1, C + 1
    w = [[1] * K for _ in range(K)]
    while True:
        B = take(batches, int(t) % len(batches), w, alpha, t, policy)
        if len(B) == 1:
            return B[0]
        # Step 3.
        ahead = {i: sum(policy.beta(w[i][j], w[j][i]) > 0.5 for j in B if j != i) for i in B}
        c = pick([i for i in B if ahead[i] == max(ahead.values())], policy)
        # Step 4.
        phi = {j: policy.beta(w[j][c], w[c][j]) for j in B if j != c}
        d = min(phi, key=phi.get)
        yield c, d
        duel(P, c, d, environment, w)
        t += 1
        # Step 5.
        if few_enough(batches, K, s):
            batches, s, t = merge(batches, batch, policy), s + 1, C + 1


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
