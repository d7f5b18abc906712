"""Gap variance: the next pair is the one whose vote reduces the uncertainty of the gaps between adjacent arms most.

The model is Bradley–Terry with a weak prior; g are the strengths and C their covariance, in the normal approximation.
Let ``a_k = e_(k) − e_(k+1)``, so that ``a_kᵀ g`` is the gap between the arms at places k and k + 1 of the order of g.
Its weight w_k is the doubt about the order of the two (``doubt.py``) divided by the variance ``a_kᵀ C a_k``. One more
vote on (i, j), whose information is ``v = p (1 − p)``, reduces the sum ``Σ w_k Var(a_kᵀ g)`` by

    Σ w_k v (a_kᵀ C (e_i − e_j))² / (1 + v s) = v q / (1 + v s),    s = (e_i − e_j)ᵀ C (e_i − e_j),
                                                                    q = (e_i − e_j)ᵀ M (e_i − e_j),

where ``M = Σ w_k (C a_k) (C a_k)ᵀ``. It asks for the pair with the largest reduction, ties at random. The strengths, v
and the weights are those of the last fit (``bradley_terry.py``). Votes asked for since then, and votes whose answers
have not come yet, reduce C as if they had been answered, since C does not depend on the answer. So one pair is not
repeated between two fits, nor in a session with many open questions.

With ``u = C (e_i − e_j)``, ``m = M (e_i − e_j)`` and ``c = v / (1 + v s)`` such a vote changes C by ``−c u uᵀ``, and so
M by ``−c (u mᵀ + m uᵀ) + c² q u uᵀ``: K² operations. The reference, ``tests/reference/bradley_terry.py``, inverts
the information matrix for every duel and sums over k; ``tests/test_catalogue.py`` checks that the paths are equal.

Arms of equal strength are in a random order, which is drawn at the start. It explores only: regret is not its aim, and
no arm duels itself. ``recommendation`` names the strongest arm. Every answer is a single duel, so there is no hold.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.active_sampling.bradley_terry import (
    TIED,
    Strengths,
    count_votes,
    difference_variance,
    information,
    new_strengths,
    order_doubt,
    pair_at,
    refit_if_due,
    strongest,
)
from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick, shuffle

_CLOSE = 1e-6
"""Reductions with a smaller relative difference count as equal: at first many are, and rounding must not choose."""


class GapVarianceState(NamedTuple):
    """``order``: the arms in random order; ``ranked``: the arms by strength. ``open[i, j]``, i < j: votes to come.

    ``explained``: the matrix M. ``v[i, j]``: the information of a vote. ``u`` and ``m`` are work space, as are
    ``reduction`` (for each pair, row by row) and ``found`` (a list of pairs).
    """

    strengths: Strengths
    order: Ints
    ranked: Ints
    open: Ints
    explained: Floats
    v: Floats
    u: Floats
    m: Floats
    reduction: Floats
    found: Ints


@kernel
def rank(state: GapVarianceState) -> None:
    """Sort the arms by strength (insertion sort); equal arms keep the order of ``order``."""
    g, ranked = state.strengths.posterior.strength, state.ranked
    for k in range(ranked.shape[0]):
        arm, place = state.order[k], k
        while place > 0 and g[ranked[place - 1]] < g[arm] - TIED:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place] = arm


@kernel(inline=False)
def _expect(state: GapVarianceState, i: int, j: int, votes: int) -> None:
    """Update C and M as if these votes on (i, j) had come."""
    covariance, explained, u, m = state.strengths.posterior.covariance, state.explained, state.u, state.m
    arms = u.shape[0]
    v = votes * state.v[i, j]
    c = v / (1.0 + v * difference_variance(covariance, i, j))
    q = difference_variance(explained, i, j)
    for k in range(arms):
        u[k] = covariance[k, i] - covariance[k, j]
        m[k] = explained[k, i] - explained[k, j]
    for k in range(arms):
        for h in range(arms):
            covariance[k, h] -= c * u[k] * u[h]
            explained[k, h] += c * (c * q * u[k] * u[h] - u[k] * m[h] - m[k] * u[h])


@kernel(inline=False)
def weigh(state: GapVarianceState) -> None:
    """Compute v and M after a fit; the open votes count as if they had come."""
    posterior, ranked, explained, u = state.strengths.posterior, state.ranked, state.explained, state.u
    arms = u.shape[0]
    rank(state)
    for i in range(arms):
        for j in range(arms):
            state.v[i, j] = information(posterior.strength[i] - posterior.strength[j])
            explained[i, j] = 0.0
    for k in range(arms - 1):
        upper, lower = ranked[k], ranked[k + 1]
        weight = order_doubt(posterior, upper, lower) / difference_variance(posterior.covariance, upper, lower)
        for i in range(arms):
            u[i] = posterior.covariance[i, upper] - posterior.covariance[i, lower]
        for i in range(arms):
            for j in range(arms):
                explained[i, j] += weight * u[i] * u[j]
    for i in range(arms):
        for j in range(i + 1, arms):
            if state.open[i, j] > 0:
                _expect(state, i, j, state.open[i, j])


@kernel(inline=False)
def _best_pair(state: GapVarianceState, rng: np.random.Generator) -> int:
    """Return the place of the pair with the largest reduction, ties at random."""
    covariance = state.strengths.posterior.covariance
    arms, place, most = state.u.shape[0], 0, 0.0
    for i in range(arms):
        for j in range(i + 1, arms):
            v = state.v[i, j]
            q, s = difference_variance(state.explained, i, j), difference_variance(covariance, i, j)
            state.reduction[place] = v * q / (1.0 + v * s)
            most = max(most, state.reduction[place])
            place += 1
    count = 0
    for k in range(place):
        if state.reduction[k] >= most * (1.0 - _CLOSE):
            state.found[count] = k
            count += 1
    return pick(state.found, count, rng)


@kernel
def select(state: GapVarianceState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the pair with the largest reduction."""
    if state.strengths.counted[0].fitted < 0:
        shuffle(state.order, state.order.shape[0], rng)
    if refit_if_due(state.strengths):
        weigh(state)
    i, j = pair_at(_best_pair(state, rng), state.order.shape[0])
    state.open[i, j] += 1
    _expect(state, i, j, 1)
    return i, j, 1


