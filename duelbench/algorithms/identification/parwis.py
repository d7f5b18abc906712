"""PARWiS: winner determination on a shoestring budget, by a Markov chain in which every duel counts.

The chain moves from an arm to arms that have beaten it, the more often the larger the share of their duels that they
have won; a ghost that has won and lost once against every arm keeps it connected. An arm's score is its stationary
probability. First all arms challenge in random order, and the winner of each duel stays. Then the arm with the highest
score meets the arm against which a duel is expected to change the scores most. The pseudo-code is
``tests/reference/parwis.py``, which solves for every score anew; ``tests/test_catalogue.py`` checks that the paths are
equal.

Scores. Let M be the chain, u the vector with equal entries and sum 1, and ``G = (I − M + 1 uᵀ)⁻¹``: then the scores are
``π = uᵀ G``. A win of a over b moves M[a, b] by x and M[b, a] by y, with the diagonal: M changes by the rank-one matrix
``(x e_a − y e_b)(e_b − e_a)ᵀ``. So with the difference of rows ``g = G_b − G_a``, π changes by
``g (x π_a − y π_b) / (1 − x g_a + y g_b)`` (Sherman, Morrison), and G changes likewise. So each possible opponent costs
K numbers instead of a system of equations.

Duels are requested one at a time. With a budget, the arm with the highest score is declared once it is spent.
"""

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, pick, shuffle
from duelbench.kernels.duels import World, duel

EXACT, RANDOM_TOP, TOP_TWO = 0, 1, 2
TIED = 1e-9
"""Scores and disruptions closer than this count as equal: many are equal at first, and rounding must not choose."""


@kernel
def share(wins: int, duels: int) -> float:
    """Return wins/duels; 0 if there are no duels."""
    return wins / duels if duels > 0 else 0.0


@kernel
def changes(state: State, winner: int, loser: int) -> tuple[float, float]:
    """Return by how much a win moves the chain's rate from winner to loser, and from loser to winner."""
    arms = state.order.shape[0]
    won, lost = state.wins[winner, loser], state.wins[loser, winner]
    x = (share(lost, won + lost + 1) - share(lost, won + lost)) / arms
    y = (share(won + 1, won + lost + 1) - share(won, won + lost)) / arms
    return x, y


@kernel
def factor(state: State, winner: int, loser: int) -> float:
    """Return the factor of ``G_loser − G_winner`` in the change of π by a win."""
    x, y = changes(state, winner, loser)
    inverse = state.inverse
    at_winner = inverse[loser, winner] - inverse[winner, winner]
    at_loser = inverse[loser, loser] - inverse[winner, loser]
    row: float = (x * state.score[winner] - y * state.score[loser]) / (1.0 - x * at_winner + y * at_loser)
    return row


@kernel(inline=False)
def learn(state: State, winner: int, loser: int) -> None:
    """Count a win: update G, π and the wins."""
    x, y = changes(state, winner, loser)
    inverse = state.inverse
    size = inverse.shape[0]
    at_winner = inverse[loser, winner] - inverse[winner, winner]
    at_loser = inverse[loser, loser] - inverse[winner, loser]
    denominator = 1.0 - x * at_winner + y * at_loser
    row = (x * state.score[winner] - y * state.score[loser]) / denominator
    for k in range(size):
        state.value[k] = inverse[loser, k] - inverse[winner, k]
    for i in range(size):
        step = (x * inverse[i, winner] - y * inverse[i, loser]) / denominator
        for k in range(size):
            inverse[i, k] += step * state.value[k]
    for k in range(size):
        state.score[k] += row * state.value[k]
    state.wins[winner, loser] += 1


@kernel
def disruption(state: State, top: int, other: int) -> float:
    """Return the expected change, in Euclidean norm, of the scores by a duel of the two arms."""
    square = 0.0
    for k in range(state.inverse.shape[0]):
        square += (state.inverse[other, k] - state.inverse[top, k]) ** 2
    won = state.score[top] * abs(factor(state, top, other))
    lost = state.score[other] * abs(factor(state, other, top))
    expected: float = math.sqrt(square) * (won + lost) / (state.score[top] + state.score[other])
    return expected


