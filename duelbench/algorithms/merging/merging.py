"""The base class of algorithms that merge batches, with the constant C of their confidence."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field, model_validator

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.merging.batches import last_arm


class Merging(Algorithm):
    """Arms in batches; the parameters ``alpha``, ``batch`` and ``C`` have defaults of their own in each algorithm."""

    assumes = "Condorcet winner"
    regret_order = "K log T"

    alpha: float
    batch: int
    delta: float = Field(
        0.01, gt=0, lt=1, description="probability δ of eliminating the Condorcet winner, if C is null"
    )
    C: float | None

    @model_validator(mode="after")
    def _needs_a_constant(self) -> Merging:
        if self.C is None and self.alpha <= 0.5:
            raise ValueError("C follows from delta only where alpha is above 1/2: give C")
        return self

    def log_constant(self, arms: int) -> float:
        """Return log C, with ``C = ((4α − 1) K² / ((2α − 1) δ))^(1 / (2α − 1))`` if it is not given."""
        if self.C is not None:
            return math.log(self.C)
        exponent = 2 * self.alpha - 1
        return math.log((4 * self.alpha - 1) * arms**2 / (exponent * self.delta)) / exponent

    def recommendation(self, state: Any) -> int | None:
        """Return the arm that is left, once the others are eliminated."""
        return int(last_arm(state.batches)) if state.batches.course[0].left == 1 else None
