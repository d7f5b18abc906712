"""Borda elimination: successive elimination by Borda scores, the reduction that SECS is compared with in its paper.

How its rounds go, and why its hold is exact: ``borda_rounds``. The pseudo-code, step by step, is
``duelbench/reference/borda.py``; ``tests/test_catalogue.py`` checks that the paths are equal.
"""

from __future__ import annotations

from pydantic import Field

from duelbench.algorithms.identification.borda_rounds import BordaRounds, BordaRoundsState, before_the_first_round
from duelbench.kernels.arithmetic import NEVER


class BordaElimination(BordaRounds):
    """Duel all arms that are left against one random opponent a round, and drop the low Borda scores."""

    name = "borda-elimination"
    title = "Borda elimination"
    assumes = "one Borda winner"
    regret_order = "no bound: Σ Δ⁻² log(K/(Δδ)) duels to a winner, Δ of Borda scores"

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is no Borda winner")

    def start(self, arms: int, horizon: int) -> BordaRoundsState:
        """Return the state before the first round; the horizon does not matter."""
        return before_the_first_round(arms, self.delta, NEVER, 0, 0.0)
