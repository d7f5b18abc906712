"""PBR for the top k (Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier, ICML 2013), Copeland ranking, any horizon.

0. The active pairs are all pairs of the arms, in random order; w = z = 0.
1. Duel every active pair once; p̂ = wins / n, and a tie is half a win for both.
2. A pair is decided if |p̂ - 1/2| > sqrt(ln(pi² K² n² / delta) / (2 n)): w += 1 for the winner, z += 1 for the loser.
3. Arm i is selected if K-1-z_j < w_i for K-k other arms j, and discarded if K-1-z_i < w_j for k others.
4. Stop if k arms are selected, or K-k are discarded.
5. Decided pairs, and pairs of two selected or discarded arms, are active no more. With an active pair go on with 1.
6. Declare the selected arms first, the discarded last, among these by falling w, equal ones in the random order.

In the paper, the first condition of step 3 is that K-z_j < w_i for more than K-k arms j, which may be i itself; the
second one likewise.
"""

import math
from itertools import combinations

from .arithmetic import no_counts, outcome
from .exploration import course
from .random_order import shuffled


def radius(n, K, delta):
    return math.sqrt(math.log(math.pi**2 * K**2 * n**2 / delta) / (2 * n))


def explore(P, horizon, policy, environment, top=1, delta=0.1, T=None):
    K = len(P)
    wins, w, z = no_counts(K), [0] * K, [0] * K
    selected, discarded = [], []
    # Step 0.
    arms = shuffled(range(K), policy)
    active = list(combinations(arms, 2))
    while active:
        # Step 1.
        for i, j in active:
            share = outcome(P, T, i, j, environment)
            wins[i][j] += share
            wins[j][i] += 1 - share
            yield i, j
        # Step 2.
        undecided = []
        for i, j in active:
            n = wins[i][j] + wins[j][i]
            if abs(wins[i][j] / n - 0.5) > radius(n, K, delta):
                winner, loser = (i, j) if wins[i][j] > wins[j][i] else (j, i)
                w[winner] += 1
                z[loser] += 1
            else:
                undecided.append((i, j))
        # Step 3.
        selected = [i for i in arms if sum(K - 1 - z[j] < w[i] for j in arms if j != i) >= K - top]
        discarded = [i for i in arms if sum(K - 1 - z[i] < w[j] for j in arms if j != i) >= top]
        # Step 4.
        if len(selected) == top or len(discarded) == K - top:
            break
        # Step 5.
        settled = selected + discarded
        active = [(i, j) for i, j in undecided if not (i in settled and j in settled)]
    # Step 6.
    order = sorted(arms, key=lambda i: (i not in selected, i in discarded, -w[i]))
    return [order[:top], order[top:]]


def run(P, horizon, policy, environment, top=1, delta=0.1, T=None):
    return course(explore(P, horizon, policy, environment, top, delta, T), horizon)[0]
