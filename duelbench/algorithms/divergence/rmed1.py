"""RMED1: relative minimum empirical divergence; see ``duelbench/reference/rmed.py``.

Hold. That of ``arm_lists.py``, where it is argued: a self-duel (i*, i*) from a list {i*} repeats until log t has caught
up with the next arm, and the path is the same as with stepping.

Agreement. ``tests/test_catalogue.py``: the path of the reference implementation; nothing is drawn from the policy
stream.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.divergence.arm_lists import ArmLists, add_candidates, all_arms, first_duel, hold, next_arm
from duelbench.algorithms.divergence.empirical_divergence import (
    Divergences,
    champion,
    count_duels,
    new_divergences,
    opponent,
)
from duelbench.compiling.jit import kernel


class Rmed1State(NamedTuple):
    """The results so far, and the lists."""

    results: Divergences
    lists: ArmLists


@kernel
def select(state: Rmed1State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel every pair once, then the arms of the current list, each against its opponent."""
    lists, indices = state.lists, state.results.indices
    if lists.cursor[0].first < indices.shape[0] - 1:
        return first_duel(lists)
    best = champion(state.results)
    if lists.cursor[0].pending:
        add_candidates(lists, indices, best, t - 1, state.results.news)
    arm = next_arm(lists)
    m = opponent(state.results, arm, best)
    if arm == m:
        return arm, arm, hold(lists, indices, best, t, last)
    return arm, m, 1


@kernel
def update(state: Rmed1State, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome and renew the indices of both arms."""
    count_duels(state.results, first, second, wins, count)


class Rmed1(Algorithm):
    """Duel the arms whose losses are not yet too unlikely for a Condorcet winner."""

    name = "rmed1"
    title = "RMED1"
    citation = (
        "Komiyama, Honda, Kashima, Nakagawa. "
        "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem. COLT 2015"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T + K^(2+ε)"
    learns_off_policy = True
    State = Rmed1State
    select = staticmethod(select)
    update = staticmethod(update)

    f_scale: float = Field(0.3, ge=0, description="factor of f(K) = f_scale · K^f_power")
    f_power: float = Field(1.01, ge=0, le=4, description="exponent of f(K)")

    def start(self, arms: int, horizon: int) -> Rmed1State:
        """Return the state before the first round; the first list holds every arm."""
        return Rmed1State(new_divergences(arms), all_arms(arms, self.f_scale * arms**self.f_power))
