"""SELECT-then-verify: a bracket of SELECT, then SPRTs of its winner. How it works: ``single_elimination.py``."""

from __future__ import annotations

from pydantic import Field

from duelbench.algorithms.identification.select import duels_for_gap
from duelbench.algorithms.identification.single_elimination import (
    SingleElimination,
    SingleEliminationState,
    new_bracket,
)
from duelbench.algorithms.identification.sprt import sprt_boundary


class SelectThenVerify(SingleElimination):
    """Find the arm that must be the Condorcet winner if there is one, and test whether it is.

    Where it finds that there is none it declares so, and holds and recommends the arm that has won most pairs.
    """

    name = "select-then-verify"
    title = "SELECT then verify"
    citation = (
        "Haddenhorst, Bengs, Brandt, Hüllermeier. Testification of Condorcet Winners in Dueling Bandits. UAI 2021, "
        "baseline"
    )
    assumes = "no pair within h of 1/2"
    may_declare_no_winner = True
    regret_order = "no bound; decides after O(K ln(K) / h²) duels, whatever T"

    h: float = Field(0.05, gt=0, lt=0.5, description="the least distance h of any P[i, j] from 1/2")
    alpha: float = Field(
        0.05, gt=0, lt=1, description="probability α of an error when there is a Condorcet winner: another arm, or none"
    )
    beta: float = Field(
        0.05, gt=0, lt=1, description="probability β of an error, declaring one, when there is none; γ is the smaller"
    )

    def start(self, arms: int, horizon: int) -> SingleEliminationState:
        """Return the state before the first round."""
        gamma = min(self.alpha, self.beta)
        boundary = sprt_boundary(self.h, gamma / (2 * (arms - 1)))
        duels = duels_for_gap(arms, gamma / 2, self.h)
        return new_bracket(arms, arms // 2, duels, boundary=boundary, verified=True)
