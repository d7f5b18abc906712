"""The lower bound of Komiyama, Honda and Nakagawa (ICML 2016) from its definition: a row for every other outcome.

An algorithm must make sure that i1 is a Copeland winner: for every way to reverse pairs that leaves i1 without the most
wins, the evidence q kl of the reversed pairs adds up to 1. Ties are reversed at no evidence, to the win of either arm,
unless both arms are winners, where an algorithm may duel them for ever at no cost. Exponential in the number of pairs.
"""

from itertools import combinations, product
from math import inf

import numpy as np
from scipy.optimize import linprog

from .arithmetic import kl


def lower_bound(P):
    K = len(P)
    wins = [sum(P[i][j] > 0.5 for j in range(K)) for i in range(K)]
    most = max(wins)
    winners = [i for i in range(K) if wins[i] == most]
    return min(cost(P, i1, wins, winners) for i1 in winners)


def cost(P, i1, wins, winners):
    K = len(P)
    pairs = list(combinations(range(K), 2))
    both = [(i, j) for i, j in pairs if P[i][j] == 0.5 and i in winners and j in winners]
    # 1: i beats j, −1: j beats i, 0: neither
    possible = [(0,) if pair in both else (1, 0, -1) if P[pair[0]][pair[1]] == 0.5 else (1, -1) for pair in pairs]
    rows = set()
    for outcomes in product(*possible):
        then = [0] * K
        for (i, j), outcome in zip(pairs, outcomes, strict=True):
            if outcome != 0:
                then[i if outcome > 0 else j] += 1
        if then[i1] < max(then):
            row = tuple(
                (i, j) for (i, j), outcome in zip(pairs, outcomes, strict=True) if (P[i][j] - 0.5) * outcome < 0
            )
            if not row:
                return inf
            rows.add(row)
    if not rows:
        return 0.0
    # In x = q kl; ties are in no row.
    A = np.array([[pair in row for pair in pairs] for row in rows], float)
    c = [0.0 if P[i][j] == 0.5 else (2 * max(wins) - wins[i] - wins[j]) / (2 * (K - 1)) / kl(P[i][j]) for i, j in pairs]
    result = linprog(c, -A, -np.ones(len(A)), bounds=(0, None), method="highs")
    assert result.success
    return result.fun
