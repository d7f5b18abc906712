"""CCB and SCB (Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015)."""

import math
from itertools import count, islice, repeat

from .conventions import duel, may_beat, may_lose, no_counts, pick, undecided, with_highest_bound


def ccb(P, horizon, policy, environment, alpha=0.51):
    """CCB (Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015), Algorithm 1; "line" and "9A" … are its lines.

    ``S`` is the paper's B_t, ``beaters[i]`` its B_t^i, ``L`` its L_C. Draws follow ``conventions``; a random subset of
    m elements is drawn by a partial Fisher-Yates shuffle of the elements in increasing order.
    """
    K = len(P)
    arms = range(K)
    w = no_counts(K)  # line 1
    S = set(arms)  # line 2
    beaters = [set() for _ in arms]  # line 3
    L = K  # line 4
    for t in count(1):  # line 5
        # Line 6, as one predicate: u[i, j] >= 1/2, and its negation l[j, i] > 1/2.
        reaches = [[may_beat(w, i, j, t, alpha) for j in arms] for i in arms]
        # Line 7. l[i, k] >= 1/2; l is never exactly 1/2, since log t is irrational.
        top = [sum(reaches[i][k] for k in arms if k != i) for i in arms]
        sure = [sum(not may_lose(w, i, k, t, alpha) for k in arms if k != i) for i in arms]
        C = [i for i in arms if top[i] == max(top)]  # line 8
        # 9A.
        if any(not may_lose(w, i, j, t, alpha) for i in arms for j in beaters[i]):
            S, beaters, L = set(arms), [set() for _ in arms], K
        # 9B.
        for i in sorted(S):
            if any(top[i] < sure[j] for j in arms):
                S = S - {i}
                if len(beaters[i]) != L + 1:
                    beaters[i] = {k for k in arms if k != i and not reaches[i][k]}
        if not S:
            S, beaters, L = set(arms), [set() for _ in arms], K
        # 9C.
        for i in C:
            if top[i] == sure[i]:
                S = S | {i}
                beaters[i] = set()
                L = K - 1 - top[i]
                for j in arms:
                    if j != i:
                        if len(beaters[j]) < L + 1:
                            beaters[j] = set()
                        elif len(beaters[j]) > L + 1:
                            beaters[j] = random_subset(beaters[j], L + 1, policy)
        # Line 10.
        doubtful = [(i, j) for i in arms for j in sorted(beaters[i]) if undecided(w, i, j, t, alpha)]
        if doubtful and policy.random() < 0.25:
            c, d = pick(doubtful, policy)
        else:
            # Line 11: its coin matters only when it changes C.
            both = [i for i in C if i in S]
            if both and both != C and policy.random() < 2 / 3:
                C = both
            c = pick(C, policy)  # line 12
            # Line 13. u[c, c] = l[c, c] = 1/2: c itself is taken only when no other arm reaches 1/2.
            M = [j for j in sorted(beaters[c]) if may_lose(w, j, c, t, alpha)]
            if not (M and policy.random() < 0.5):
                M = [j for j in arms if j != c and may_lose(w, j, c, t, alpha) and reaches[j][c]]
            d = with_highest_bound(M, w, c, t, alpha, policy)
        yield c, d  # line 14
        duel(P, c, d, environment, w)


def random_subset(elements, m, policy):
    """m of the elements; there are more than m."""
    order = sorted(elements)
    for k in range(m):
        other = k + int(policy.random() * (len(order) - k))
        order[k], order[other] = order[other], order[k]
    return set(order[:m])


def scb(P, horizon, policy, environment, alpha=None, first_round=4):
    """SCB (Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015), Algorithms 2 and 3, over KL arm elimination (Algorithm 4).

    As in the paper, a procedure asks for duels and is cut off when the budget of its round is spent; it cannot use the
    answer to its last query. With ``alpha`` the limits are those of ``in_experiments``. ``first_round`` is T for r = 1,
    2² in the paper.
    """
    T = first_round
    while True:  # Algorithm 3
        yield from islice(round_of(P, T, alpha, policy, environment), T)
        T = T**2  # 2^(2^r)


def round_of(P, T, alpha, policy, environment):
    found = yield from solve(P, T, alpha, policy, environment)
    yield from repeat((found, found))


def kl(p, q):
    """Divergence of Bernoulli(p) from Bernoulli(q), in nats."""
    total = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += a * math.log(a / b) if b > 0 else math.inf
    return total


def exploration(m, level):
    """The limit on ``m kl`` for a failure probability ``level`` over all m: log(4m/level) + 2 log log m."""
    return math.log(4 * m / level) + 2 * max(0.0, math.log(math.log(m)) if m > 1 else 0.0)


def in_experiments(alpha, t, T, K):
    """The limit in Wu and Liu's experiments (NIPS 2016): α (log 4tK + 2 max(1, log log t)); log 4TK for elimination."""
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
    """A pair is decided if n kl(p̂, 1/2) exceeds this: 1/2 is then outside the KL interval of p̂ at level δ/K²."""
    return exploration(n, delta / K**2)


def solve(P, T, alpha, policy, environment):
    """Algorithm 2 with ε = 0: yield the duels after they are fought, and return the arm found."""
    K, delta = len(P), math.log(T) / T
    w = [[0] * K for _ in range(K)]
    beats = [[None] * K for _ in range(K)]

    def reward(i):
        """Algorithm 2, line 1."""
        j = pick([j for j in range(K) if j != i], policy)
        while beats[i][j] is None:
            duel(P, i, j, environment, w)
            yield i, j
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
            ones[i] += yield from reward(i)
            if all(beats[i][j] is not None for i in remaining for j in range(K) if j != i):
                break  # no pair is left to ask for
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
