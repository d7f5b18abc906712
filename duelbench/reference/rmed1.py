"""RMED1 (Komiyama, Honda, Kashima, Nakagawa, COLT 2015). It draws nothing from the policy's stream.

0. f(K) = f_scale * K**f_power. Duel every pair once.
1. The current list LC and the set LR of remaining arms are all arms; the next list LN is empty.
2. For each arm l of LC, in order:
   a. m = i* if i* is in O_l or O_l is empty, else argmin_{j != l} p̂[l, j];
   b. duel (l, m);
   c. remove l from LR;
   d. append to LN every arm j that is neither in LR nor in LN and has I_j - I* <= log t + f(K), t being this round.
3. LC = LR = LN, LN is empty; go on with 2.

O_i = {j != i : p̂[i, j] <= 1/2}, I_i = sum over O_i of n[i, j] kl(p̂[i, j]), I* = min I_i, i* its arm. All argmins take
the lowest index.
"""

import math
from itertools import combinations, islice

import numpy as np

from .arithmetic import duel, kl, no_counts


def count(w, i, j):
    return w[i][j] + w[j][i]


def mean(w, i, j):
    """``p̂[i, j]``, 1/2 for an unseen pair."""
    return w[i][j] / count(w, i, j) if count(w, i, j) > 0 else 0.5


def O(w, i):  # noqa: E743
    return [j for j in range(len(w)) if j != i and mean(w, i, j) <= 0.5]


def I(w, i):  # noqa: E743
    # Not sum(): from Python 3.12 on it compensates for rounding, a plain loop in another language does not.
    total = 0.0
    for j in O(w, i):
        total += count(w, i, j) * kl(mean(w, i, j))
    return total


def rounds(P, environment, f_scale, f_power):
    """The arms of round 1, 2, … without end."""
    K = len(P)
    w = no_counts(K)
    # Step 0.
    f = f_scale * K**f_power
    t = 0
    for i, j in combinations(range(K), 2):
        t += 1
        duel(P, i, j, environment, w)
        yield i, j
    # Step 1.
    LC, LR, LN = list(range(K)), set(range(K)), []
    while True:
        # Step 2.
        for l in LC:  # noqa: E741
            t += 1
            # a.
            i_star = min(range(K), key=lambda i: I(w, i))
            if i_star in O(w, l) or not O(w, l):
                m = i_star
            else:
                m = min((j for j in range(K) if j != l), key=lambda j: mean(w, l, j))
            # b.
            duel(P, l, m, environment, w)
            yield l, m
            # c.
            LR.remove(l)
            # d., with the outcome of this round in the counts.
            I_star = min(I(w, i) for i in range(K))
            for j in range(K):
                if j not in LR and j not in LN and I(w, j) - I_star <= math.log(t) + f:
                    LN.append(j)
        # Step 3.
        LC, LR, LN = LN, set(LN), []


def run(P, horizon, policy, environment, f_scale=0.3, f_power=1.01):
    return np.array(list(islice(rounds(P, environment, f_scale, f_power), horizon)), dtype=int)