@kernel
def update(state: GapVarianceState, first: int, second: int, wins: int, count: int) -> None:
    """Count the votes; they answer open questions about their pair."""
    if first == second:
        return
    count_votes(state.strengths, first, second, wins, count)
    i, j = min(first, second), max(first, second)
    state.open[i, j] = max(0, state.open[i, j] - count)


class GapVariance(Algorithm):
    """The pair whose vote tells most about the gaps of adjacent arms; pure exploration that ignores regret."""

    name = "gap-variance"
    title = "Gap variance"
    citation = "a heuristic of duelbench"
    assumes = "Bradley–Terry–Luce model"
    finds_order = True
    regret_order = "not its aim: it only explores"
    learns_off_policy = True
    State = GapVarianceState
    select = staticmethod(select)
    update = staticmethod(update)

    ghosts: float = Field(1.0, ge=0.01, description="virtual wins and losses of each arm against an arm of strength 0")

    def start(self, arms: int, horizon: int) -> GapVarianceState:
        """Return the state before the first round."""
        pairs = arms * (arms - 1) // 2
        return GapVarianceState(
            strengths=new_strengths(arms, self.ghosts),
            order=np.arange(arms),
            ranked=np.arange(arms),
            open=np.zeros((arms, arms), np.int64),
            explained=np.zeros((arms, arms)),
            v=np.zeros((arms, arms)),
            u=np.zeros(arms),
            m=np.zeros(arms),
            reduction=np.zeros(pairs),
            found=np.zeros(pairs, np.int64),
        )

    def recommendation(self, state: GapVarianceState) -> int | None:
        """Return the arm with the largest strength given all votes; None without votes."""
        return strongest(state.strengths)
