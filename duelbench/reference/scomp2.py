"""SCOMP2 (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 3).

Readings beyond those of PCOMP and SCOMP: r(1) and r(2) are two batches, each with its own estimates; r(1) with a single
seed has no pairs and is not a batch. The candidate is the seed with the smallest max_j p̂_ji, lowest index among equals
(the paper: any one with at most 1/2 + gamma_r). Lines 11 and 12 see A as line 9 left it.
"""

from itertools import combinations

from .batches import Batches, mean
from .exploration import course
from .pcomp import pcomp
from .scomp import seed_set


def algorithm_3(batches, policy):
    K, T = len(batches.P), batches.T
    # Line 2.
    delta = batches.delta(K, T)
    A = list(range(K))
    r = 1
    # Line 3.
    S = seed_set(K, policy)
    if not S:
        batches.events.add("no seeds")
    # Line 4. S keeps its candidates: only an empty seed set to begin with ends the loop here.
    while S:
        if len(A) == 1:
            return A[0]
        gamma = batches.gamma(delta, r)
        # Lines 5 and 6.
        candidate = S[0]
        if len(S) > 1:
            w = yield from batches.play(list(combinations(S, 2)), r)
            candidate = min(S, key=lambda i: max(mean(w, j, i) for j in S))
        # Line 7.
        w = yield from batches.play([(min(candidate, j), max(candidate, j)) for j in A if j != candidate], r)
        # Lines 8-10.
        losers = [j for j in A if j != candidate and batches.above(w, candidate, j, 5, 5, gamma, delta)]
        A = [j for j in A if j not in losers]
        S = [i for i in S if i not in losers]
        # Line 11.
        if any(batches.above(w, j, candidate, 5, 5, gamma, delta) for j in A):
            batches.events.add("switch")
            # Lines 12 and 13.
            A = [j for j in A if batches.above(w, j, candidate, 3, 5, gamma, delta)]
            break
        # Line 15.
        r += 1
    # Line 17.
    return (yield from pcomp(batches, A, T - batches.rounds, r))


def explore(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return algorithm_3(Batches(P, horizon, environment, batches, elimination, delta), policy)


def run(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return course(explore(P, horizon, policy, environment, batches, elimination, delta), horizon)[0]
