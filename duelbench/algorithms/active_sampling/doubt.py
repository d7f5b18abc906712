"""Doubt: the next pair is drawn in proportion to the doubt about its order.

The model is Bradley–Terry with a weak prior. In the normal approximation of the posterior, ``f = Φ(d / s)`` is the
probability that the first arm of a pair is stronger, where d is the difference of the two strengths and s its standard
deviation. A pair is drawn with probability proportional to ``min(f, 1 − f)``, so it is almost never drawn once its
order is certain. The strengths are fitted again as votes come (``bradley_terry.py``). The reference is
``tests/reference/bradley_terry.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

It explores only: regret is not its aim, and no arm duels itself. ``recommendation`` names the strongest arm. Every
answer is a single duel, so there is no hold.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.active_sampling.bradley_terry import (
    Strengths,
    count_votes,
    new_strengths,
    order_doubt,
    pair_at,
    refit_if_due,
    strongest,
)
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick_weighted

_LEAST = 1e-300
"""The smallest weight of a pair: if no order is in doubt in double precision, all pairs are equally likely."""


class DoubtState(NamedTuple):
    """``weight`` of each pair i < j, row by row, as of the last fit of the ``strengths``."""

    strengths: Strengths
    weight: Floats


@kernel(inline=False)
def weigh(state: DoubtState) -> None:
    """Compute the weight of every pair."""
    arms, place = state.strengths.wins.shape[0], 0
    for i in range(arms):
        for j in range(i + 1, arms):
            state.weight[place] = max(order_doubt(state.strengths.posterior, i, j), _LEAST)
            place += 1


@kernel
def select(state: DoubtState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel a pair drawn by its doubt."""
    if refit_if_due(state.strengths):
        weigh(state)
    i, j = pair_at(pick_weighted(state.weight, state.weight.shape[0], rng), state.strengths.wins.shape[0])
    return i, j, 1


@kernel
def update(state: DoubtState, first: int, second: int, wins: int, count: int) -> None:
    """Count the votes."""
    if first != second:
        count_votes(state.strengths, first, second, wins, count)


class Doubt(Algorithm):
    """Draw pairs in proportion to the doubt about their order; pure exploration that ignores regret."""

    name = "doubt"
    title = "Doubt"
    citation = "a heuristic of duelbench"
    assumes = "Bradley–Terry–Luce model"
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = DoubtState
    select = staticmethod(select)
    update = staticmethod(update)

    ghosts: float = Field(1.0, ge=0.01, description="virtual wins and losses of each arm against an arm of strength 0")

    def start(self, arms: int, horizon: int) -> DoubtState:
        """Return the state before the first round."""
        return DoubtState(new_strengths(arms, self.ghosts), np.zeros(arms * (arms - 1) // 2))

    def recommendation(self, state: DoubtState) -> int | None:
        """Return the arm with the largest strength given all votes; None without votes."""
        return strongest(state.strengths)
