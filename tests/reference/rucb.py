"""Relative confidence: RUCB and RCS (Zoghi, Whiteson, Munos, de Rijke, 2014)."""

from itertools import count

from .conventions import challenger, duel, may_beat, no_counts, pick


def rucb(P, horizon, policy, environment, alpha=0.51):
    r"""RUCB (Zoghi, Whiteson, Munos, de Rijke, ICML 2014).

    0. B, the hypothesis set of at most one arm, is empty at first.
    1. C = {c : u[c, j] >= 1/2 for all j}. If C is empty, c is random among all arms.
    2. B <- B ∩ C. If |C| = 1: B <- C and c is that arm. If |C| > 1: c is the arm of B with probability 1/2 when B is
       non-empty, else random among C \ B.
    3. d = argmax_j u[j, c]; among ties d = c is not allowed unless it is the only maximiser, the rest at random.
    4. Duel (c, d).
    """
    w, B = no_counts(len(P)), []  # step 0
    for t in count(1):
        # Steps 1 and 2.
        c, B = champion(w, B, t, alpha, policy)
        # Step 3.
        d = challenger(w, c, t, alpha, policy)
        # Step 4.
        yield c, d
        duel(P, c, d, environment, w)


def champion(w, B, t, alpha, policy):
    """Return c and the new B."""
    K = len(w)
    # Step 1.
    C = [c for c in range(K) if all(may_beat(w, c, j, t, alpha) for j in range(K) if j != c)]
    # Step 2. If C is empty, so is B ∩ C.
    B = [b for b in B if b in C]
    if len(C) == 0:
        return pick(range(K), policy), B
    if len(C) == 1:
        return C[0], C
    if B and policy.random() < 0.5:
        return B[0], B
    return pick([arm for arm in C if arm not in B], policy), B


def rcs(P, horizon, policy, environment, alpha=0.51):
    """RCS (Zoghi, Whiteson, de Rijke, Munos, WSDM 2014).

    1. Draw θ[i, j] ~ Beta(w[i, j] + 1, w[j, i] + 1) for i < j; θ[j, i] = 1 - θ[i, j] and θ[i, i] = 1/2.
    2. If some arm has θ[c, j] >= 1/2 for all j, it is c; else c is the arm chosen as c least often so far, ties at
       random.
    3. d = argmax_j u[j, c]; among ties d = c is not allowed unless it is the only maximiser, the rest at random.
    4. Duel (c, d).
    """
    w, chosen = no_counts(len(P)), [0] * len(P)
    for t in count(1):
        c = choose_champion(tournament(w, policy), chosen, policy)
        chosen[c] += 1
        # Step 3.
        d = challenger(w, c, t, alpha, policy)
        # Step 4.
        yield c, d
        duel(P, c, d, environment, w)


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
