"""CCB (Zoghi, Karnin, Whiteson, de Rijke, NIPS 2015), Algorithm 1; "line" and "9A" … are its lines.

``S`` is the paper's B_t, ``beaters[i]`` its B_t^i, ``L`` its L_C. Draws follow the conventions of ``arithmetic``; a
random subset of m elements is made by walking through the first m places of the elements in increasing order, each
exchanged with a random one of those from there on.
"""

import numpy as np

from .arithmetic import duel, may_beat, may_lose, no_counts, pick, undecided, upper


def random_subset(elements, m, policy):
    """m of the elements, of which there are more."""
    order = sorted(elements)
    for k in range(m):
        other = k + int(policy.random() * (len(order) - k))
        order[k], order[other] = order[other], order[k]
    return set(order[:m])


def run(P, horizon, policy, environment, alpha=0.51):
    K = len(P)
    arms = range(K)
    w = no_counts(K)  # line 1
    S = set(arms)  # line 2
    beaters = [set() for _ in arms]  # line 3
    L = K  # line 4
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):  # line 5
        # Line 6, as one predicate: u[i, j] >= 1/2, and its negation l[j, i] > 1/2.
        reaches = [[may_beat(w, i, j, t, alpha) for j in arms] for i in arms]
        # Line 7. l[i, k] >= 1/2; l = 1/2 exactly does not happen, log t being irrational.
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
            if M:
                highest = max(upper(w, j, c, t, alpha) for j in M)
                d = pick([j for j in M if upper(w, j, c, t, alpha) == highest], policy)
            else:
                d = c
        path[t - 1] = c, d  # line 14
        duel(P, c, d, environment, w)
    return path
