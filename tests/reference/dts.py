"""Thompson sampling: D-TS and D-TS+ (Wu & Liu, NIPS 2016), and self-sparring."""

from itertools import count

import numpy as np

from .conventions import duel, first_wins, kl, may_beat, may_lose, no_counts, pick


def dts(P, horizon, policy, environment, alpha=0.51):
    """D-TS (Wu & Liu, NIPS 2016), Algorithm 1; "line" in the comments is a line of it."""
    return play(P, policy, environment, alpha, first_candidate)


def votes(theta, i):
    """How many arms i beats under the samples ``theta``."""
    return sum(theta[i][j] > 0.5 for j in range(len(theta)) if j != i)


def most_votes(theta, C):
    """The arms of C with the most votes; all arms vote, not only those of C."""
    most = max(votes(theta, i) for i in C)
    return [i for i in C if votes(theta, i) == most]


def first_candidate(theta, C, policy):
    """Line 11."""
    return pick(most_votes(theta, C), policy)


def play(P, policy, environment, alpha, choose_first):
    """Algorithm 1 with ``choose_first(theta, C, policy)`` for its line 11."""
    K = len(P)
    # Line 1: B[i][j] is how often i beat j.
    B = no_counts(K)
    for t in count(1):  # line 2
        # Lines 4 to 6. Unnormalised, since dividing by K - 1 does not change the maximisers.
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
        yield a1, a2
        duel(P, a1, a2, environment, B)


def dts_plus(P, horizon, policy, environment, alpha=0.51):
    """D-TS+ (Wu & Liu, NIPS 2016), section 4.3: D-TS with another rule for ties in line 11 of Algorithm 1."""
    return play(P, policy, environment, alpha, first_candidate_by_regret)


def estimated_regret(theta, i):
    """``R̃_i``, the sum over j != i with theta[i, j] != 1/2 of ``r̃[i, j] / D(theta[i, j] || 1/2)``."""
    K = len(theta)
    score = [votes(theta, k) / (K - 1) for k in range(K)]
    total = 0.0
    for j in range(K):
        if j == i or theta[i][j] == 0.5:
            continue
        loss = max(score) - (score[i] + score[j]) / 2
        divergence = kl(theta[i][j])
        if loss > 0:
            # Within about 1e-8 of 1/2, the computed divergence may round to 0.
            total += loss / divergence if divergence > 0 else float("inf")
    return total


def first_candidate_by_regret(theta, C, policy):
    A1 = most_votes(theta, C)
    regret = {i: estimated_regret(theta, i) for i in A1}
    return pick([i for i in A1 if regret[i] == min(regret.values())], policy)


def self_sparring(P, horizon, policy, environment, eta=1.0):
    """IndSelfSparring (Sui, Zhuang, Burdick, Yue, UAI 2017, Algorithm 3) with two arms a round.

    0. S[i] = F[i] = 0.
    1. For each of the two places: theta[i] ~ Beta(S[i] + 1, F[i] + 1) for all arms; the arm is argmax theta.
    2. Duel them. S of the winner and F of the loser grow by eta; in a self-duel the arm is both.
    """
    K = len(P)
    # Step 0.
    S, F = [0.0] * K, [0.0] * K
    while True:
        # Step 1.
        x, y = (int(np.argmax([policy.beta(S[i] + 1, F[i] + 1) for i in range(K)])) for _ in range(2))
        yield x, y
        # Step 2.
        winner, loser = (x, y) if x == y or first_wins(P, x, y, environment) else (y, x)
        S[winner] += eta
        F[loser] += eta
