"""SELECT: single elimination with a fixed number of duels per pair. How it works: ``single_elimination.py``."""

from __future__ import annotations

import math

from pydantic import Field, model_validator

from duelbench.algorithms.identification.single_elimination import (
    SingleElimination,
    SingleEliminationState,
    new_bracket,
)


def duels_for_gap(arms: int, delta: float, gap: float) -> int:
    """Return ``m = ⌈ln(log2(K)/δ) / (2 gap²)⌉``: the best arm wins all its pairs but with probability δ."""
    return math.ceil(min(math.log(math.log2(arms) / delta) / (2 * gap**2), 2.0**62))


class Select(SingleElimination):
    """Single elimination by the majority of a fixed number of duels of each pair."""

    name = "select"
    title = "SELECT"
    citation = "Mohajer, Suh, Elmahdy. Active Learning for Top-K Rank Aggregation from Noisy Comparisons. ICML 2017"
    assumes = "Condorcet winner by a known gap"
    regret_order = "no bound; declares after (K − 1) m duels, m = ln(log2(K)/δ)/(2 gap²), whatever T"

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of a wrong winner, if `gap` is right")
    gap: float = Field(
        0.05, gt=0, le=0.5, description="the least by which the winner's probabilities to beat others exceed 1/2"
    )
    duels_per_pair: int | None = Field(None, ge=1, description="duels m of each pair, whatever `delta` and `gap`")
    budget: int | None = Field(
        None, ge=1, description="duels B in all, shared evenly: m = ⌊B/(K − 1)⌋, 1 at least, whatever `delta` and `gap`"
    )
    early_stop: bool = Field(False, description="end a pair when one arm has won more than m/2 of its duels")

    @model_validator(mode="after")
    def _one_number_of_duels(self) -> Select:
        if self.duels_per_pair is not None and self.budget is not None:
            raise ValueError("duels_per_pair and budget both say how often a pair duels: remove one of them")
        return self

    def start(self, arms: int, horizon: int) -> SingleEliminationState:
        """Return the state before the first round."""
        if self.duels_per_pair is not None:
            duels = self.duels_per_pair
        elif self.budget is not None:
            duels = max(1, self.budget // (arms - 1))
        else:
            duels = duels_for_gap(arms, self.delta, self.gap)
        return new_bracket(arms, arms // 2, duels, self.early_stop)
