"""The evidence in a preference matrix for Copeland regret: which arms win, by how much, and at what cost to learn it.

Exact ties, which the papers exclude, are dealt with here. A tie is no win for either arm, so it counts against both of
them; the least change of P turns it into a win, and no number of duels rules that out. So an arm that must be ruled out
as a winner has all its ties for free, unless both arms of the tie are winners: then duelling them costs no regret.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.arrays import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class Evidence:
    """Who beats whom, and what it costs to be sure.

    ``beats[i, j]``: P[i, j] > 1/2. ``cost[i, j]``: r_ij / kl(P_ij, 1/2), the Copeland regret at which log T = 1 nat of
    evidence about a pair comes, infinite for a tie. ``deficits[i]``: how many arms i does not beat. ``least[i]``: the
    same if its free ties were wins. ``winners``: the arms of the least deficit.
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
        """Return the other arms."""
        return np.flatnonzero(np.arange(self.arms) != winner)

    def certain(self, winner: int) -> bool:
        """Tell whether enough duels can show that this Copeland winner is one: whether no tie may decide it."""
        return bool((self.least[self.rivals(winner)] >= self.deficits[winner]).all())

    def prices(self, loser: int, winner: int) -> Floats:
        """Return the costs of the pairs that ``loser`` loses, but to ``winner``, in ascending order."""
        superior = self.beats[:, loser].copy()
        superior[winner] = False
        return np.sort(self.cost[loser, superior])


def evidence(P: ArrayLike) -> Evidence:
    """Return the evidence that a (K, K) preference matrix offers."""
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
