"""Rounds of duels against one random opponent, what Borda elimination and SECS share.

A round draws an opponent from *all* arms and duels it once with every other arm that is left, so the wins of an arm
are unbiased for its Borda score, however few are left. After a round an arm is dropped whose score is below the best
with confidence; SECS also drops one that another beats by the few opponents on which the two differ most.

Where the paper leaves room: arms are in a random order, drawn once per run, which breaks ties; if a round would drop
every arm, the one with the best score stays. Wins are compared as integers, not as means.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, shuffle


class BordaRoundsState(NamedTuple):
    """``won[j]`` duels of arm j are won, ``against[j, i]`` of them against the opponent i.

    SECS compares differences after ``gate`` rounds, by ``sparsity`` opponents and ``constant``; Borda elimination
    never does. ``order`` has all arms in the order of this run, ``remaining`` first those that are left. ``dropped``
    and ``taken`` are room for marks. ``cursor[0]``: how many are ``left``, the ``rounds`` so far with the present one,
    its ``opponent``, and the ``position`` of the next arm. ``declared``: see ``declaration``.
    """

    delta: float
    gate: int
    sparsity: int
    constant: float
    won: Ints
    against: Ints
    order: Ints
    remaining: Ints
    dropped: Flags
    taken: Flags
    cursor: Record
    declared: Record


@kernel
def best_place(state: BordaRoundsState) -> int:
    """Return the place of the arm with the most wins of those that are left, of the first of several."""
    best = 0
    for a in range(1, state.cursor[0].left):
        if state.won[state.remaining[a]] > state.won[state.remaining[best]]:
            best = a
    return best


@kernel
def drop_low_scores(state: BordaRoundsState) -> None:
    """Mark the arms whose Borda score is below the best with confidence."""
    K, t = state.won.shape[0], state.cursor[0].rounds
    radius = math.sqrt(2.0 * math.log(4.0 * K * t * t / state.delta) / t)  # times K/(K − 1), as the scores
    most = state.won[state.remaining[best_place(state)]]
    for a in range(state.cursor[0].left):
        j = state.remaining[a]
        state.dropped[j] = (most - state.won[j]) / t > radius


@kernel
def largest_differences(state: BordaRoundsState, i: int, j: int) -> int:
    """Return by how much i has won more often than j against the opponents on which they differ most."""
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
def drop_by_differences(state: BordaRoundsState) -> None:
    """Mark the arms that another beats, by their duel and a few opponents, with confidence."""
    K, t = float(state.won.shape[0]), state.cursor[0].rounds
    log_term = math.log(4.0 * K * K * t * t / state.delta)
    C = math.sqrt(2.0 * log_term * K / t) + 2.0 * log_term * K / (3.0 * t)
    enough = state.constant * (state.sparsity + 1) * C
    for b in range(state.cursor[0].left):
        j = state.remaining[b]
        for a in range(state.cursor[0].left):
            i = state.remaining[a]
            if i == j or state.dropped[j]:
                continue
            own = 2.0 * (K / t * state.against[i, j] - 0.5)
            if own + K / t * largest_differences(state, i, j) > enough:
                state.dropped[j] = True


@kernel(inline=False)
def finish_round(state: BordaRoundsState) -> None:
    """Drop arms by what is known after the round."""
    cursor = state.cursor[0]
    best = state.remaining[best_place(state)]
    drop_low_scores(state)
    if cursor.rounds > state.gate:
        drop_by_differences(state)
    kept = 0
    for a in range(cursor.left):
        j = state.remaining[a]
        if not state.dropped[j]:
            state.remaining[kept] = j
            kept += 1
    if kept == 0:
        state.remaining[0] = best
        kept = 1
    cursor.left = kept


@kernel
def next_round(state: BordaRoundsState, t: int, rng: np.random.Generator) -> None:
    """Judge the round that is over; draw the next opponent, or declare the last arm."""
    cursor = state.cursor[0]
    if cursor.rounds == 0:
        shuffle(state.order, state.order.shape[0], rng)
        for a in range(state.order.shape[0]):
            state.remaining[a] = state.order[a]
    else:
        finish_round(state)
        if cursor.left == 1:
            declare(state.declared, state.remaining[0], t)
            return
    cursor.rounds += 1
    cursor.opponent = below(state.order.shape[0], rng)
    cursor.position = 0


@kernel
def skip_opponent(state: BordaRoundsState) -> None:
    """Go on to the next arm: the opponent does not duel itself."""
    cursor = state.cursor[0]
    if cursor.position < cursor.left and state.remaining[cursor.position] == cursor.opponent:
        cursor.position += 1


@kernel
def select(state: BordaRoundsState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next arm that is left against the opponent of this round, or commit to the winner."""
    cursor, declared = state.cursor[0], state.declared[0]
    if declared.winner < 0:
        skip_opponent(state)
        if cursor.position == cursor.left:
            next_round(state, t, rng)
            skip_opponent(state)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    cursor.position += 1
    return state.remaining[cursor.position - 1], cursor.opponent, 1


@kernel
def update(state: BordaRoundsState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome for the first arm alone."""
    if first != second:
        state.won[first] += wins
        state.against[first, second] += wins


class BordaRounds(ExploreThenExploit):
    """The base class of the two; only SECS compares differences."""

    citation = "Jamieson, Katariya, Deshpande, Nowak. Sparse Dueling Bandits. AISTATS 2015"
    uses_horizon = False  # δ is its own
    supports_delay = False  # a round is judged when all its outcomes are there
    State = BordaRoundsState
    select = staticmethod(select)
    update = staticmethod(update)

    def recommendation(self, state: BordaRoundsState) -> int:
        """Return the arm with the best Borda score of those that are left."""
        left = state.remaining[: int(state.cursor[0].left)]
        return int(left[state.won[left].argmax()])


def before_the_first_round(arms: int, delta: float, gate: int, sparsity: int, constant: float) -> BordaRoundsState:
    """Return the state in which nothing has been played."""
    return BordaRoundsState(
        delta=delta,
        gate=gate,
        sparsity=sparsity,
        constant=constant,
        won=np.zeros(arms, np.int64),
        against=np.zeros((arms, arms), np.int64),
        order=np.arange(arms),
        remaining=np.arange(arms),
        dropped=np.zeros(arms, np.bool_),
        taken=np.zeros(arms, np.bool_),
        cursor=record(left=arms, rounds=0, opponent=-1, position=arms),
        declared=nothing_declared(),
    )
