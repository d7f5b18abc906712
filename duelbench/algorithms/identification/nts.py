"""NTS, noisy tournament sampling: a bracket of SPRTs, then what its winner has not met.

How it works: ``single_elimination.py``.
"""

from __future__ import annotations

from pydantic import Field

from duelbench.algorithms.identification.single_elimination import (
    SingleElimination,
    SingleEliminationState,
    new_bracket,
)
from duelbench.algorithms.identification.sprt import sprt_boundary


class Nts(SingleElimination):
    """Find the Condorcet winner by sequential tests, or that there is none.

    Where it finds that there is none it declares so, and holds and recommends the arm that has won most pairs.
    """

    name = "nts"
    title = "NTS"
    citation = (
        "Haddenhorst, Bengs, Brandt, Hüllermeier. Testification of Condorcet Winners in Dueling Bandits. UAI 2021"
    )
    assumes = "no pair within h of 1/2"
    may_declare_no_winner = True
    regret_order = "no bound; decides after O(K ln(K) / h²) duels, whatever T"

    h: float = Field(0.05, gt=0, lt=0.5, description="the least distance h of any P[i, j] from 1/2")
    alpha: float = Field(
        0.05, gt=0, lt=1, description="probability α of an error when there is a Condorcet winner: another arm, or none"
    )
    beta: float = Field(0.05, gt=0, lt=1, description="probability β of an error, declaring one, when there is none")

    def start(self, arms: int, horizon: int) -> SingleEliminationState:
        """Return the state before the first round."""
        boundary = sprt_boundary(self.h, min(self.alpha / arms, self.beta / (arms - 1)))
        power = 1 << (arms - 1).bit_length()  # the least power of two that is K or more
        return new_bracket(arms, arms - power // 2, boundary=boundary, verified=True)
