"""MallowsMPI and MallowsMPR (Busa-Fekete, Hüllermeier, Szörényi, ICML 2014)."""

import math

from .conventions import first_wins, shuffled


def mallows_mpi(P, horizon, policy, environment, delta=0.05):
    """MallowsMPI (Busa-Fekete, Hüllermeier, Szörényi, ICML 2014): the most preferred item.

    1. i is a random arm.
    2. For every other arm j, in random order: duel i and j until |p - 1/2| > sqrt(ln(4 K n²/delta) / (2 n)), with p the
       share of the n duels of this pair that i has won; if i has lost, i = j.
    3. Declare i.
    """
    K = len(P)
    # Step 1.
    i, *others = shuffled(range(K), policy)
    # Step 2.
    for j in others:
        if not (yield from is_better(P, i, j, K, delta, environment)):
            i = j
    # Step 3.
    return i


def is_better(P, i, j, number, delta, environment):
    """Whether i wins, in step 2."""
    w, n = 0, 0
    while n == 0 or abs(w / n - 0.5) <= radius(n, number, delta):
        w += int(first_wins(P, i, j, environment))
        n += 1
        yield i, j
    return w / n > 0.5


def radius(n, number, delta):
    return math.sqrt(math.log(4 * number * n**2 / delta) / (2 * n))


def mallows_mpr(P, horizon, policy, environment, delta=0.05):
    """MallowsMPR (Busa-Fekete, Hüllermeier, Szörényi, ICML 2014): the most probable ranking.

    1. Put the arms in random order; C = ⌈K log2 K - 0.91392 K + 1⌉, an upper bound on the comparisons of merge sort.
    2. Merge sort: sort the first ⌈m/2⌉ of m arms and the others, then merge. A merge compares the best remaining arms i
       and j of both parts: duel them until |p - 1/2| > sqrt(ln(4 C n²/delta) / (2 n)), with p the share of the n duels
       of this comparison that i has won; the better one is next.
    3. Declare the sorted list.
    """
    # Step 1.
    K = len(P)
    C = math.ceil(K * math.log2(K) - 0.91392 * K + 1)
    arms = shuffled(range(K), policy)

    # Step 2.
    def merge_sort(arms):
        if len(arms) == 1:
            return arms
        half = math.ceil(len(arms) / 2)
        upper = yield from merge_sort(arms[:half])
        lower = yield from merge_sort(arms[half:])
        merged = []
        while upper and lower:
            upper_is_better = yield from is_better(P, upper[0], lower[0], C, delta, environment)
            merged.append((upper if upper_is_better else lower).pop(0))
        return merged + upper + lower

    # Step 3.
    order = yield from merge_sort(arms)
    return [[i] for i in order]
