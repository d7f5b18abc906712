"""Winner Stays with pairwise elimination (Ma, Ding, Zhang, Zhou, KDD 2025, Algorithm 3).

0. X and Q are all arms, l = 1, the incumbent i is random. S[i] are wins minus losses.
1. While |X| > 1: the challenger j is random in Q without i. Duel (i, j) until (a) one of them has S = -l, or (b)
   |p[i, j] - 1/2| > sqrt(log(8 K n²/delta) / (2n)), n the duels of this pair so far, p[i, j] the share of them that i
   won.
2. In (b) the arm that has won less leaves X and Q; else, in (a), the arm at -l leaves Q. The other one is the
   incumbent.
3. If |Q| <= 1: Q = X, l += 1.
4. The last arm of X duels itself for ever.
"""

import math

from .arithmetic import first_wins, no_counts, pick
from .exploration import course


def explore(P, horizon, policy, environment, delta=0.05):
    K = len(P)
    # Step 0.
    X, Q, l = set(range(K)), set(range(K)), 1  # noqa: E741
    i = pick(range(K), policy)
    S, w = [0] * K, no_counts(K)
    while len(X) > 1:
        # Step 1.
        j = pick(sorted(Q - {i}), policy)
        while True:
            winner, loser = (i, j) if first_wins(P, i, j, environment) else (j, i)
            S[winner] += 1
            S[loser] -= 1
            w[winner][loser] += 1
            yield i, j
            n = w[i][j] + w[j][i]
            sure = abs(w[i][j] / n - 0.5) > math.sqrt(math.log(8 * K * n**2 / delta) / (2 * n))
            if sure or S[i] <= -l or S[j] <= -l:
                break
        # Step 2.
        if sure:
            out = j if w[i][j] > w[j][i] else i
            X.remove(out)
        else:
            out = i if S[i] <= -l else j
        Q.remove(out)
        i = j if out == i else i
        # Step 3.
        if len(Q) <= 1:
            Q, l = set(X), l + 1  # noqa: E741
    # Step 4.
    return i


def run(P, horizon, policy, environment, delta=0.05):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
