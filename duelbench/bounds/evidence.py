"""Quantities for bounds on Copeland regret: which arms beat which, and the regret needed to be sure of it.

Exact ties, which the papers exclude, are handled here. A tie is not a win for either arm, so it counts against both.
But an arbitrarily small change of P turns it into a win, which no number of duels can rule out. So an arm that must be
ruled out as a winner gets all its ties as wins for free, except ties between two winners: duelling these costs no
regret.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.arrays import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class Evidence:
    """Which arms beat which, and the regret that it costs to be sure of it.

    ``beats[i, j]``: P[i, j] > 1/2. ``cost[i, j]``: r_ij / kl(P_ij, 1/2), the Copeland regret per nat of evidence about
    a pair, infinite for a tie. ``deficits[i]``: the number of arms that i does not beat. ``least[i]``: the same with
    the free ties of i as wins. ``winners``: the arms with the smallest deficit.
    """

    beats: Flags
    cost: Floats
    deficits: Ints
    least: Ints
    winners: Ints

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self.deficits)

    def rivals(self, winner: int) -> Ints:
        """Return all arms except the winner."""
        return np.flatnonzero(np.arange(self.arms) != winner)

    def certain(self, winner: int) -> bool:
        """Return whether enough duels can show that this arm is a Copeland winner, whatever way ties are resolved."""
        return bool((self.least[self.rivals(winner)] >= self.deficits[winner]).all())

    def prices(self, loser: int, winner: int) -> Floats:
        """Return the costs of the pairs that ``loser`` loses, except against ``winner``, in ascending order."""
        superior = self.beats[:, loser].copy()
        superior[winner] = False
        return np.sort(self.cost[loser, superior])


def evidence(P: ArrayLike) -> Evidence:
    """Return the evidence of a (K, K) preference matrix."""
    matrix = np.asarray(P, np.float64)
    arms = len(matrix)
    beats = matrix > 0.5
    deficits = arms - 1 - beats.sum(axis=1)
    best = deficits == deficits.min()
    regret = (deficits[:, None] + deficits[None, :] - 2 * deficits.min()) / (2 * (arms - 1))
    tied = (matrix == 0.5) & ~np.eye(arms, dtype=bool)
    free = tied & ~(best[:, None] & best[None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = regret / divergence(matrix)
    cost[matrix == 0.5] = np.inf
    return Evidence(beats, cost, deficits, deficits - free.sum(axis=1), np.flatnonzero(best))


def divergence(p: Floats) -> Floats:
    """Return ``kl(p, 1/2)`` in nats."""
    # Near 1/2 the two logarithms all but cancel; this form keeps every digit.
    d = 2 * p - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        kl: Floats = np.where(np.abs(d) < 1, (np.log1p(-d * d) + 2 * d * np.arctanh(d)) / 2, np.log(2))
    return kl
