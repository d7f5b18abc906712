"""SCOMP (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 2).

Readings beyond those of PCOMP: lines 6-8 look at all pairs of the batch at once, with S and A as the batch found them;
line 9 sees S and A as line 7 left them (an arm of S never wins against itself, so b_j is outside of S). Without a
seed, at first or after line 7, PCOMP goes on with A.
"""

import math
from itertools import combinations

from .batches import Batches
from .exploration import course
from .pcomp import pcomp, without


def seed_set(K, policy):
    """Line 3: every arm with probability 1/sqrt(K)."""
    return [i for i in range(K) if policy.random() < 1 / math.sqrt(K)]


def algorithm_2(batches, policy):
    K, T = len(batches.P), batches.T
    # Line 2.
    delta = batches.delta(K, T)
    A = list(range(K))
    r = 1
    # Line 3.
    S = seed_set(K, policy)
    if not S:
        batches.events.add("no seeds")
    # Line 4.
    while S:
        if len(A) == 1:
            return A[0]
        # Line 5.
        w = yield from batches.play([(i, j) for i, j in combinations(A, 2) if i in S or j in S], r)
        gamma = batches.gamma(delta, r)
        # Lines 6-8.
        losers = [j for j in A if any(batches.above(w, i, j, 3, 3, gamma, delta) for i in S if i != j)]
        A = without(A, losers, w, batches)
        S = [i for i in S if i not in losers]
        if not S:
            batches.events.add("seeds lost")
            break
        # Line 9.
        if any(all(batches.above(w, j, i, 3, 3, gamma, delta) for i in S) for j in A):
            batches.events.add("switch")
            # Lines 10 and 11.
            A = [j for j in A if all(batches.above(w, j, i, 1, 3, gamma, delta) for i in S)]
            break
        # Line 13.
        r += 1
    # Line 15.
    return (yield from pcomp(batches, A, T - batches.rounds, r))


def explore(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return algorithm_2(Batches(P, horizon, environment, batches, elimination, delta), policy)


def run(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return course(explore(P, horizon, policy, environment, batches, elimination, delta), horizon)[0]
