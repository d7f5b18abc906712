"""PBR: preference-based racing for the Copeland winner, explore then exploit.

Pairs are listed in either order, so that each is duelled twice a round, and the two share their data. Decided pairs are
never sampled again, nor are pairs of two settled arms. The paper settles an arm when it is selected or discarded.
Looking for a single winner, a selected arm discards all others, which ends the search: only the discarded need to be
remembered.

The pseudo-code, step by step, is ``duelbench/reference/pbr.py``; ``tests/test_catalogue.py`` checks that the paths are
equal. Hold: see ``racing``.
"""

from __future__ import annotations

import math

from duelbench.algorithms.elimination.racing import Race, RacingState, start
from duelbench.compiling.jit import kernel


@kernel
def update(state: RacingState, first: int, second: int, wins: int, ties: int, count: int) -> None:
    """Count the outcome; a tie is half a win for both."""
    if first != second:
        state.wins[first, second] += wins
        state.wins[second, first] += count - wins - ties
        state.ties[first, second] += ties
        state.ties[second, first] += ties


class Pbr(Race):
    """Race of preferences: sample the pairs whose arms may still be the Copeland winner."""

    name = "pbr"
    title = "PBR"
    citation = (
        "Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier. Top-k Selection based on Adaptive Sampling of Noisy "
        "Preferences. ICML 2013, Copeland ranking, k = 1"
    )
    in_order = True
    takes_ties = True
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> RacingState:
        """Return the state before the first round, for δ = 1/T and n_max = T: log(2 K² n_max / δ) = log(2 K² T²)."""
        return start(arms, math.log(2 * arms**2 * horizon**2), 0.0, ordered=True, drops_discarded=True)
