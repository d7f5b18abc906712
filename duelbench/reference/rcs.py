"""RCS (Zoghi, Whiteson, de Rijke, Munos, WSDM 2014).

1. Draw θ[i, j] ~ Beta(w[i, j] + 1, w[j, i] + 1) for i < j; θ[j, i] = 1 - θ[i, j] and θ[i, i] = 1/2.
2. If some arm has θ[c, j] >= 1/2 for all j, it is c; else c is the arm chosen as c least often so far, ties at random.
3. d = argmax_j u[j, c]; among ties d = c is not allowed unless it is the only maximiser, the rest at random.
4. Duel (c, d).
"""

import numpy as np

from .arithmetic import duel, may_beat, no_counts, pick, upper


def tournament(w, policy):
    """Step 1."""
    K = len(w)
    theta = [[0.5] * K for _ in range(K)]
    for i in range(K):
        for j in range(i + 1, K):
            theta[i][j] = policy.beta(w[i][j] + 1, w[j][i] + 1)
            theta[j][i] = 1 - theta[i][j]
    return theta


def choose_champion(theta, chosen, policy):
    """Step 2."""
    K = len(theta)
    for c in range(K):
        if all(theta[c][j] >= 0.5 for j in range(K)):
            return c
    return pick([c for c in range(K) if chosen[c] == min(chosen)], policy)


def run(P, horizon, policy, environment, alpha=0.51):
    K = len(P)
    w = no_counts(K)
    chosen = [0] * K
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        c = choose_champion(tournament(w, policy), chosen, policy)
        chosen[c] += 1
        # Step 3. u[c, c] = 1/2, so c itself is the only maximiser exactly when no other arm reaches 1/2.
        rivals = [j for j in range(K) if j != c and may_beat(w, j, c, t, alpha)]
        if rivals:
            highest = max(upper(w, j, c, t, alpha) for j in rivals)
            d = pick([j for j in rivals if upper(w, j, c, t, alpha) == highest], policy)
        else:
            d = c
        # Step 4.
        path[t - 1] = c, d
        duel(P, c, d, environment, w)
    return path
