"""Pairs chosen without a model: uniform, Swiss system, repeated sorting; arena pairs by their standard error."""

import math
from itertools import combinations, islice

import numpy as np

from .conventions import duel, first_wins, no_counts, shuffled


def uniform(P, horizon, policy, environment, variant="random"):
    """Uniform exploration: a random pair of different arms each round, or all pairs in turn."""
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w = no_counts(K)  # kept only because a duel has an outcome
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        if variant == "random":
            i = int(policy.random() * K)
            j = int(policy.random() * (K - 1))
            j += j >= i
        elif variant == "round-robin":
            i, j = pairs[(t - 1) % len(pairs)]
        else:
            raise ValueError(f"unknown variant {variant!r}")
        path[t - 1] = i, j
        duel(P, i, j, environment, w)
    return path


def swiss(P, horizon, policy, environment):
    """Swiss system: rounds of floor(K/2) pairs with about as many wins.

    1. A random order of the arms; the last one rests if K is odd. Sort the others by their wins, most first; those with
       equal wins keep the random order.
    2. Neighbours duel: the first and the second, the third and the fourth, and so on.
    """
    K = len(P)
    w, path, arms = no_counts(K), [], list(range(K))
    while len(path) < horizon:
        # Step 1.
        arms = shuffled(arms, policy)
        m = K - K % 2
        playing, resting = arms[:m], arms[m:]
        playing.sort(key=lambda arm: -sum(w[arm]))
        arms = playing + resting
        # Step 2.
        for i, j in zip(playing[::2], playing[1::2], strict=True):
            duel(P, i, j, environment, w)
            path.append((i, j))
    return np.array(path[:horizon], dtype=int)


def arena_pairs(P, horizon, policy, environment):
    """Arena pairs (Chiang et al., ICML 2024): a pair in proportion to what one more duel takes off its standard error.

    That is sqrt(v/n) - sqrt(v/(n+1)).

    1. Every pair duels once, in random order.
    2. Draw pair (i, j) with that probability: n is its number of duels, v = p (1 - p), p = (w + 1) / (n + 2).
    """
    pairs = list(combinations(range(len(P)), 2))
    # Step 1.
    first = shuffled(pairs, policy)
    w = no_counts(len(P))
    path = np.empty((horizon, 2), dtype=int)
    for t in range(horizon):
        if t < len(pairs):
            i, j = first[t]
        else:
            # Step 2.
            weights = [weight(w, *pair) for pair in pairs]
            left, k = sum(weights) * policy.random(), 0
            while k < len(pairs) - 1 and left >= weights[k]:
                left -= weights[k]
                k += 1
            i, j = pairs[k]
        path[t] = i, j
        duel(P, i, j, environment, w)
    return path


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
    pairs = sorts(P, policy, environment, {"quick": quicksort, "merge": merge_sort}[sort])
    return np.array(list(islice(pairs, horizon)), dtype=int).reshape(horizon, 2)


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