@kernel
def best_of_values(state: State, without: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest ``value``, ignoring arm ``without``; ties at random."""
    arms = state.order.shape[0]
    best = -np.inf
    for i in range(arms):
        if i != without:
            best = max(best, state.value[i])
    count = 0
    for i in range(arms):
        if i != without and state.value[i] >= best - TIED:
            state.found[count] = i
            count += 1
    return pick(state.found, count, rng)


@kernel(inline=False)
def choose_top(state: State, without: int, rng: np.random.Generator) -> int:
    """Return the arm with the highest score, ignoring arm ``without``; ties at random."""
    for i in range(state.order.shape[0]):
        state.value[i] = state.score[i]
    return best_of_values(state, without, rng)


@kernel(inline=False)
def choose_other(state: State, top: int, rng: np.random.Generator) -> int:
    """Return the opponent of the top arm."""
    arms = state.order.shape[0]
    if state.rule == TOP_TWO:
        return choose_top(state, top, rng)
    if state.rule == RANDOM_TOP:
        other = below(arms - 1, rng) if arms > 2 else 0
        return other + 1 if other >= top else other
    for j in range(arms):
        if j != top:
            state.value[j] = disruption(state, top, j)
    return best_of_values(state, top, rng)


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Let all arms challenge in random order, then duel the top arm against others, until the budget is spent."""
    shuffle(state.order, world.arms, rng)
    first, duels = state.order[0], 0
    while state.budget == 0 or duels < state.budget:
        if duels < world.arms - 1:
            second = state.order[duels + 1]
        else:
            first = choose_top(state, -1, rng)
            second = choose_other(state, first, rng)
        duels += 1
        if duel(world, first, second, 1) == 1:
            learn(state, first, second)
        else:
            learn(state, second, first)
            if duels < world.arms:
                first = second
    return choose_top(state, -1, rng)


class Parwis(Program):
    """For small budgets: duel the arm with the best Markov-chain score against the arm that may change scores most."""

    name = "parwis"
    title = "PARWiS"
    citation = (
        "Sheth, Rajkumar. PARWiS: Winner Determination from Active Pairwise Comparisons under a Shoestring Budget. "
        "ICDM 2021"
    )
    assumes = "Bradley–Terry–Luce model"
    regret_order = "no bound; declares after its budget, whatever T"
    explore = explore

    budget: int | None = Field(
        None, ge=1, description="duels after which the best score is declared; without, it goes on for as long as T"
    )
    pairs: Literal["exact", "random-top", "top-two"] = Field(
        "exact",
        description="whom the best meets. exact: the arm with the largest expected change; random-top: any; "
        "top-two: the second best",
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round: each arm has won and lost once against the ghost.

        ``wins[i, j]``: how often i has beaten j. ``score``: π, (K + 1,), the last entry for the ghost. ``inverse``: G,
        (K + 1, K + 1). ``value`` and ``found`` are buffers for numbers and for a list of arms.
        """
        chain = np.zeros((arms + 1, arms + 1))
        chain[:arms, arms] = chain[arms, :arms] = 1 / (2 * arms)
        np.fill_diagonal(chain, 1 - chain.sum(axis=1))
        return self.state(
            budget=self.budget or 0,
            rule={"exact": EXACT, "random-top": RANDOM_TOP, "top-two": TOP_TWO}[self.pairs],
            order=np.arange(arms),
            wins=np.zeros((arms, arms), np.int64),
            score=np.full(arms + 1, 1 / (arms + 1)),
            inverse=np.asarray(np.linalg.inv(np.eye(arms + 1) - chain + 1 / (arms + 1)), np.float64),
            value=np.zeros(arms + 1),
            found=np.zeros(arms, np.int64),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the arm with the highest score, ties by the random order; None before the first outcome."""
        scores = state.score[state.order]
        return int(state.order[np.argmax(scores >= scores.max() - TIED)]) if state.wins.any() else None
