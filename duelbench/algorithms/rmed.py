"""RMED1: relative minimum empirical divergence.

The next list is built after each round of the current one, from the counts of that moment; ``select`` does it at the
start of the following round, when the outcome is known.

Hold. When the list is {i*}, nobody has won half of its duels against i* (O_{i*} is empty, so I* = 0) and no other
arm has I_j − I* ≤ log t + f(K), the round is (i*, i*), teaches nothing, and leaves the list {i*}. Only log t moves, so
this repeats up to and including the first round t at which some j satisfies the inequality: the list that is
built after that round is longer. Nothing is drawn: the path is the very one of stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Flags, Floats, Ints
from duelbench.kernels.divergence import kl_from_half
from duelbench.kernels.extremes import least_place
from duelbench.kernels.jit import kernel
from duelbench.kernels.thresholds import first_round_reaching

# Places in RmedState.cursor.
FIRST, SECOND, POSITION, LENGTH, NEXT_LENGTH, PENDING = range(6)


class RmedState(NamedTuple):
    """Counts, divergences and the two lists.

    ``divergence[i, j] = n kl(p̂_ij, 1/2)`` where j ∈ O_i, else 0; ``indices[i]`` is I_i, its sum over j. ``current``
    and ``upcoming`` hold LC and the next list in order; ``remaining`` is LR; ``listed`` marks the next list.
    ``cursor``: the pair of the initial phase, the place in LC, the lengths of both lists, and whether the last round
    was of the loop and its candidates are still to be added.
    """

    f: float
    wins: Ints
    divergence: Floats
    indices: Floats
    current: Ints
    upcoming: Ints
    remaining: Flags
    listed: Flags
    cursor: Ints


@kernel
def start_list(state: RmedState) -> None:
    """Make the upcoming list the current one: LC = LR = the next list."""
    length = state.cursor[NEXT_LENGTH]
    for k in range(length):
        state.current[k] = state.upcoming[k]
    for j in range(state.indices.shape[0]):
        state.remaining[j] = state.listed[j]
        state.listed[j] = False
    state.cursor[POSITION] = 0
    state.cursor[LENGTH] = length
    state.cursor[NEXT_LENGTH] = 0


@kernel
def add_candidates(state: RmedState, t: int) -> None:
    """After round t of the loop: list every arm outside LR whose index is within log t + f(K) of the smallest."""
    limit = math.log(t) + state.f
    smallest = state.indices[least_place(state.indices)]
    for j in range(state.indices.shape[0]):
        if not state.remaining[j] and not state.listed[j] and state.indices[j] - smallest <= limit:
            state.upcoming[state.cursor[NEXT_LENGTH]] = j
            state.listed[j] = True
            state.cursor[NEXT_LENGTH] += 1
    if state.cursor[POSITION] == state.cursor[LENGTH]:
        start_list(state)


@kernel
def opponent(state: RmedState, arm: int, best: int) -> int:
    """Return m(l): i* where it is not beaten by ``arm`` or nobody else is unbeaten, else the hardest opponent."""
    wins = state.wins
    unbeaten = 0
    hardest, lowest = -1, 2.0
    for j in range(state.indices.shape[0]):
        if j == arm:
            continue
        if wins[arm, j] <= wins[j, arm]:
            if j == best:
                return best
            unbeaten += 1
        n = wins[arm, j] + wins[j, arm]
        p = wins[arm, j] / n if n > 0 else 0.5
        if p < lowest:
            hardest, lowest = j, p
    return best if unbeaten == 0 else hardest


@kernel
def hold(state: RmedState, best: int, t: int, last: int) -> int:
    """Return for how many rounds (best, best) repeats; the caller knows that it is the choice of round t."""
    if state.cursor[LENGTH] != 1:
        return 1
    nearest = np.inf
    for j in range(state.indices.shape[0]):
        if j != best:
            nearest = min(nearest, state.indices[j] - state.indices[best])
    return max(t, min(last, first_round_reaching(nearest, 1.0, state.f))) - t + 1


@kernel
def select(state: RmedState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel every pair once, then the arms of the current list, each against its opponent."""
    arms = state.indices.shape[0]
    cursor = state.cursor
    if cursor[FIRST] < arms - 1:
        i, j = cursor[FIRST], cursor[SECOND]
        cursor[SECOND] += 1
        if cursor[SECOND] == arms:
            cursor[FIRST] += 1
            cursor[SECOND] = cursor[FIRST] + 1
        return i, j, 1
    if cursor[PENDING]:
        add_candidates(state, t - 1)
    cursor[PENDING] = 1
    best = least_place(state.indices)
    arm = state.current[cursor[POSITION]]
    cursor[POSITION] += 1
    state.remaining[arm] = False
    m = opponent(state, arm, best)
    if arm == m:
        return arm, arm, hold(state, best, t, last)
    return arm, m, 1


@kernel
def update(state: RmedState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome and renew the indices of both arms."""
    if first == second:
        return
    state.wins[first, second] += wins
    state.wins[second, first] += count - wins
    n = state.wins[first, second] + state.wins[second, first]
    for i, j in ((first, second), (second, first)):
        won = state.wins[i, j]
        state.divergence[i, j] = n * kl_from_half(won / n) if 2 * won <= n else 0.0
        total = 0.0
        for k in range(state.indices.shape[0]):
            total += state.divergence[i, k]
        state.indices[i] = total


class Rmed1(Algorithm):
    """Duel the arms whose losses are not yet too unlikely for a Condorcet winner."""

    name = "rmed1"
    citation = (
        "Komiyama, Honda, Kashima, Nakagawa. "
        "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem. COLT 2015"
    )
    assumes = "Condorcet winner"
    regret_order = "K log T + K^(2+ε)"
    State = RmedState
    select = staticmethod(select)
    update = staticmethod(update)

    f_scale: float = Field(0.3, ge=0, description="factor of f(K) = f_scale · K^f_power")
    f_power: float = Field(1.01, ge=0, le=4, description="exponent of f(K)")

    def start(self, arms: int, horizon: int) -> RmedState:
        """Return the state before the first round; the first list holds every arm."""
        return RmedState(
            f=self.f_scale * arms**self.f_power,
            wins=np.zeros((arms, arms), np.int64),
            divergence=np.zeros((arms, arms)),
            indices=np.zeros(arms),
            current=np.arange(arms),
            upcoming=np.zeros(arms, np.int64),
            remaining=np.ones(arms, np.bool_),
            listed=np.zeros(arms, np.bool_),
            cursor=np.array([0, 1, 0, arms, 0, 0], np.int64),
        )
