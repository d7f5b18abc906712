"""CW-RMED (Komiyama, Honda, Nakagawa, ICML 2016, Algorithm 1): as ecw_rmed.py, with the optimum of the linear program
over all constraints (2), written out one by one. LNC lists pairs i < j in lexicographic order, then (i1, i1).
With two winners or more ECW-RMED's optimum is one of the program's (Theorem 6): that one is taken, in its order.
Ties of optima (line 11 breaks them arbitrarily): L_i + L_j - 2 L_i1 is raised by 1e-7 w[i][j], i < j, where w is a
(K, K) array of numpy's default_rng(0).random.
"""

from itertools import combinations, islice

import numpy as np
from scipy.optimize import linprog

from . import ecw_rmed
from .ecw_rmed import constraints, rounds


def optimum(e, i1, surcharge=1e-7):
    """``C*_{i1}`` and an optimal q as a list of (pair, q)."""
    pairs = [(i, j) for i, j in combinations(range(e.K), 2) if e.p[i][j] != 0.5]
    rows = {frozenset(each) for each in constraints(e, i1)}
    w = np.random.default_rng(0).random((e.K, e.K))
    # In x = q kl, which the box keeps in [0, 1].
    A = np.array([[pair in row for pair in pairs] for row in rows], float)
    c = np.array([(e.r(*pair) + surcharge * w[pair] / (2 * (e.K - 1))) / e.kl(*pair) for pair in pairs])
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(c, -A, -np.ones(len(A)), bounds=(0, 1), options=exact)
    assert result.success
    return result.fun, [(pair, x / e.kl(*pair)) for pair, x in zip(pairs, result.x, strict=True)]


def cheapest(e):
    if len(e.winners) > 1:
        return ecw_rmed.cheapest(e)
    (i,) = e.winners
    return i, [(pair, q) for pair, q in optimum(e, i)[1] if q > 0]


def run(P, horizon, policy, environment, alpha=3.0, beta=0.01):
    return np.array(list(islice(rounds(P, environment, alpha, beta, cheapest), horizon)), dtype=int)
