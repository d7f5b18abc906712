"""What PCOMP, SCOMP and SCOMP2 (Agarwal, Ghuge, Nagarajan, ICML 2022) share: the batches, and how they are judged.

Readings of the paper:
- "q^r" is the largest integer c with c^B <= T^r.
- A pair of arms is compared once per batch, i < j, pairs in lexicographic order; a self-duel only when one arm is left.
- The batch that reaches round T ends there; its estimates are not used.
- ``delta="experiments"`` is section 5's 1/(T K²); ``delta="1/K^2"`` is 1/K². Like a number it holds to the end; if not
  given it is the pseudo-code's 1/(6 T K² B), for the arms and rounds that are left anew when PCOMP takes over.
- ``elimination="kl"`` (section 5) changes only the line that eliminates: i goes if n kl(p̂_ij, 1/2) > log(1/delta) for a
  j with p̂_ij < 1/2 that this line looks at.
- ``elimination="kl-total"``: the same with p̂ and n of all duels so far, whatever batch they were in. The lines that
  switch to PCOMP use it, too, with ((m - 2) / m)^2 of the threshold where they ask for m - 2 radii instead of m.
"""

import math

from .arithmetic import first_wins, kl, no_counts


class Batches:
    """The batches of one run so far."""

    def __init__(self, P, T, environment, B, elimination, delta):
        self.P, self.T, self.environment, self.B = P, T, environment, B
        K = len(P)
        self.elimination = elimination
        self.given_delta = {"experiments": 1 / (T * K**2), "1/K^2": 1 / K**2}.get(delta, delta)
        self.used = 0
        self.rounds = 0
        self.all_wins = no_counts(K)
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
        w = self.all_wins if self.elimination == "kl-total" else no_counts(len(self.P))
        for i, j in pairs:
            for _ in range(c):
                if first_wins(self.P, i, j, self.environment):
                    w[i][j] += 1
                else:
                    w[j][i] += 1
                self.rounds += 1
                yield i, j
        return w

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
