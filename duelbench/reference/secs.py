"""SECS, successive elimination with comparison sparsity (Jamieson, Katariya, Deshpande, Nowak, AISTATS 2015).

0. to 2. As ``borda_elimination``.
3. For t > T₀ = ``gate`` also: p̂[j][i] = K/t times the wins of j against i. For i, j of A, Omega = the k = ``sparsity``
   arms but i and j with the largest |p̂[i][o] - p̂[j][o]| (ties: the first in the random order),
   D = 2 (p̂[i][j] - 1/2) + the sum over Omega of p̂[i][o] - p̂[j][o],
   C = sqrt(2 ln(4 K² t² / delta) K/t) + 2 ln(4 K² t² / delta) K/(3 t). j leaves A if D > constant (k + 1) C.
4. Should a round drop all arms, the one with the largest ŝ stays. The last arm of A is declared.
"""

import math

from .arithmetic import no_counts
from .borda_elimination import duels_of_a_round, low_scores
from .exploration import course
from .random_order import shuffled


def radius(K, t, delta):
    log = math.log(4 * K**2 * t**2 / delta)
    return math.sqrt(2 * log * K / t) + 2 * log * K / (3 * t)


def difference(wins, order, i, j, t, sparsity):
    """D for two arms; all p̂ have the factor K/t, so Omega is chosen by wins, free of rounding."""
    K = len(wins)
    others = [o for o in order if o not in (i, j)]
    Omega = sorted(others, key=lambda o: -abs(wins[i][o] - wins[j][o]))[:sparsity]
    return 2 * (K / t * wins[i][j] - 1 / 2) + K / t * sum(wins[i][o] - wins[j][o] for o in Omega)


def explore(P, horizon, policy, environment, delta=0.1, sparsity=5, gate=0, constant=0.5):
    K = len(P)
    # Step 0.
    order = shuffled(range(K), policy)
    A = list(order)
    wins, t = no_counts(K), 0
    while len(A) > 1:
        t += 1
        yield from duels_of_a_round(P, A, wins, policy, environment)
        out = low_scores(A, wins, t, delta)
        # Step 3.
        if t > gate:
            enough = constant * (sparsity + 1) * radius(K, t, delta)
            for j in A:
                if any(difference(wins, order, i, j, t, sparsity) > enough for i in A if i != j):
                    out.add(j)
        # Step 4: max() takes the first of several.
        A = [j for j in A if j not in out] or [max(A, key=lambda j: sum(wins[j]))]
    return A[0]


def run(P, horizon, policy, environment, delta=0.1, sparsity=5, gate=0, constant=0.5):
    return course(explore(P, horizon, policy, environment, delta, sparsity, gate, constant), horizon)[0]
