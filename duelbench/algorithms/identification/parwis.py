"""PARWiS: winner determination on a shoestring budget, by a Markov chain in which every duel counts.

The chain goes from an arm to one that has beaten it, more often the larger the share of their duels; a ghost that has
won and lost once against everyone keeps it together. An arm's score is its stationary probability. First the winner
stays, through all arms in random order; then the arm with the highest score meets the one for which a win or a loss is
expected to change all scores most. The pseudo-code is ``duelbench/reference/parwis.py``, which solves for every score
anew; ``tests/test_catalogue.py`` checks that the paths are equal.

Scores. Let M be the chain, u the vector with equal entries and sum 1, and ``G = (I − M + 1 uᵀ)⁻¹``: then the scores are
``π = uᵀ G``. A win of a over b moves M[a, b] by x and M[b, a] by y, with the diagonal: M changes by the rank-one matrix
``(x e_a − y e_b)(e_b − e_a)ᵀ``. So with ``g = G_b − G_a``, the rows, π changes by ``g (x π_a − y π_b) / (1 − x g_a +
y g_b)`` (Sherman, Morrison), and G alike: K numbers per opponent that is considered instead of a system of equations.

Every answer is a single duel; with a budget the arm with the highest score is declared when it is spent, and duels
itself to the end.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Floats, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, pick, shuffle

EXACT, RANDOM_TOP, TOP_TWO = 0, 1, 2
TIED = 1e-9
"""Scores and disruptions closer than this are equal: early on many are, and rounding must not choose."""


class ParwisState(NamedTuple):
    """``budget``: 0 for none. ``rule``: of the second arm.

    ``order``: the arms, at random. ``wins[i, j]``: how often i has beaten j. ``score``: (K + 1,) π, the ghost's last.
    ``inverse``: (K + 1, K + 1) G. ``cursor[0]``: ``champion`` is the arm that stays, ``position`` the place of its
    next opponent in ``order``; the duels ``asked`` for and those whose outcome was ``told``. ``value`` and ``found``
    are room for a number and a list of arms. ``declared``: see ``declaration``.
    """

    budget: int
    rule: int
    order: Ints
    wins: Ints
    score: Floats
    inverse: Floats
    cursor: Record
    value: Floats
    found: Ints
    declared: Record


@kernel
def share(wins: int, duels: int) -> float:
    """Return wins/duels, 0 for none."""
    return wins / duels if duels > 0 else 0.0


@kernel
def changes(state: ParwisState, winner: int, loser: int) -> tuple[float, float]:
    """Return by how much a win moves the chain's rate from winner to loser, and from loser to winner."""
    arms = state.order.shape[0]
    won, lost = state.wins[winner, loser], state.wins[loser, winner]
    x = (share(lost, won + lost + 1) - share(lost, won + lost)) / arms
    y = (share(won + 1, won + lost + 1) - share(won, won + lost)) / arms
    return x, y


@kernel
def factor(state: ParwisState, winner: int, loser: int) -> float:
    """Return the factor of ``G_loser − G_winner`` in the change of π by a win."""
    x, y = changes(state, winner, loser)
    inverse = state.inverse
    at_winner = inverse[loser, winner] - inverse[winner, winner]
    at_loser = inverse[loser, loser] - inverse[winner, loser]
    row: float = (x * state.score[winner] - y * state.score[loser]) / (1.0 - x * at_winner + y * at_loser)
    return row


@kernel(inline=False)
def learn(state: ParwisState, winner: int, loser: int) -> None:
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
def disruption(state: ParwisState, top: int, other: int) -> float:
    """Return the change of all scores that is expected of a duel of the two."""
    square = 0.0
    for k in range(state.inverse.shape[0]):
        square += (state.inverse[other, k] - state.inverse[top, k]) ** 2
    won = state.score[top] * abs(factor(state, top, other))
    lost = state.score[other] * abs(factor(state, other, top))
    expected: float = math.sqrt(square) * (won + lost) / (state.score[top] + state.score[other])
    return expected


