"""What PCOMP, SCOMP and SCOMP2 (Agarwal, Ghuge, Nagarajan, ICML 2022) share: the batches, and how they are judged.

Readings of the paper:
- "q^r" is the largest integer c with c^B <= T^r.
- A pair of arms is compared once per batch, i < j, pairs in lexicographic order; a self-duel only when one arm is left.
- The batch that reaches round T ends there; its estimates are not used.
- If delta is not given it is the pseudo-code's 1/(6 T K² B), for the arms and rounds that are left anew when PCOMP
  takes over; with ``elimination="kl"`` 1/T, to the end. A number holds to the end, too.
- ``elimination="kl"`` (section 5): i goes if N_ij kl(p̂_ij, 1/2) > log(1/delta) for a j with p̂_ij < 1/2 that this line
  looks at; N_ij and all p̂ are of all duels so far, whatever batch they were in. With delta = 1/T this is log T, for the
  misprinted log(T delta). The switch to PCOMP is defined by "b_j eliminates" (section 3.2), so these lines use it, too,
  with ((m - 2) / m)^2 of the threshold where they ask for m - 2 radii instead of m.
"""

import math

from .arithmetic import first_wins, kl, no_counts


class Batches:
    """The batches of one run so far."""

    def __init__(self, P, T, environment, B, elimination, delta):
        self.P, self.T, self.environment, self.B = P, T, environment, B
        self.elimination = elimination
        self.given_delta = 1 / T if delta is None and elimination == "kl" else delta
        self.used = 0
        self.rounds = 0
        self.all_wins = no_counts(len(P))
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

    def play(self, pairs, r):
        """Compare every pair c_r times, one duel after the other; return the wins of this batch, or of all so far."""
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
        """Whether i is ``radii`` gamma above j; with ``of`` of them it throws j out."""
        if self.elimination == "kl":
            return i != j and evidence(w, i, j) > (radii / of) ** 2 * math.log(1 / delta)
        return mean(w, i, j) > 0.5 + radii * gamma


def evidence(w, i, j):
    """n kl(p̂_ji, 1/2) if i won more often than j, else 0."""
    return (w[i][j] + w[j][i]) * kl(mean(w, j, i)) if w[i][j] > w[j][i] else 0.0


def mean(w, i, j):
    """p̂_ij of Eq. (1), 1/2 for an arm against itself."""
    return 0.5 if i == j else w[i][j] / (w[i][j] + w[j][i])
