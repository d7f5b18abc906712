"""POCOWISTA, for any matrix without pairs at 1/2. How it works: ``potential_copeland.py``."""

from __future__ import annotations

from duelbench.algorithms.identification.potential_copeland import PotentialCopeland, PotentialCopelandState


class Pocowista(PotentialCopeland):
    """The potential Copeland winner stays: decide its pairs until none can overtake the best."""

    name = "pocowista"
    title = "POCOWISTA"
    assumes = "no pair at 1/2"
    regret_order = "no bound; declares after O(Σ 1/gap² ln(K/δ · ln 1/gap)) duels, whatever T"

    def start(self, arms: int, horizon: int) -> PotentialCopelandState:
        """Return the state before the first round, for δ' = δ / (K(K − 1)/2)."""
        return self.first_state(arms, self.delta / (arms * (arms - 1) / 2), transitive=False)
