"""Dueling-EXP3 with high probability, by the kernels of ``dexp3``; see ``duelbench/reference/exponential_weights.py``.

As DEXP3, but all scores grow by β / q in every round, the more the less an arm is drawn. Steps and constants rest on
the same single source; δ = 0.1 is its choice. Late outcomes and holds are as in ``dexp3``. Agreement:
``tests/test_catalogue.py``.
"""

from __future__ import annotations

import math

from pydantic import Field

from duelbench.algorithms.exponential_weights.dexp3 import Dexp3, Dexp3State


class Dexp3Hp(Dexp3):
    """DEXP3 with a bonus for arms that are rarely drawn, so that its regret is low with high probability."""

    name = "dexp3-hp"
    title = "DEXP3 (high probability)"
    citation = "Saha, Koren, Mansour. Adversarial Dueling Bandits. ICML 2021, Algorithm 2"
    State = Dexp3State

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the regret is larger than its bound")
    beta: float | None = Field(None, ge=0, description="factor β of the bonus; √(ln(K/δ) / (K T)) when not given")

    def start(self, arms: int, horizon: int) -> Dexp3State:
        """Return the state before the first round."""
        beta = self.beta if self.beta is not None else math.sqrt(math.log(arms / self.delta) / (arms * horizon))
        return self.with_bonus(arms, horizon, beta)
