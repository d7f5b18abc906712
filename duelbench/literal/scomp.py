"""SCOMP (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 2).

Readings beyond those of PCOMP: lines 6-8 look at all pairs of the batch at once, with S and A as the batch found them;
line 9 sees S and A as line 7 left them (an arm of S never wins against itself, so b_j is outside of S). Without a
seed, at first or after line 7, PCOMP goes on with A.
"""

import math
from itertools import combinations

import numpy as np

from .pcomp import pcomp, play, without


def seed_set(K, policy):
    """Line 3: every arm with probability 1/sqrt(K)."""
    return [i for i in range(K) if policy.random() < 1 / math.sqrt(K)]


def algorithm_2(course, K, T, policy):
    # Line 2.
    delta = course.delta(K, T)
    A = list(range(K))
    r = 1
    # Line 3.
    S = seed_set(K, policy)
    if not S:
        course.events.add("no seeds")
    # Line 4.
    while S:
        if len(A) == 1:
            course.exploit(A[0])
        # Line 5.
        w = course.batch([(i, j) for i, j in combinations(A, 2) if i in S or j in S], r)
        gamma = course.gamma(delta, r)
        # Lines 6-8.
        losers = [j for j in A if any(course.beats(w, i, j, 3 * gamma, delta) for i in S if i != j)]
        A = without(A, losers, w, course)
        S = [i for i in S if i not in losers]
        if not S:
            course.events.add("seeds lost")
            break
        # Line 9.
        if any(all(course.surpasses(w, j, i, 3, 3, gamma, delta) for i in S) for j in A):
            course.events.add("switch")
            # Lines 10 and 11.
            A = [j for j in A if all(course.surpasses(w, j, i, 1, 3, gamma, delta) for i in S)]
            break
        # Line 13.
        r += 1
    # Line 15.
    pcomp(course, A, T - len(course.path), r)


def course(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return play(algorithm_2, P, horizon, policy, environment, batches, elimination, delta)


def run(P, horizon, policy, environment, **parameters):
    return np.array(course(P, horizon, policy, environment, **parameters).path, dtype=int)
