"""Active ranking for the top arm: every arm that is left duels a random other one, and low Borda scores are dropped.

The pseudo-code, step by step, is ``duelbench/reference/active_ranking.py``; ``tests/test_catalogue.py`` checks that the
paths are equal. Arms are in a random order, drawn once per run, which breaks ties.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below
from duelbench.kernels.shuffling import shuffle


class ActiveRankingState(NamedTuple):
    """``won[i]``: of its duels, one a round, so many are won by arm i.

    ``as_in_experiments``: which of the two thresholds. ``remaining`` has the arms that are left first. ``cursor[0]``:
    how many are ``left``, the ``rounds`` so far with the present one, and the ``position`` of the next arm.
    ``declared``: see ``declaration``.
    """

    as_in_experiments: bool
    delta: float
    won: Ints
    remaining: Ints
    cursor: Record
    declared: Record


@kernel(inline=False)
def threshold(state: ActiveRankingState) -> float:
    """Return the difference of means by which an arm is worse than another, infinite while there is none."""
    K, t = state.won.shape[0], state.cursor[0].rounds
    if not state.as_in_experiments:
        return 4.0 * math.sqrt(math.log(125.0 * K * math.log(1.12 * t) / state.delta) / t)
    if t <= 2:  # the inner logarithm is not positive
        return np.inf
    x = math.log(K / state.delta)
    return 2.0 * math.sqrt(0.5 * (x + 0.75 * math.log(x) + 1.5 * math.log(1.0 + math.log(t / 2.0))) / t)


@kernel(inline=False)
def finish_round(state: ActiveRankingState) -> None:
    """Drop the arms that are worse than the best: all others where the second best is."""
    cursor, enough = state.cursor[0], threshold(state)
    most = 0
    for a in range(cursor.left):
        most = max(most, state.won[state.remaining[a]])
    kept = 0
    for a in range(cursor.left):
        i = state.remaining[a]
        if (most - state.won[i]) / cursor.rounds <= enough:
            state.remaining[kept] = i
            kept += 1
    cursor.left = kept


@kernel
def select(state: ActiveRankingState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next arm that is left against a random other one, or commit to the winner."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner < 0 and cursor.position == cursor.left:
        if cursor.rounds == 0:
            shuffle(state.remaining, cursor.left, rng)
        else:
            finish_round(state)
        cursor.rounds += 1
        cursor.position = 0
        if cursor.left == 1:
            declare(state.declared, state.remaining[0], t)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    first = state.remaining[cursor.position]
    cursor.position += 1
    second = below(state.won.shape[0] - 1, rng) if state.won.shape[0] > 2 else 0
    return first, second + (1 if second >= first else 0), 1


@kernel
def update(state: ActiveRankingState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome for the first arm alone."""
    if first != second:
        state.won[first] += wins


class ActiveRanking(ExploreThenExploit):
    """Duel every arm that is left against a random other one a round, and drop the low Borda scores."""

    name = "active-ranking"
    title = "Active ranking"
    citation = (
        "Heckel, Shah, Ramchandran, Wainwright. Active Ranking from Pairwise Comparisons and When Parametric "
        "Assumptions Do Not Help. Annals of Statistics 2019, for the top arm"
    )
    assumes = "one Borda winner"
    regret_order = "no bound: Σ Δ⁻² log(K log(1/Δ)/δ) duels to a winner, Δ of Borda scores"
    uses_horizon = False  # δ is its own
    supports_delay = False  # a round is judged when all its outcomes are there
    State = ActiveRankingState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is no Borda winner")
    radius: Literal["paper", "experiments"] = Field(
        "paper", description="paper: the one that is proved; experiments: the one of the paper's figures, much smaller"
    )

    def start(self, arms: int, horizon: int) -> ActiveRankingState:
        """Return the state before the first round; the horizon does not matter."""
        return ActiveRankingState(
            as_in_experiments=self.radius == "experiments",
            delta=self.delta,
            won=np.zeros(arms, np.int64),
            remaining=np.arange(arms),
            cursor=record(left=arms, rounds=0, position=arms),
            declared=nothing_declared(),
        )

    def recommendation(self, state: ActiveRankingState) -> int:
        """Return the arm with the best Borda score of those that are left."""
        left = state.remaining[: int(state.cursor[0].left)]
        return int(left[state.won[left].argmax()])
