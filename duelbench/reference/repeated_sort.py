"""Repeated sorting (Maystre, Grossglauser, ICML 2017): sort a random order with single duels, again and again.

Quicksort: a random arm of the list is the pivot, which all others duel. Then sort the winners, then the losers.
Merge sort: sort the first ceil(m/2) of m arms, then the rest, and merge: the heads of both lists duel.
"""

from itertools import islice

import numpy as np

from .arithmetic import first_wins
from .random_order import shuffled


def quicksort(arms, policy, beats):
    """Yield the pairs in the order of their duels; return the sorted list. Winners and losers stay in their order."""
    if len(arms) < 2:
        return arms
    pivot = arms[int(policy.random() * len(arms))]
    winners, losers = [], []
    for arm in arms:
        if arm != pivot:
            (winners if beats(arm, pivot) else losers).append(arm)
            yield arm, pivot
    upper = yield from quicksort(winners, policy, beats)
    lower = yield from quicksort(losers, policy, beats)
    return [*upper, pivot, *lower]


def merge_sort(arms, policy, beats):
    """Yield the pairs in the order of their duels; return the sorted list."""
    if len(arms) < 2:
        return arms
    half = (len(arms) + 1) // 2
    upper = yield from merge_sort(arms[:half], policy, beats)
    lower = yield from merge_sort(arms[half:], policy, beats)
    merged = []
    while upper and lower:
        pair = upper[0], lower[0]
        merged.append((upper if beats(*pair) else lower).pop(0))
        yield pair
    return merged + upper + lower


def sorts(P, policy, environment, sort):
    arms = list(range(len(P)))
    while True:
        arms = yield from sort(shuffled(arms, policy), policy, lambda i, j: first_wins(P, i, j, environment))


def run(P, horizon, policy, environment, sort="merge"):
    pairs = sorts(P, policy, environment, {"quick": quicksort, "merge": merge_sort}[sort])
    return np.array(list(islice(pairs, horizon)), dtype=int).reshape(horizon, 2)
