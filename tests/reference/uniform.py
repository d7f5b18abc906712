"""Pairs chosen without a model: uniform, Swiss system, repeated sorting, and arena pairs (by standard errors)."""

import math
from itertools import combinations, cycle

from .conventions import duel, first_wins, in_proportion, no_counts, shuffled


def uniform(P, horizon, policy, environment, variant="random"):
    """Uniform exploration: a random pair of different arms each round, or all pairs in turn."""
    K = len(P)
    if variant == "round-robin":
        yield from cycle(combinations(range(K), 2))
    while True:
        i = int(policy.random() * K)
        j = int(policy.random() * (K - 1))
        yield i, j + (j >= i)


def swiss(P, horizon, policy, environment):
    """Swiss system: rounds of floor(K/2) pairs of arms with similar numbers of wins.

    1. Put the arms in random order; the last one rests if K is odd. Sort the others by their wins, most first; ties
       keep the random order.
    2. Neighbours duel: the first and the second, the third and the fourth, and so on.
    """
    K = len(P)
    w, arms = no_counts(K), list(range(K))
    while True:
        # Step 1.
        arms = shuffled(arms, policy)
        m = K - K % 2
        playing, resting = arms[:m], arms[m:]
        playing.sort(key=lambda arm: -sum(w[arm]))
        arms = playing + resting
        # Step 2.
        for i, j in zip(playing[::2], playing[1::2], strict=True):
            yield i, j
            duel(P, i, j, environment, w)


def arena_pairs(P, horizon, policy, environment):
    """Arena pairs (Chiang et al., ICML 2024): draw a pair in proportion to the reduction of its standard error.

    1. Every pair duels once, in random order.
    2. Draw pair (i, j) in proportion to sqrt(v/n) - sqrt(v/(n+1)), the reduction by one more duel: n is its number of
       duels, v = p (1 - p), p = (w + 1) / (n + 2).
    """
    pairs = list(combinations(range(len(P)), 2))
    # Step 1.
    first = shuffled(pairs, policy)
    w = no_counts(len(P))
    while True:
        # Step 2.
        i, j = first.pop(0) if first else in_proportion(pairs, [weight(w, *pair) for pair in pairs], policy)
        yield i, j
        duel(P, i, j, environment, w)


def weight(w, i, j):
    n = w[i][j] + w[j][i]
    p = (w[i][j] + 1) / (n + 2)
    v = p * (1 - p)
    return math.sqrt(v / n) - math.sqrt(v / (n + 1))


def repeated_sort(P, horizon, policy, environment, sort="merge"):
    """Repeated sorting (Maystre, Grossglauser, ICML 2017): sort a random order with single duels, again and again.

    Quicksort: a random arm of the list is the pivot, which all others duel. Then sort the winners, then the losers.
    Merge sort: sort the first ceil(m/2) of m arms, then the rest, and merge: the heads of both lists duel.
    """
    arms = list(range(len(P)))
    sorts = {"quick": quicksort, "merge": merge_sort}
    while True:
        arms = yield from sorts[sort](shuffled(arms, policy), policy, lambda i, j: first_wins(P, i, j, environment))


def quicksort(arms, policy, beats):
    """Yield the pairs in the order of their duels; return the sorted list. Winners and losers keep their order."""
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
