"""The constants C* and C^E* of Komiyama, Honda and Nakagawa (ICML 2016).

They belong to Copeland regret as that paper and this package count it, ``ζ* − (ζ_i + ζ_j) / 2`` per duel, and to log T
in nats. Pairs with P = 1/2, which the paper excludes, count for neither arm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from duelbench.kernels.copeland import LEAST, Tournament, no_results, optimal_cost, set_preferences
from duelbench.kernels.copeland_program import WinnerProgram


def lower_bound_constant(P: ArrayLike) -> float:
    """Return C* of the (K, K) preference matrix ``P``: the regret of a consistent algorithm is C* log T at least.

    Theorem 2; CW-RMED attains it (Theorem 3). A linear program for each Copeland winner, solved by generating its
    constraints: on the MSLR matrices about 10 ms for K = 16, a second for K = 32 and a few for K = 64.
    """
    tournament = _tournament(P)
    programs = [WinnerProgram(tournament, i) for i in _winners(tournament)]
    return min(float(each.costs(tournament) @ each.solve(tournament)) for each in programs)


def ecw_bound_constant(P: ArrayLike) -> float:
    """Return C^E* of the (K, K) preference matrix ``P``: ECW-RMED's regret is C^E* log T to first order (Theorem 4).

    At least ``lower_bound_constant``, and equal to it with two Copeland winners or more (Theorem 6).
    """
    tournament = _tournament(P)
    return min(float(optimal_cost(tournament, i)) for i in _winners(tournament))


def _tournament(P: ArrayLike) -> Tournament:
    matrix = np.array(P, np.float64)
    tournament = no_results(len(matrix))
    set_preferences(tournament, matrix)
    return tournament


def _winners(tournament: Tournament) -> list[int]:
    return [int(i) for i in np.flatnonzero(tournament.losses == tournament.summary[LEAST])]
