"""SCB (Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015), Algorithms 2 and 3, over KL arm elimination (Algorithm 4).

Written as the paper is: a procedure that asks for duels and is cut off when the budget of its round is spent.
With ``alpha`` the limits are those of experiments, see ``in_experiments``; ``first_round`` is T of r = 1, 2² in the
paper.
"""

import math

import numpy as np

from .arithmetic import first_wins, pick


class BudgetSpentError(Exception):
    """The round's duels are used up."""


class HorizonReachedError(Exception):
    """The run is over."""


def kl(p, q):
    """Divergence of Bernoulli(p) from Bernoulli(q), in nats."""
    total = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += a * math.log(a / b) if b > 0 else math.inf
    return total


def exploration(m, level):
    """What ``m kl`` may reach at a failure probability ``level`` spread over all m: log(4m/level) + 2 log log m."""
    return math.log(4 * m / level) + 2 * max(0.0, math.log(math.log(m)) if m > 1 else 0.0)


def in_experiments(alpha, t, T, K):
    """Of Wu and Liu's experiments (NIPS 2016): α (log 4tK + 2 max(1, log log t)); elimination has log 4TK instead."""
    return alpha * (math.log(4 * T * K) + 2 * max(1.0, math.log(math.log(t)) if t > 1 else 0.0))


def bound(mean, m, limit, end):
    """The q between ``mean`` and ``end`` (0 or 1) that is farthest from it among those with m kl(mean, q) <= limit."""
    inside, outside = mean, end
    if mean == end or m * kl(mean, end) <= limit:
        return end
    for _ in range(100):
        middle = (inside + outside) / 2
        if m * kl(mean, middle) <= limit:
            inside = middle
        else:
            outside = middle
    return inside


def decision_threshold(n, delta, K):
    """What n kl(p̂, 1/2) must exceed for a pair to be known: 1/2 is then outside the KL interval of p̂ at level δ/K²."""
    return exploration(n, delta / K**2)


def solve(K, T, alpha, ask, policy):
    """Algorithm 2 with ε = 0: return the arm found, asking for duels with ``ask(i, j)``."""
    delta = math.log(T) / T
    w = [[0] * K for _ in range(K)]
    beats = [[None] * K for _ in range(K)]

    def reward(i):
        """Algorithm 2, line 1."""
        j = pick([j for j in range(K) if j != i], policy)
        while beats[i][j] is None:
            if ask(i, j):
                w[i][j] += 1
            else:
                w[j][i] += 1
            n, t = w[i][j] + w[j][i], sum(map(sum, w))
            threshold = in_experiments(alpha, t, t, K) if alpha else decision_threshold(n, delta, K)
            if n * kl(w[i][j] / n, 0.5) > threshold:
                beats[i][j] = w[i][j] > w[j][i]
                beats[j][i] = not beats[i][j]
        return beats[i][j]

    # Algorithm 4.
    remaining = list(range(K))
    ones = [0] * K
    m = 0
    while True:
        m += 1
        for i in remaining:
            ones[i] += reward(i)
            if all(beats[i][j] is not None for i in remaining for j in range(K) if j != i):
                break  # nothing is left to be asked
        else:
            limit = in_experiments(alpha, sum(map(sum, w)), T, K) if alpha else exploration(m, delta / K)
            best = max(bound(ones[i] / m, m, limit, 0.0) for i in remaining)
            remaining = [i for i in remaining if bound(ones[i] / m, m, limit, 1.0) >= best]
            if len(remaining) == 1:
                return remaining[0]
            continue
        score = [sum(beats[i][j] is True for j in range(K)) for i in range(K)]
        highest = max(score[i] for i in remaining)
        return pick([i for i in remaining if score[i] == highest], policy)


def run(P, horizon, policy, environment, alpha=None, first_round=4):
    K = len(P)
    path = []

    def play(i, j, budget_end):
        path.append((i, j))
        outcome = bool(first_wins(P, i, j, environment)) if i != j else None
        if len(path) == horizon:
            raise HorizonReachedError
        if len(path) == budget_end:
            raise BudgetSpentError  # the answer of the last query comes too late to be used
        return outcome

    T = None
    end = 0
    try:
        while True:  # Algorithm 3
            T = first_round if T is None else T**2  # 2^(2^r)
            end += T
            try:
                found = solve(K, T, alpha, lambda i, j, end=end: play(i, j, end), policy)
                while True:
                    play(found, found, end)
            except BudgetSpentError:
                pass
    except HorizonReachedError:
        return np.array(path, dtype=int)