@kernel
def best_of_values(state: ParwisState, without: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest ``value``, of all but one; ties at random."""
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
def choose_top(state: ParwisState, without: int, rng: np.random.Generator) -> int:
    """Return the arm with the highest score, of all but one; ties at random."""
    for i in range(state.order.shape[0]):
        state.value[i] = state.score[i]
    return best_of_values(state, without, rng)


@kernel(inline=False)
def choose_other(state: ParwisState, top: int, rng: np.random.Generator) -> int:
    """Return the arm that the top one meets."""
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
def select(state: ParwisState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the champion or the top arm against another, or with the budget spent the winner against itself."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    if cursor.champion < 0:
        shuffle(state.order, state.order.shape[0], rng)
        cursor.champion = state.order[0]
        cursor.position = 1
    if 0 < state.budget <= cursor.asked:
        top = choose_top(state, -1, rng)
        if cursor.told < cursor.asked:  # outcomes are on their way
            return top, top, 1
        declare(state.declared, top, t)
        return top, top, last - t + 1
    cursor.asked += 1
    if cursor.position < state.order.shape[0]:
        cursor.position += 1
        return cursor.champion, state.order[cursor.position - 1], 1
    top = choose_top(state, -1, rng)
    return top, choose_other(state, top, rng), 1


@kernel
def update(state: ParwisState, first: int, second: int, wins: int, count: int) -> None:
    """Learn who has won; before all arms have met the champion, the winner stays."""
    if first == second:
        return
    cursor = state.cursor[0]
    cursor.told += 1
    if wins == 1:
        learn(state, first, second)
    else:
        learn(state, second, first)
        if first == cursor.champion and cursor.told < state.order.shape[0]:
            cursor.champion = second


class Parwis(ExploreThenExploit):
    """The best by a Markov chain meets the arm that may change its scores most; for small budgets."""

    name = "parwis"
    title = "PARWiS"
    citation = (
        "Sheth, Rajkumar. PARWiS: Winner Determination from Active Pairwise Comparisons under a Shoestring Budget. "
        "ICDM 2021"
    )
    assumes = "Bradley–Terry–Luce model"
    regret_order = "no bound; declares after its budget, whatever T"
    uses_horizon = False
    State = ParwisState
    select = staticmethod(select)
    update = staticmethod(update)

    budget: int | None = Field(
        None, ge=1, description="duels after which the best score is declared; without, it goes on for as long as T"
    )
    pairs: Literal["exact", "random-top", "top-two"] = Field(
        "exact",
        description="whom the best meets. exact: the arm with the largest expected change; random-top: any; "
        "top-two: the second best",
    )

    def start(self, arms: int, horizon: int) -> ParwisState:
        """Return the state before the first round: all arms have met the ghost, twice."""
        chain = np.zeros((arms + 1, arms + 1))
        chain[:arms, arms] = chain[arms, :arms] = 1 / (2 * arms)
        np.fill_diagonal(chain, 1 - chain.sum(axis=1))
        return ParwisState(
            budget=self.budget or 0,
            rule={"exact": EXACT, "random-top": RANDOM_TOP, "top-two": TOP_TWO}[self.pairs],
            order=np.arange(arms),
            wins=np.zeros((arms, arms), np.int64),
            score=np.full(arms + 1, 1 / (arms + 1)),
            inverse=np.asarray(np.linalg.inv(np.eye(arms + 1) - chain + 1 / (arms + 1)), np.float64),
            cursor=record(champion=-1, position=0, asked=0, told=0),
            value=np.zeros(arms + 1),
            found=np.zeros(arms, np.int64),
            declared=nothing_declared(),
        )

    def recommendation(self, state: ParwisState) -> int | None:
        """Return the declared arm, before the one with the highest score, the first in order of several.

        None before the first outcome.
        """
        if state.declared[0].winner >= 0:
            return int(state.declared[0].winner)
        scores = state.score[state.order]
        return int(state.order[np.argmax(scores >= scores.max() - TIED)]) if state.cursor[0].told > 0 else None
