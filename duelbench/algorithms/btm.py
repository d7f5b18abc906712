"""BTM: beat the mean, explore then exploit.

Hold. Once a single arm is left the rest of the run is its self-duel, in one block; nothing is drawn any more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Ints
from duelbench.kernels.declaration import declaration_of, declare, nothing_declared
from duelbench.kernels.draws import below, pick
from duelbench.kernels.jit import kernel


class BtmState(NamedTuple):
    """Records against the mean of the active set.

    ``duels[i, j]``, ``wins[i, j]``: duels that i started against j while both were active, and how many i won.
    ``total`` and ``won`` are their sums over j. A radius is ``scale · sqrt(log_inverse_delta / n)``.
    ``pending[0]`` says that a duel has been counted since the last look for an arm to drop.
    """

    scale: float
    log_inverse_delta: float
    duels: Ints
    wins: Ints
    total: Ints
    won: Ints
    active: Flags
    pending: Flags
    declared: Ints
    found: Ints


@kernel
def mean(state: BtmState, i: int) -> float:
    """Return the share of its duels that arm i won, 1/2 before the first."""
    return state.won[i] / state.total[i] if state.total[i] > 0 else 0.5


@kernel
def drop_worst(state: BtmState, rng: np.random.Generator) -> None:
    """Drop the worst arm if it is worse than the best with confidence, and forget all duels against it."""
    arms = state.total.shape[0]
    fewest = -1
    worst, best = 2.0, -1.0
    count = 0
    for i in range(arms):
        if not state.active[i]:
            continue
        if fewest < 0 or state.total[i] < fewest:
            fewest = state.total[i]
        p = mean(state, i)
        best = max(best, p)
        if p < worst:
            worst = p
            count = 0
        if p == worst:
            state.found[count] = i
            count += 1
    radius = state.scale * math.sqrt(state.log_inverse_delta / fewest) if fewest > 0 else 1.0
    if worst + radius > best - radius:
        return
    loser = pick(state.found, count, rng)
    state.active[loser] = False
    for i in range(arms):
        state.total[i] -= state.duels[i, loser]
        state.won[i] -= state.wins[i, loser]


@kernel
def select(state: BtmState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the arm with the fewest duels against a random active arm, possibly itself."""
    if state.pending[0]:
        drop_worst(state, rng)
        state.pending[0] = False
    arms = state.total.shape[0]
    count = 0
    fewest = -1
    active = 0
    for i in range(arms):
        if state.active[i]:
            active += 1
            if fewest < 0 or state.total[i] < fewest:
                fewest = state.total[i]
                count = 0
            if state.total[i] == fewest:
                state.found[count] = i
                count += 1
    first = pick(state.found, count, rng)
    if active == 1:
        if state.declared[0] < 0:
            declare(state.declared, first, t)
        return first, first, last - t + 1
    place = below(active, rng)
    second = 0
    for i in range(arms):
        if state.active[i]:
            if place == 0:
                second = i
                break
            place -= 1
    if first == second:
        count_duel(state, first, second, int(rng.random() < 0.5), 1)
    return first, second, 1


@kernel
def count_duel(state: BtmState, first: int, second: int, wins: int, count: int) -> None:
    """Put duels on the record of the first arm; the second was only the mean's stand-in."""
    state.duels[first, second] += count
    state.wins[first, second] += wins
    state.total[first] += count
    state.won[first] += wins
    state.pending[0] = True


@kernel
def update(state: BtmState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome; a self-duel's coin was tossed and counted when it was chosen."""
    if first != second:
        count_duel(state, first, second, wins, count)


class Btm(Algorithm):
    """Drop the arm that does worst against the mean of those still in, until one is left."""

    name = "btm"
    citation = "Yue, Joachims. Beat the Mean Bandit. ICML 2011"
    assumes = "total order, relaxed SST, STI"
    regret_order = "γ⁷ K log T"
    uses_horizon = True
    State = BtmState
    select = staticmethod(select)
    update = staticmethod(update)

    gamma: float = Field(1.3, ge=1, description="relaxation γ of strong stochastic transitivity")
    confidence_scale: float = Field(
        3.0, gt=0, description="factor of the radius; 3 is the paper's, 1 common in practice"
    )

    def declaration(self, state: BtmState) -> tuple[int, int] | None:
        """Return the arm that was left and the rounds it took."""
        return declaration_of(state.declared)

    def start(self, arms: int, horizon: int) -> BtmState:
        """Return the state before the first round, for confidence δ = 1/(2TK)."""
        square, line = (arms, arms), np.int64
        return BtmState(
            scale=self.confidence_scale * self.gamma**2,
            log_inverse_delta=math.log(2 * horizon * arms),
            duels=np.zeros(square, line),
            wins=np.zeros(square, line),
            total=np.zeros(arms, line),
            won=np.zeros(arms, line),
            active=np.ones(arms, np.bool_),
            pending=np.zeros(1, np.bool_),
            declared=nothing_declared(),
            found=np.zeros(arms, line),
        )
