"""SECS: successive elimination with comparison sparsity, for Borda winners that few opponents tell from the others.

How its rounds go, and why its hold is exact: ``borda_rounds``. The pseudo-code, step by step, is
``duelbench/reference/borda.py``; ``tests/test_catalogue.py`` checks that the paths are equal.
"""

from __future__ import annotations

from pydantic import Field

from duelbench.algorithms.identification.borda_rounds import BordaRounds, BordaRoundsState, before_the_first_round


class Secs(BordaRounds):
    """Borda elimination that also compares arms by the few opponents on which they differ most."""

    name = "secs"
    title = "SECS"
    assumes = "one Borda winner, sparsity"
    regret_order = "no bound: K log(K/δ) / Δ² duels to a winner where few opponents matter"

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is no Borda winner")
    sparsity: int = Field(5, ge=1, le=10**6, description="number k of opponents by which two arms are compared")
    gate: int = Field(0, ge=0, le=10**18, description="rounds T₀ before arms are compared so")
    constant: float = Field(
        0.5, gt=0, description="factor of the radius of such a comparison; the paper proves 6 and recommends 1/2"
    )

    def start(self, arms: int, horizon: int) -> BordaRoundsState:
        """Return the state before the first round; the horizon does not matter."""
        return before_the_first_round(arms, self.delta, self.gate, self.sparsity, self.constant)
