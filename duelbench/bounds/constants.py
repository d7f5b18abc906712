"""The leading constants of regret bounds, per unit of log T, for a (K, K) preference matrix ``P``.

All are in this package's units of regret: the Copeland regret of a duel is ``ζ* − (ζ_i + ζ_j) / 2``, as in Komiyama,
Honda and Nakagawa (ICML 2016), and its Condorcet regret ``(Δ_i + Δ_j) / 2``.

The papers exclude exact ties. Here a tie is not a win for either arm, as in the regret; ``duelbench.bounds.evidence``
describes the consequences. A constant is infinite if the winner depends on which way a tie is resolved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from duelbench.bounds.evidence import Evidence, divergence, evidence
from duelbench.bounds.program import Program


def lower_bound_constant(P: ArrayLike) -> float:
    """Return C* of Komiyama et al. (2016), Theorem 2: no consistent algorithm's Copeland regret is below C* log T.

    CW-RMED attains it (Theorem 3). Solves a linear program for each Copeland winner: about 5 ms for K = 16, 30 ms for
    K = 64.
    """
    given = evidence(P)
    return min(Program(given, i).solve()[0] if given.certain(i) else np.inf for i in given.winners.tolist())


def ecw_bound_constant(P: ArrayLike) -> float:
    """Return C^E* of Komiyama et al. (2016), Theorem 4: ECW-RMED's Copeland regret is C^E* log T to first order.

    At least ``lower_bound_constant``, and equal to it with two Copeland winners or more (Theorem 6, without ties).
    """
    given = evidence(P)
    return min(_ecw_cost(given, i) if given.certain(i) else np.inf for i in given.winners.tolist())


def _ecw_cost(given: Evidence, winner: int) -> float:
    """Return the cost of constraints (4), the winner's wins, and (5), which Theorem 5 solves for each rival."""
    total = float(given.cost[winner, given.beats[winner]].sum())
    for rival in given.rivals(winner).tolist():
        prices = given.prices(rival, winner)
        spare = len(prices) - int(given.least[rival] - given.deficits[winner] + 1)
        if spare >= 0 and len(prices):
            total += float((np.cumsum(prices)[spare:] / np.arange(1, len(prices) - spare + 1)).min())
    return total


def ccb_bound_constant(P: ArrayLike) -> float:
    """Return K (C + L + 1) / Δ² of Zoghi et al. (2015), Theorem 3: CCB's Copeland regret is at most that times log T.

    C is the number of Copeland winners and L the number of losses of each. This is half the constant of the theorem,
    whose regret is twice ours. Δ is the smallest gap between any two arms; the theorem's own is a little larger
    (Komiyama et al. 2016, section 4.4).
    """
    matrix = np.asarray(P, np.float64)
    given = evidence(matrix)
    gap = np.abs(matrix - 0.5)[~np.eye(given.arms, dtype=bool)].min()
    return float(given.arms * (len(given.winners) + given.deficits.min() + 1) / gap**2) if gap > 0 else np.inf


def rmed_bound_constant(P: ArrayLike) -> float:
    """Return the constant of Komiyama et al. (COLT 2015), Theorem 1, for Condorcet regret; NaN without a winner.

    No consistent algorithm's regret is below this constant times log T; RMED2 and RMED2FH attain it (Theorem 4). It is
    the sum, over all arms i except the winner c, of the minimum of ``(Δ_ci + Δ_cj) / (2 kl(P_ij, 1/2))`` over the arms
    j that beat i.
    """
    matrix = np.asarray(P, np.float64)
    given = evidence(matrix)
    if given.deficits.min() > 0:
        return np.nan
    (winner,) = given.winners
    loss = matrix[winner] - 0.5
    total = 0.0
    for i in given.rivals(winner):
        superior = given.beats[:, i]
        total += float(((loss[i] + loss[superior]) / (2 * divergence(matrix[i, superior]))).min())
    return total


@dataclass(frozen=True)
class Bound:
    """A bound ``constant(P) * log T`` on a kind of ``regret``; ``says`` describes it in words."""

    regret: str
    says: str
    constant: Callable[[ArrayLike], float]


BOUNDS = {
    "LB": Bound("copeland", "no consistent algorithm has less; CW-RMED attains it", lower_bound_constant),
    "ECWB": Bound("copeland", "ECW-RMED to first order", ecw_bound_constant),
    "CCB": Bound("copeland", "CCB has no more (K (C + L + 1) / Δ²)", ccb_bound_constant),
    "RMED": Bound("condorcet", "no consistent algorithm has less; RMED2 attains it", rmed_bound_constant),
}
