"""SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), Algorithm 1, with the independence tests of its section 4.

It is told the horizon T. N = K (K - 1) / 2 pairs; delta = 1/T unless given.

0. Every x_ij is known to lie in [a_ij, b_ij] = [0, 1].
1. Duel the least sampled pair i < j that is still relevant, the first in lexicographic order.
2. Intersect its interval with p̂ ± c(n), c(n) = sqrt(log(2 N T / delta) / (2 n)). Should nothing be left, what stays
   is the end of the old interval that is nearer to the new one.
3. Stop when no pair is relevant, or the decision is accepted; then play the winner for ever. Else go on with 1.

A score is bounded by the number of decided wins and of possible wins (Copeland), or by the sums of the a_ij and of
the b_ij (Borda). A candidate is an arm whose upper score reaches the best lower score.

                 Condorcet                       Copeland                               Borda
candidates       no b_ij < 1/2                   as above                               as above
relevant pair    of two candidates               undecided, of at least one candidate   of at least one candidate
margin of i      min a_ij over candidates j      own lower - best upper of the others   the same
accepted         one candidate is left (all variants); and with epsilon > 0, when the largest margin is
                 >= 1/2 - epsilon                >= -epsilon (K - 1)                    >= -epsilon (K - 1)
winner           the candidate with the largest margin, ties at random (all variants)
"""

import math
from itertools import combinations

from .arithmetic import first_wins, no_counts, pick
from .exploration import course


def radius(n, K, T, delta):
    return math.sqrt(math.log(2 * (K * (K - 1) / 2) * T / delta) / (2 * n))


def others(K, i):
    return [j for j in range(K) if j != i]


def bounds(a, b, variant):
    """The lower and upper scores of all arms."""
    K = len(a)
    if variant == "copeland":
        lower = [sum(a[i][j] > 0.5 for j in others(K, i)) for i in range(K)]
        upper = [sum(b[i][j] >= 0.5 for j in others(K, i)) for i in range(K)]
    else:
        lower = [sum(a[i][j] for j in others(K, i)) for i in range(K)]
        upper = [sum(b[i][j] for j in others(K, i)) for i in range(K)]
    return lower, upper


def candidate_arms(a, b, variant):
    K = len(a)
    if variant == "condorcet":
        return [i for i in range(K) if all(b[i][j] >= 0.5 for j in others(K, i))]
    lower, upper = bounds(a, b, variant)
    return [i for i in range(K) if upper[i] >= max(lower)]


def is_relevant(a, b, i, j, candidates, variant):
    if variant == "condorcet":
        return i in candidates and j in candidates
    if variant == "copeland" and not a[i][j] <= 0.5 <= b[i][j]:
        return False
    return i in candidates or j in candidates


def margins(a, b, candidates, variant):
    """The margin of every candidate; infinite for the only arm left of the Condorcet variant."""
    K = len(a)
    if variant == "condorcet":
        return {i: min((a[i][j] for j in candidates if j != i), default=math.inf) for i in candidates}
    lower, upper = bounds(a, b, variant)
    return {i: lower[i] - max(upper[j] for j in others(K, i)) for i in candidates}


def explore(P, horizon, policy, environment, variant="copeland", delta=None, epsilon=0.0):
    K = len(P)
    delta = 1 / horizon if delta is None else delta
    w, n = no_counts(K), no_counts(K)
    # Step 0.
    a, b = [[0.0] * K for _ in range(K)], [[1.0] * K for _ in range(K)]
    while True:
        # Step 3.
        candidates = candidate_arms(a, b, variant)
        relevant = [(i, j) for i, j in combinations(range(K), 2) if is_relevant(a, b, i, j, candidates, variant)]
        margin = margins(a, b, candidates, variant)
        enough = 0.5 - epsilon if variant == "condorcet" else -epsilon * (K - 1)
        accepted = len(candidates) == 1 or (epsilon > 0 and max(margin.values()) >= enough)
        if accepted or not relevant:
            return pick([i for i in candidates if margin[i] == max(margin.values())], policy)
        # Step 1: min() takes the first of several.
        i, j = min(relevant, key=lambda pair: n[pair[0]][pair[1]])
        w[i][j] += int(first_wins(P, i, j, environment))
        n[i][j] += 1
        # Step 2.
        mean, c = w[i][j] / n[i][j], radius(n[i][j], K, horizon, delta)
        a_new, b_new = max(a[i][j], mean - c), min(b[i][j], mean + c)
        if a_new > b_new:
            a_new = b_new = b[i][j] if mean - c > b[i][j] else a[i][j]
        a[i][j], b[i][j] = a_new, b_new
        a[j][i], b[j][i] = 1 - b_new, 1 - a_new
        yield i, j


def run(P, horizon, policy, environment, variant="copeland", delta=None, epsilon=0.0):
    return course(explore(P, horizon, policy, environment, variant, delta, epsilon), horizon)[0]
