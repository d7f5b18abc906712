"""PCOMP (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 1).

Readings beyond those of ``batches``: lines 5-7 look at all pairs of the batch at once, a loser's own victories count. A
batch that would eliminate all arms keeps the one with most wins (lowest index among equals), by the wins that it
judges by.
"""

from itertools import combinations

from .batches import Batches
from .exploration import course


def without(A, losers, w, batches):
    """A without the losers; of a batch in which all lose, the arm with most wins."""
    left = [a for a in A if a not in losers]
    if not left:
        batches.events.add("all lost")
    return left or [max(A, key=lambda a: sum(w[a]))]


def pcomp(batches, A, T, r):
    """Algorithm 1 on the arms A for T rounds; q is that of all batches, and c_r the size of the first one."""
    # Line 2.
    delta = batches.delta(len(A), T)
    # Line 3.
    while len(A) > 1:
        # Line 4.
        w = yield from batches.play(list(combinations(A, 2)), r)
        gamma = batches.gamma(delta, r)
        # Lines 5-7.
        losers = [j for j in A if any(batches.above(w, i, j, 1, 1, gamma, delta) for i in A if i != j)]
        A = without(A, losers, w, batches)
        # Line 8.
        r += 1
    return A[0]


def algorithm_1(batches, policy):
    return pcomp(batches, list(range(len(batches.P))), batches.T, 1)


def explore(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return algorithm_1(Batches(P, horizon, environment, batches, elimination, delta), policy)


def run(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return course(explore(P, horizon, policy, environment, batches, elimination, delta), horizon)[0]
