"""ECW-RMED and CW-RMED (Komiyama, Honda, Nakagawa, ICML 2016), and the lower bound of that paper."""

import math
from itertools import combinations, product
from math import inf

import numpy as np
from scipy.optimize import linprog

from .conventions import duel, kl, no_counts


class Estimates:
    """Estimates from the counts: p̂, superiors S[i], inferiors I[i], numbers of losses L, and n kl."""

    def __init__(self, w):
        K = len(w)
        self.K = K
        self.n = [[w[i][j] + w[j][i] for j in range(K)] for i in range(K)]
        # p̂ of the arm with the smaller index, so that both directions have the same bits of kl.
        p = [[w[i][j] / self.n[i][j] if self.n[i][j] > 0 else 0.5 for j in range(K)] for i in range(K)]
        self.set(p)

    def set(self, p):
        K = self.K
        self.p = p
        self.S = [[j for j in range(K) if j != i and p[i][j] < 0.5] for i in range(K)]
        self.I = [[j for j in range(K) if j != i and p[i][j] > 0.5] for i in range(K)]
        self.L = [len(self.S[i]) for i in range(K)]
        self.L1, self.L2 = sorted(self.L)[:2]
        self.winners = [i for i in range(K) if self.L[i] == self.L1]

    def kl(self, i, j):
        return kl(self.p[min(i, j)][max(i, j)])

    def r(self, i, j):
        return (self.L[i] + self.L[j] - 2 * self.L1) / (2 * (self.K - 1))


def ecw_rmed(P, horizon, policy, environment, alpha=3.0, beta=0.01):
    """ECW-RMED (Komiyama, Honda, Nakagawa, ICML 2016, Algorithm 1 and section 4.2.1).

    It draws nothing from the policy's stream.

    Line 2. LC = LR = all pairs i < j in lexicographic order, LN is empty. A pair is duelled as (i, j).
    Line 4. At the start of a pass over LC: while some pair has n < alpha sqrt(log t) or |p̂ - 1/2| < beta / log log t,
        with log log t := max(1, log max(1, log t)), duel the first such pair.
    Lines 5-17. For each pair of LC: duel it. If for some i in argmin L̂ (lowest first) all sums of n kl in the
        constraints (2) are at least log t, LNC = [(i, i)]. Else LNC = the pairs in the optimum of the cheapest arm i,
        and (i, i). The pair leaves LR; LN takes the pairs of LNC that are in neither LR nor LN.
    Line 18. LC = LR = LN.

    The order of LNC: for every arm i2 != i1, ascending, the pair (i1, i2) if i1 beats i2, then the pairs of i2 with its
    superiors in the order of their costs c (ties: lowest index); last (i1, i1).
    """
    return rounds(P, environment, alpha, beta, cheapest)


def smallest_sum(e, i1, x):
    """The smallest sum in the constraints (2) at the point x = q kl, by sorting (section 4.1.1)."""

    def smallest(values, m):
        return sorted(values)[:m] if m <= len(values) else [math.inf]

    sums = [math.inf]
    for i2 in range(e.K):
        if i2 == i1:
            continue
        mine = [x[i1][j] for j in e.I[i1] if j != i2]
        theirs = [x[i2][j] for j in e.S[i2] if j != i1]
        for l in range(max(0, e.L1 - 1), e.L2 + 1):  # noqa: E741
            m = l + 1 - e.L1
            # i2 not in I.
            sums.append(total(smallest(mine, m) + smallest(theirs, max(0, e.L[i2] - l))))
            # i2 in I.
            if i2 in e.I[i1] and m >= 1:
                sums.append(total([x[i1][i2], *smallest(mine, m - 1), *smallest(theirs, max(0, e.L[i2] - l - 1))]))
    return min(sums)


def constraints(e, i1):
    """The constraints (2) for i1, as sets of pairs (i, j), i < j; the q kl of each set must sum to 1 at least."""
    for i2 in range(e.K):
        if i2 == i1:
            continue
        for l in range(max(0, e.L1 - 1), e.L2 + 1):  # noqa: E741
            for I in combinations(e.I[i1], l + 1 - e.L1):  # noqa: E741
                size = max(0, e.L[i2] - l - (1 if i2 in I else 0))
                for S in combinations([j for j in e.S[i2] if j != i1], size):
                    yield {(min(i1, j), max(i1, j)) for j in I} | {(min(i2, j), max(i2, j)) for j in S}


def total(values):
    """The plain sum; sum() compensates for rounding from Python 3.12 on."""
    result = 0.0
    for value in values:
        result += value
    return result


def optimum(e, i1):
    """``C^E*_{i1}`` and the optimum as a list of (pair, q) in the order of LNC (section 4.2.1, Theorem 5)."""
    K, q = e.K, []
    cost = 0.0
    for j in e.I[i1]:
        cost += e.r(i1, j) / e.kl(i1, j)
    for i2 in range(K):
        if i2 == i1:
            continue
        if i2 in e.I[i1]:
            q.append(((i1, i2), 1 / e.kl(i1, i2)))
        S = [j for j in e.S[i2] if j != i1]
        k = len(S) - (e.L[i2] - e.L1 + 1)
        if k < 0:
            continue
        c = {j: e.r(j, i2) / e.kl(j, i2) for j in S}
        sigma = sorted(S, key=lambda j: (c[j], j))
        values = {h: total(c[j] for j in sigma[:h]) / (h - k) for h in range(k + 1, len(S) + 1)}
        h = min(values, key=values.get)
        cost += values[h]
        q += [((j, i2), 1 / ((h - k) * e.kl(j, i2))) for j in sigma[:h]]
    return cost, q


