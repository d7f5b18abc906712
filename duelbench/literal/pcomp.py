"""PCOMP (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 1), and what it shares with SCOMP and SCOMP2.

Readings of the paper:
- "q^r" is the largest integer c with c^B <= T^r.
- A pair of arms is compared once per batch, i < j, pairs in lexicographic order; a self-duel only when one arm is left.
- Lines 5-7 look at all pairs of the batch at once: a loser's own victories count.
- A batch that would eliminate all arms keeps the one with most wins in it (lowest index among equals).
- The batch that reaches round T ends there; its estimates are not used.
- ``elimination="kl"`` (section 5) changes only the line that eliminates: i goes if n kl(p̂_ij, 1/2) > log(1/delta) for a
  j with p̂_ij < 1/2 that this line looks at.
- ``elimination="kl-total"``: the same with p̂ and n of all duels so far, whatever batch they were in. The lines that
  switch to PCOMP use it, too, with ((m - 2) / m)^2 of the threshold where they ask for m - 2 radii instead of m.
"""

import math
from contextlib import suppress
from itertools import combinations

import numpy as np

from .arithmetic import first_wins, kl, no_counts


class HorizonReached(Exception):
    pass


class Course:
    """The rounds played so far, and the batches they were played in."""

    def __init__(self, P, horizon, environment, batches, elimination, delta):
        self.P, self.T, self.environment, self.B = P, horizon, environment, batches
        self.elimination, self.given_delta = elimination, delta
        self.path = []
        self.batches_used = 0
        self.all_wins = no_counts(len(P))
        self.declared = None
        self.events = set()  # which of the rare lines were reached

    def c(self, r):
        """c_r = floor(q^r) with q = T^(1/B), by integers."""
        c = 1
        while (c + 1) ** self.B <= self.T**r:
            c += 1
        return c

    def delta(self, K, T):
        return self.given_delta if self.given_delta is not None else 1 / (6 * T * K**2 * self.B)

    def gamma(self, delta, r):
        return math.sqrt(math.log(1 / delta) / (2 * self.c(r)))

    def batch(self, pairs, r):
        """Compare every pair c_r times, one duel after the other; return the wins of this batch, or of all so far."""
        self.batches_used += 1
        c = self.c(r)
        w = self.all_wins if self.elimination == "kl-total" else no_counts(len(self.P))
        for i, j in pairs:
            for _ in range(c):
                if len(self.path) == self.T:
                    raise HorizonReached
                self.path.append((i, j))
                if first_wins(self.P, i, j, self.environment):
                    w[i][j] += 1
                else:
                    w[j][i] += 1
        if len(self.path) == self.T:
            raise HorizonReached
        return w

    def exploit(self, arm):
        self.declared = arm, len(self.path)
        while True:
            if len(self.path) == self.T:
                raise HorizonReached
            self.path.append((arm, arm))

    def beats(self, w, i, j, margin, delta):
        """Whether the line that eliminates throws out j because of i."""
        if self.elimination != "hoeffding":
            return evidence(w, i, j) > math.log(1 / delta)
        return mean(w, i, j) > 0.5 + margin

    def surpasses(self, w, j, i, radii, of, gamma, delta):
        """Whether j is ``radii`` above i, for the lines that switch; with ``of`` radii it would throw i out."""
        if self.elimination == "kl-total":
            return i != j and evidence(w, j, i) > (radii / of) ** 2 * math.log(1 / delta)
        return mean(w, j, i) > 0.5 + radii * gamma


def evidence(w, i, j):
    """n kl(p̂_ji, 1/2) if i won more often than j, else 0."""
    return (w[i][j] + w[j][i]) * kl(mean(w, j, i)) if w[i][j] > w[j][i] else 0.0


def mean(w, i, j):
    """p̂_ij of Eq. (1), 1/2 for an arm against itself."""
    return 0.5 if i == j else w[i][j] / (w[i][j] + w[j][i])


def without(A, losers, w, course):
    """A without the losers; of a batch in which all lose, the arm with most wins."""
    left = [a for a in A if a not in losers]
    if not left:
        course.events.add("all lost")
    return left or [max(A, key=lambda a: sum(w[a]))]


def pcomp(course, A, T, r):
    """Algorithm 1 on the arms A for T rounds; q is that of the course, and c_r the size of the first batch."""
    # Line 2.
    delta = course.delta(len(A), T)
    # Line 3.
    while len(A) > 1:
        # Line 4.
        w = course.batch(list(combinations(A, 2)), r)
        gamma = course.gamma(delta, r)
        # Lines 5-7.
        losers = [j for j in A if any(course.beats(w, i, j, gamma, delta) for i in A if i != j)]
        A = without(A, losers, w, course)
        # Line 8.
        r += 1
    course.exploit(A[0])


def play(algorithm, P, horizon, policy, environment, batches, elimination, delta):
    course = Course(P, horizon, environment, batches, elimination, delta)
    with suppress(HorizonReached):
        algorithm(course, len(P), horizon, policy)
    return course


def algorithm_1(course, K, T, policy):
    pcomp(course, list(range(K)), T, 1)


def course(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    return play(algorithm_1, P, horizon, policy, environment, batches, elimination, delta)


def run(P, horizon, policy, environment, **parameters):
    return np.array(course(P, horizon, policy, environment, **parameters).path, dtype=int)
