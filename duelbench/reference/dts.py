"""D-TS (Wu & Liu, NIPS 2016), Algorithm 1; "line" in the comments is a line of it."""

import numpy as np

from .arithmetic import duel, may_beat, may_lose, no_counts, pick


def votes(theta, i):
    """How many arms i beats under the samples ``theta``."""
    return sum(theta[i][j] > 0.5 for j in range(len(theta)) if j != i)


def most_votes(theta, C):
    """The arms of C with most votes (all arms vote, not only those of C)."""
    most = max(votes(theta, i) for i in C)
    return [i for i in C if votes(theta, i) == most]


def first_candidate(theta, C, policy):
    """Line 11."""
    return pick(most_votes(theta, C), policy)


def play(P, horizon, policy, environment, alpha, choose_first):
    """Algorithm 1 with ``choose_first(theta, C, policy)`` for its line 11."""
    K = len(P)
    # Line 1: B[i][j] is how often i beat j.
    B = no_counts(K)
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):  # line 2
        # Lines 4 to 6. Unnormalised: dividing by K - 1 changes no maximum.
        score = [sum(may_beat(B, i, j, t, alpha) for j in range(K) if j != i) for i in range(K)]
        C = [i for i in range(K) if score[i] == max(score)]
        # Lines 7 to 10.
        theta = [[0.5] * K for _ in range(K)]
        for i in range(K):
            for j in range(i + 1, K):
                theta[i][j] = policy.beta(B[i][j] + 1, B[j][i] + 1)
                theta[j][i] = 1 - theta[i][j]
        # Line 11.
        a1 = choose_first(theta, C, policy)
        # Line 13.
        theta2 = [policy.beta(B[i][a1] + 1, B[a1][i] + 1) if i != a1 else 0.5 for i in range(K)]
        # Line 14. l[a1, a1] = 1/2, so a1 is always among them.
        uncertain = [i for i in range(K) if i == a1 or may_lose(B, i, a1, t, alpha)]
        a2 = max(uncertain, key=lambda i: theta2[i])
        # Lines 16 and 17. B[a1][a1] is never read, so a self-duel need not count.
        path[t - 1] = a1, a2
        duel(P, a1, a2, environment, B)
    return path


def run(P, horizon, policy, environment, alpha=0.51):
    return play(P, horizon, policy, environment, alpha, first_candidate)
