"""Shared code: duels and counts, the bounds of Wu & Liu (2016, Algorithm 1, line 4), kl, and draws.

Counts are lists of lists of Python integers: ``w[i][j]`` is how often i beat j. The code is deliberately slow.
"""

import math


def no_counts(K):
    return [[0] * K for _ in range(K)]


def upper(w, i, j, t, alpha):
    """``u[i, j]``; both fractions have x/0 := 1, so an unseen pair has u = 2."""
    if i == j:
        return 0.5
    n = w[i][j] + w[j][i]
    return w[i][j] / n + math.sqrt(alpha * math.log(t) / n) if n > 0 else 2.0


def lower(w, i, j, t, alpha):
    """``l[i, j]``; an unseen pair has l = 1 - 1 = 0."""
    if i == j:
        return 0.5
    n = w[i][j] + w[j][i]
    return w[i][j] / n - math.sqrt(alpha * math.log(t) / n) if n > 0 else 0.0


def undecided(w, i, j, t, alpha):
    """Whether ``l <= 1/2 <= u`` in both directions, computed without rounding u and l."""
    n = w[i][j] + w[j][i]
    return n == 0 or (w[i][j] - w[j][i]) ** 2 / (4 * n) <= alpha * math.log(t)


def may_beat(w, i, j, t, alpha):
    """Whether ``u[i, j] >= 1/2``: the pair is not decided in favour of j."""
    return undecided(w, i, j, t, alpha) or w[i][j] > w[j][i]


def may_lose(w, i, j, t, alpha):
    """Whether ``l[i, j] <= 1/2``: the pair is not decided in favour of i."""
    return undecided(w, i, j, t, alpha) or w[i][j] < w[j][i]


def kl(p):
    """Divergence of Bernoulli(p) from a fair coin, in nats; 0 log 0 = 0."""
    heads = p * math.log(2 * p) if p > 0 else 0.0
    tails = (1 - p) * math.log(2 * (1 - p)) if p < 1 else 0.0
    return heads + tails


def pick(candidates, policy):
    """A random candidate (they are in increasing order); a single one needs no draw."""
    if len(candidates) == 1:
        return candidates[0]
    return candidates[int(policy.random() * len(candidates))]


def in_proportion(items, weights, policy):
    """A random item, in proportion to the weights; the remainder from rounding goes to the last one."""
    left, k = sum(weights) * policy.random(), 0
    while k < len(items) - 1 and left >= weights[k]:
        left -= weights[k]
        k += 1
    return items[k]


def with_highest_bound(rivals, w, c, t, alpha, policy):
    """argmax_j u[j, c] over the rivals, ties at random; c itself (u[c, c] = 1/2) if there is no rival."""
    if not rivals:
        return c
    highest = max(upper(w, j, c, t, alpha) for j in rivals)
    return pick([j for j in rivals if upper(w, j, c, t, alpha) == highest], policy)


def challenger(w, c, t, alpha, policy):
    """argmax_j u[j, c]; c only if it is the only maximiser, which means that no other arm reaches 1/2."""
    rivals = [j for j in range(len(w)) if j != c and may_beat(w, j, c, t, alpha)]
    return with_highest_bound(rivals, w, c, t, alpha, policy)


def first_wins(P, first, second, environment):
    """The outcome of a duel of two different arms."""
    return environment.random() < P[first, second]


def outcome(P, T, first, second, environment):
    """The outcome for the first of two different arms: 1, 1/2 or 0; ``T`` is None without ties."""
    chance = environment.random()
    tie = 0.0 if T is None else T[first, second]
    win = P[first, second] - tie / 2
    return 1.0 if chance < win else 0.5 if chance < win + tie else 0.0


def duel(P, first, second, environment, w):
    """Duel and count the outcome. A self-duel draws nothing and counts nothing."""
    if first == second:
        return
    if first_wins(P, first, second, environment):
        w[first][second] += 1
    else:
        w[second][first] += 1


def shuffled(arms, policy):
    order = list(arms)
    for place in range(len(order) - 1, 0, -1):
        other = int(policy.random() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return order