def cheapest(e):
    """Line 11: the winner with the cheapest optimum, lowest index first, and that optimum."""
    i = min(e.winners, key=lambda i: optimum(e, i)[0])
    return i, optimum(e, i)[1]


def required(w, t, alpha, beta):
    """Line 4: the pairs to be duelled before a pass starts."""
    loglog = max(1.0, math.log(max(1.0, math.log(t))))
    for i, j in combinations(range(len(w)), 2):
        n = w[i][j] + w[j][i]
        p = w[i][j] / n if n > 0 else 0.5
        if n < alpha * math.sqrt(math.log(t)) or abs(p - 0.5) < beta / loglog:
            yield i, j


def rounds(P, environment, alpha, beta, choose):
    K = len(P)
    w = no_counts(K)
    t = 0
    # Line 2.
    LC = list(combinations(range(K), 2))
    LR, LN = set(LC), []
    while True:
        # Line 4.
        while (pair := next(required(w, t + 1, alpha, beta), None)) is not None:
            t += 1
            duel(P, *pair, environment, w)
            yield pair
        for pair in LC:
            # Line 6.
            t += 1
            duel(P, *pair, environment, w)
            yield pair
            # Lines 7-13.
            e = Estimates(w)
            evidence = [[e.n[i][j] * e.kl(i, j) for j in range(K)] for i in range(K)]
            proven = [i for i in e.winners if smallest_sum(e, i, evidence) >= math.log(t)]
            if proven:
                LNC = [(proven[0], proven[0])]
            else:
                i, q = choose(e)
                LNC = [(min(a), max(a)) for a, q_a in q if q_a > e.n[a[0]][a[1]] / math.log(t)] + [(i, i)]
            # Lines 14-15.
            LR.remove(pair)
            LN += [each for each in LNC if each not in LR and each not in LN]
        # Line 18.
        LC, LR, LN = LN, set(LN), []


def cw_rmed(P, horizon, policy, environment, alpha=3.0, beta=0.01):
    """CW-RMED (Komiyama, Honda, Nakagawa, ICML 2016, Algorithm 1).

    As ECW-RMED, but with the optimum of the linear program over all constraints (2), written out one by one. LNC lists
    pairs i < j in lexicographic order, then (i1, i1). With several winners, ECW-RMED's optimum also solves the program
    (Theorem 6); it is used, in its order. To break ties of optima (arbitrary in line 11), L_i + L_j - 2 L_i1 is raised
    by 1e-7 w[i][j], i < j, where w is a (K, K) array of numpy's default_rng(0).random.
    """
    return rounds(P, environment, alpha, beta, cheapest_by_program)


def optimum_of_program(e, i1, surcharge=1e-7):
    """``C*_{i1}`` and an optimal q as a list of (pair, q)."""
    pairs = [(i, j) for i, j in combinations(range(e.K), 2) if e.p[i][j] != 0.5]
    rows = {frozenset(each) for each in constraints(e, i1)}
    w = np.random.default_rng(0).random((e.K, e.K))
    # The variables are x = q kl in [0, 1].
    A = np.array([[pair in row for pair in pairs] for row in rows], float)
    c = np.array([(e.r(*pair) + surcharge * w[pair] / (2 * (e.K - 1))) / e.kl(*pair) for pair in pairs])
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(c, -A, -np.ones(len(A)), bounds=(0, 1), options=exact)
    assert result.success
    return result.fun, [(pair, x / e.kl(*pair)) for pair, x in zip(pairs, result.x, strict=True)]


def cheapest_by_program(e):
    if len(e.winners) > 1:
        return cheapest(e)
    (i,) = e.winners
    return i, [(pair, q) for pair, q in optimum_of_program(e, i)[1] if q > 0]


def lower_bound(P):
    """The lower bound of Komiyama, Honda and Nakagawa (ICML 2016) from its definition: a row for every other outcome.

    An algorithm must verify that i1 is a Copeland winner: whenever reversing some pairs deprives i1 of the most wins,
    the evidence q kl of the reversed pairs must sum to 1. Reversing a tie, in favour of either arm, needs no evidence;
    but if both arms are winners, an algorithm may duel them for ever at no cost. Exponential in the number of pairs.
    """
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
    # The variables are x = q kl; ties are in no row.
    A = np.array([[pair in row for pair in pairs] for row in rows], float)
    c = [0.0 if P[i][j] == 0.5 else (2 * max(wins) - wins[i] - wins[j]) / (2 * (K - 1)) / kl(P[i][j]) for i, j in pairs]
    result = linprog(c, -A, -np.ones(len(A)), bounds=(0, None), method="highs")
    assert result.success
    return result.fun
