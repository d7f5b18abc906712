"""PL-PAC (Szörényi, Busa-Fekete, Paul, Hüllermeier, NeurIPS 2015), for the Plackett-Luce model.

0. A = all arms in random order; n[i][j] = w[i][j] = 0.
1. Quicksort with a budget of |A| - 1 duels, one pivot step: a random arm v of A duels every other one once.
2. For every two arms of A that this orders, (winner, v), (v, loser) and (winner, loser): n += 1, w += 1 for the upper.
3. c = sqrt(ln(4 K² n² / delta) / (2 n)), K the number of all arms; p̂ = w / n. Unseen pairs have c = 1, p̂ = 1/2.
   i leaves A if p̂[i][j] + c < 1/2 for some j of A; one arm after the other, so that A is never empty.
4. If for some i of A p̂[i][j] - c > 1/2 - epsilon for all j of A: declare it; of several the one with most wins
   against A, the first of these. Else go on with 1.

``variant="heckel"``: in c n/2 stands for n, as in the program of Heckel, Shah, Ramchandran, Wainwright (2019).
"""

import math

from .arithmetic import first_wins, no_counts
from .exploration import course
from .random_order import shuffled


def radius(n, K, delta):
    return math.sqrt(math.log(4 * K**2 * n**2 / delta) / (2 * n)) if n > 0 else 1.0


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1, variant="paper"):
    K = len(P)
    # Step 0.
    A = shuffled(range(K), policy)
    n, w = no_counts(K), no_counts(K)

    def mean(i, j):
        return w[i][j] / n[i][j] if n[i][j] > 0 else 0.5

    def c(i, j):
        return radius(n[i][j] / 2 if variant == "heckel" else n[i][j], K, delta)

    def opponents(i):
        return [j for j in A if j != i]

    while True:
        # Step 1.
        v = A[int(policy.random() * len(A))]
        winners, losers = [], []
        for j in opponents(v):
            (losers if first_wins(P, v, j, environment) else winners).append(j)
            yield v, j
        # Step 2.
        ordered = [(i, v) for i in winners] + [(v, j) for j in losers] + [(i, j) for i in winners for j in losers]
        for i, j in ordered:
            n[i][j] += 1
            n[j][i] += 1
            w[i][j] += 1
        # Step 3.
        for i in list(A):
            if any(mean(i, j) + c(i, j) < 0.5 for j in opponents(i)):
                A.remove(i)
        # Step 4.
        good = [i for i in A if all(mean(i, j) - c(i, j) > 0.5 - epsilon for j in opponents(i))]
        if good:
            return max(good, key=lambda i: sum(w[i][j] for j in opponents(i)))


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1, variant="paper"):
    return course(explore(P, horizon, policy, environment, epsilon, delta, variant), horizon)[0]
