"""POCOWISTA and TRA-POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024)."""

import math

from .conventions import outcome, shuffled


def log_density(a, b):
    choose = math.lgamma(a + b + 1) - math.lgamma(a + 1) - math.lgamma(b + 1)
    return math.log(a + b + 1) + choose - (a + b) * math.log(2)


def ppr(P, i, j, gamma, outcomes, environment, T=None):
    """PPR-1v1, a prior-posterior-ratio test of a pair (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024).

    The outcomes are i wins, j wins, and a tie; let a >= b be the two largest counts. Stop at the first duel with
    dbeta(1/2; a+1, b+1) <= gamma/(outcomes - 1), that is ln[(a+b+1) C(a+b, a)] - (a+b) ln 2 <= ln(gamma/(outcomes -
    1)). The outcome with count a is the most probable one.

    Yield the duels; return the outcome for i: 1, 1/2 or 0.
    """
    level = math.log(gamma / (outcomes - 1)) + 1e-9  # the tolerance stops it at equality despite rounding
    counts = {0.0: 0, 0.5: 0, 1.0: 0}
    while not log_density(*sorted(counts.values())[:0:-1]) <= level:
        counts[outcome(P, T, i, j, environment)] += 1
        yield i, j
    return max(counts, key=counts.get)


def pocowista(P, horizon, policy, environment, delta=0.05, outcomes=3, T=None):
    """POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024): a Copeland winner; the potential winner stays.

    The result of a pair is its most probable outcome.

    1. delta' = delta/C(K, 2); co[i] = 0; pot[i] = K - 1 (score so far + undecided pairs).
    2. Stop when some arm b (the first maximum of co) has pot[i] <= co[b] for all other i: declare b.
    3. i = argmax pot; j = argmax co among arms whose pair with i is undecided (ties: the first of a random
       permutation).
    4. Decide (i, j) by PPR-1v1(delta'), with fresh counts; add 1 to co of the winner, or 1/2 to both; update pot of
       both. Each pair at most once. Go to 2.
    """
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


def next_pair(order, score):
    """Steps 2 and 3: the next pair, or only the winner. ``score[i, j]`` is the score of i from a decided pair."""
    co = {i: sum(score.get((i, j), 0) for j in order) for i in order}
    pot = {i: sum(score.get((i, j), 1) for j in order if j != i) for i in order}
    b = max(order, key=co.get)
    if all(pot[i] <= co[b] for i in order if i != b):
        return b, None
    i = max(order, key=pot.get)
    return i, max((j for j in order if j != i and (i, j) not in score), key=co.get)


def tra_pocowista(P, horizon, policy, environment, delta=0.05, outcomes=3, T=None):
    """TRA-POCOWISTA (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024): POCOWISTA for transitive matrices.

    1. delta' = delta/(K ln K), delta for K = 2.
    2. The steps of POCOWISTA, but after each decision close the known relation and recompute co and pot from it. The
       rules of inference: x > y > z, x > y ~ z and x ~ y > z give x > z; x ~ y ~ z gives x ~ z.
    """
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


def close(score):
    """Apply the rules of inference until nothing changes; two steps, neither up, imply the larger of the two."""
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
