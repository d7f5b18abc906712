"""TRA-POCOWISTA: POCOWISTA for transitive matrices. How it works: ``potential_copeland.py``.

What is decided is closed under x ≻ y ≻ z, x ≻ y ~ z or x ~ y ≻ z, each of which gives x ≻ z, and x ~ y ~ z, which
gives x ~ z. With it K − 1 pairs are decided, so the δ' = δ/(K ln K) of the authors' code is enough for K ≥ 3; for K = 2
it is δ here.
"""

from __future__ import annotations

import math

from duelbench.algorithms.identification.potential_copeland import PotentialCopeland, PotentialCopelandState


class TraPocowista(PotentialCopeland):
    """POCOWISTA for total orders: what follows from decided pairs is decided, too."""

    name = "tra-pocowista"
    title = "TRA-POCOWISTA"
    assumes = "total order, no pair at 1/2"
    regret_order = "no bound; declares after O(Σ 1/gap² ln(K/δ · ln 1/gap)) duels, whatever T"

    def start(self, arms: int, horizon: int) -> PotentialCopelandState:
        """Return the state before the first round."""
        delta = self.delta / (arms * math.log(arms)) if arms > 2 else self.delta
        return self.first_state(arms, delta, transitive=True)
