"""PCOMP, SCOMP and SCOMP2 (Agarwal, Ghuge, Nagarajan, ICML 2022).

Readings of the paper:
- "q^r" is the largest integer c with c^B <= T^r.
- A pair of arms is compared once per batch, i < j, pairs in lexicographic order; a self-duel only when one arm is left.
- The batch that reaches round T ends there; its estimates are not used.
- By default, delta is 1/(6 T K² B) as in the pseudo-code; when PCOMP takes over, it is recomputed for the remaining
  arms and rounds. With ``elimination="kl"`` it is 1/T throughout. A given delta holds throughout, too.
- ``elimination="kl"`` (section 5): i leaves if N_ij kl(p̂_ij, 1/2) > log(1/delta) for a j with p̂_ij < 1/2 that this
  line considers; N_ij and all p̂ count all duels so far, in any batch. With delta = 1/T the threshold is log T; the
  paper has log(T delta), a misprint. The switch to PCOMP is defined by "b_j eliminates" (section 3.2), so these lines
  use it, too, with ((m - 2) / m)^2 times the threshold if they ask for m - 2 radii instead of m.
"""

import math
from itertools import combinations

from .conventions import first_wins, kl, no_counts


class Batches:
    """The batches of one run so far."""

    def __init__(self, P, T, environment, B, elimination, delta):
        self.P, self.T, self.environment, self.B = P, T, environment, B
        self.elimination = elimination
        self.given_delta = 1 / T if delta is None and elimination == "kl" else delta
        self.used = 0
        self.rounds = 0
        self.all_wins = no_counts(len(P))
        self.events = set()  # the rare lines that were reached

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

    def play(self, pairs, r):
        """Compare every pair c_r times, duel by duel; return the wins of this batch, or of all batches so far."""
        self.used += 1
        c = self.c(r)
        w = self.all_wins if self.elimination == "kl" else no_counts(len(self.P))
        for i, j in pairs:
            for _ in range(c):
                if first_wins(self.P, i, j, self.environment):
                    w[i][j] += 1
                else:
                    w[j][i] += 1
                self.rounds += 1
                yield i, j
        return w

    def above(self, w, i, j, radii, of, gamma, delta):
        """Whether i is ``radii`` * gamma above j; ``of`` radii would eliminate j."""
        if self.elimination == "kl":
            return i != j and evidence(w, i, j) > (radii / of) ** 2 * math.log(1 / delta)
        return mean(w, i, j) > 0.5 + radii * gamma


def evidence(w, i, j):
    """n kl(p̂_ji, 1/2) if i won more often than j, else 0."""
    return (w[i][j] + w[j][i]) * kl(mean(w, j, i)) if w[i][j] > w[j][i] else 0.0


def mean(w, i, j):
    """p̂_ij of Eq. (1), 1/2 for an arm against itself."""
    return 0.5 if i == j else w[i][j] / (w[i][j] + w[j][i])


def pcomp(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    """PCOMP (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 1).

    Further readings: lines 5-7 consider all pairs of the batch at once, so an eliminated arm can eliminate others. A
    batch that would eliminate all arms keeps the one with the most wins (ties: lowest index) among the wins it uses.
    """
    return algorithm_1(Batches(P, horizon, environment, batches, elimination, delta), policy)


def without(A, losers, w, batches):
    """A without the losers; if all lose, the arm with the most wins."""
    left = [a for a in A if a not in losers]
    if not left:
        batches.events.add("all lost")
    return left or [max(A, key=lambda a: sum(w[a]))]


def pcomp_on(batches, A, T, r):
    """Algorithm 1 on the arms A for T rounds; q is the same for all batches, and c_r is the size of the first."""
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
    return pcomp_on(batches, list(range(len(batches.P))), batches.T, 1)


def scomp(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    """SCOMP (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 2).

    Readings beyond those of PCOMP: lines 6-8 consider all pairs of the batch at once, with S and A as before the batch;
    line 9 uses S and A after line 7 (an arm of S never wins against itself, so b_j is outside of S). If S is empty, at
    first or after line 7, PCOMP continues with A.
    """
    return algorithm_2(Batches(P, horizon, environment, batches, elimination, delta), policy)


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
    return (yield from pcomp_on(batches, A, T - batches.rounds, r))


def scomp2(P, horizon, policy, environment, batches=16, elimination="hoeffding", delta=None):
    """SCOMP2 (Agarwal, Ghuge, Nagarajan, ICML 2022, Algorithm 3).

    Readings beyond those of PCOMP and SCOMP: r(1) and r(2) are two batches, each with its own estimates; with a single
    seed, r(1) has no pairs and is not a batch. The candidate is the seed with the smallest max_j p̂_ji, ties: lowest
    index (in the paper, any seed with at most 1/2 + gamma_r). Lines 11 and 12 use A after line 9.
    """
    return algorithm_3(Batches(P, horizon, environment, batches, elimination, delta), policy)


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
    # Line 4. S keeps its candidates, so only an initially empty seed set ends the loop here.
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
    return (yield from pcomp_on(batches, A, T - batches.rounds, r))
