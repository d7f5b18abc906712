"""Successive elimination by Borda scores (Jamieson, Katariya, Deshpande, Nowak, AISTATS 2015, the Borda reduction).

0. A = all arms in random order.
1. At t = 1, 2, ...: I is uniform over all arms; every j of A but I duels it once.
2. ŝ[j] = K/((K-1) t) times the wins of j. j leaves A if ŝ[i] > ŝ[j] + K/(K-1) sqrt(2 ln(4 K t² / delta) / t) for some
   i of A.
3. The last arm of A is declared.
"""

import math

from .arithmetic import first_wins, no_counts
from .exploration import course
from .random_order import shuffled


def radius(K, t, delta):
    return K / (K - 1) * math.sqrt(2 * math.log(4 * K * t**2 / delta) / t)


def duels_of_a_round(P, A, wins, policy, environment):
    """Step 1; ``wins[j][i]`` are those of j against i."""
    opponent = int(policy.random() * len(P))
    for j in A:
        if j != opponent:
            wins[j][opponent] += int(first_wins(P, j, opponent, environment))
            yield j, opponent


def low_scores(A, wins, t, delta):
    """The arms that leave in step 2."""
    K = len(wins)
    score = {j: K / ((K - 1) * t) * sum(wins[j]) for j in A}
    return {j for j in A if any(score[i] > score[j] + radius(K, t, delta) for i in A)}


def explore(P, horizon, policy, environment, delta=0.1):
    K = len(P)
    # Step 0.
    A = shuffled(range(K), policy)
    wins, t = no_counts(K), 0
    while len(A) > 1:
        t += 1
        yield from duels_of_a_round(P, A, wins, policy, environment)
        low = low_scores(A, wins, t, delta)
        A = [j for j in A if j not in low]
    # Step 3.
    return A[0]


def run(P, horizon, policy, environment, delta=0.1):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
