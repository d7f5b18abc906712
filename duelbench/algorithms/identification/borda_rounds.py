"""Borda elimination and SECS: rounds of duels against one random opponent, after which arms are dropped.

A round draws an opponent from *all* arms and duels it once with every other arm that is left, so the wins of an arm are
an unbiased estimate of its Borda score, however few arms are left. After a round, every arm whose score is below the
best with confidence is dropped. SECS also drops an arm if another one is better with confidence in their own duels and
against the few opponents on which the two differ most.

Our choices where the paper is silent: arms are in a random order, drawn once per run, which breaks ties; if a round
would drop every arm, the one with the best score stays. Wins are compared as integers, not as means. The pseudo-code,
step by step, is ``tests/reference/borda.py``; ``tests/test_catalogue.py`` checks that the paths are equal.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, shuffle
from duelbench.kernels.duels import World, duel


@kernel
def order_arms(state: State, rng: np.random.Generator) -> None:
    """Draw a random order of the arms; all arms are left."""
    shuffle(state.order, state.order.shape[0], rng)
    for a in range(state.order.shape[0]):
        state.remaining[a] = state.order[a]


@kernel
def play_round(world: World, state: State, rng: np.random.Generator) -> None:
    """Let the arms that are left duel a random opponent, and count their wins."""
    opponent = below(world.arms, rng)
    for a in range(state.kept[0].left):
        j = state.remaining[a]
        if j != opponent:
            wins = duel(world, j, opponent, 1)
            state.won[j] += wins
            state.against[j, opponent] += wins


@kernel
def best_arm(state: State) -> int:
    """Return the remaining arm with the most wins; the first one in a tie."""
    best = state.remaining[0]
    for a in range(1, state.kept[0].left):
        if state.won[state.remaining[a]] > state.won[best]:
            best = state.remaining[a]
    return best  # type: ignore[no-any-return]


@kernel
def mark_low_scores(state: State, rounds: int) -> None:
    """Mark the arms whose Borda score is below the best with confidence."""
    K, t = state.won.shape[0], rounds
    radius = math.sqrt(2.0 * math.log(4.0 * K * t * t / state.delta) / t)  # without K/(K − 1), as are the scores
    most = state.won[best_arm(state)]
    for a in range(state.kept[0].left):
        j = state.remaining[a]
        state.dropped[j] = (most - state.won[j]) / t > radius


@kernel
def largest_differences(state: State, i: int, j: int) -> int:
    """Return how many more wins i has than j against the opponents on which they differ most."""
    K = state.won.shape[0]
    state.taken[:] = False
    total = 0
    for _ in range(min(state.sparsity, K - 2)):
        best, largest = -1, -1
        for a in range(K):
            k = state.order[a]
            if k != i and k != j and not state.taken[k]:
                difference = abs(state.against[i, k] - state.against[j, k])
                if difference > largest:
                    best, largest = k, difference
        state.taken[best] = True
        total += state.against[i, best] - state.against[j, best]
    return total


@kernel(inline=False)
def mark_by_differences(state: State, rounds: int) -> None:
    """Mark the arms that another one beats with confidence, by their own duels and a few opponents."""
    K, t = float(state.won.shape[0]), rounds
    log_term = math.log(4.0 * K * K * t * t / state.delta)
    C = math.sqrt(2.0 * log_term * K / t) + 2.0 * log_term * K / (3.0 * t)
    enough = state.constant * (state.sparsity + 1) * C
    for b in range(state.kept[0].left):
        j = state.remaining[b]
        for a in range(state.kept[0].left):
            i = state.remaining[a]
            if i == j or state.dropped[j]:
                continue
            own = 2.0 * (K / t * state.against[i, j] - 0.5)
            if own + K / t * largest_differences(state, i, j) > enough:
                state.dropped[j] = True


@kernel
def drop(state: State) -> None:
    """Drop the marked arms; if all are marked, the best one stays."""
    best, left = best_arm(state), 0
    for a in range(state.kept[0].left):
        j = state.remaining[a]
        if not state.dropped[j]:
            state.remaining[left] = j
            left += 1
    if left == 0:
        state.remaining[0] = best
        left = 1
    state.kept[0].left = left


@kernel
def explore_scores(world: World, state: State, rng: np.random.Generator) -> int:
    """Borda elimination."""
    order_arms(state, rng)
    rounds = 0
    while state.kept[0].left > 1:
        rounds += 1
        play_round(world, state, rng)
        mark_low_scores(state, rounds)
        drop(state)
    return state.remaining[0]  # type: ignore[no-any-return]


@kernel
def explore_differences(world: World, state: State, rng: np.random.Generator) -> int:
    """SECS."""
    order_arms(state, rng)
    rounds = 0
    while state.kept[0].left > 1:
        rounds += 1
        play_round(world, state, rng)
        mark_low_scores(state, rounds)
        if rounds > state.gate:
            mark_by_differences(state, rounds)
        drop(state)
    return state.remaining[0]  # type: ignore[no-any-return]


class BordaRounds(Program):
    """The base class of the two; only SECS compares differences."""

    citation = "Jamieson, Katariya, Deshpande, Nowak. Sparse Dueling Bandits. AISTATS 2015"
    supports_delay = False  # a round is judged once all its outcomes have arrived

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is no Borda winner")

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        Arm j has won ``won[j]`` duels, ``against[j, i]`` of them against the opponent i. The first ``kept[0].left``
        entries of ``remaining`` are the arms that are left.
        """
        return self.state(
            won=np.zeros(arms, np.int64),
            against=np.zeros((arms, arms), np.int64),
            order=np.arange(arms),
            remaining=np.arange(arms),
            dropped=np.zeros(arms, np.bool_),
            taken=np.zeros(arms, np.bool_),
            kept=record(left=arms),
        )

    def recommendation(self, state: Any) -> int:
        """Return the remaining arm with the best Borda score."""
        left = state.remaining[: int(state.kept[0].left)]
        return int(left[state.won[left].argmax()])


class BordaElimination(BordaRounds):
    """In each round, duel all remaining arms against one random opponent, then drop arms with low Borda scores."""

    name = "borda-elimination"
    title = "Borda elimination"
    assumes = "one Borda winner"
    regret_order = "no bound: Σ Δ⁻² log(K/(Δδ)) duels to a winner, Δ of Borda scores"
    explore = explore_scores


class Secs(BordaRounds):
    """Borda elimination that also compares arms by the few opponents on which they differ most."""

    name = "secs"
    title = "SECS"
    assumes = "one Borda winner, sparsity"
    regret_order = "no bound: K log(K/δ) / Δ² duels to a winner where few opponents matter"
    explore = explore_differences

    sparsity: int = Field(5, ge=1, le=10**6, description="number k of opponents by which two arms are compared")
    gate: int = Field(0, ge=0, le=10**18, description="rounds T₀ before arms are compared so")
    constant: float = Field(
        0.5, gt=0, description="factor of the radius of such a comparison; the paper proves 6 and recommends 1/2"
    )
