"""Explore-Verify: find a candidate cheaply and what beats each other arm most clearly, then verify only that.

Exploration, at a confidence that need not grow with 1/δ, asks two questions about every pair (x, y): does x beat y; and
if not, is y the witness against x, the arm that beats it most clearly? A round duels each pair once of which one is
open. Verification duels every arm but the candidate against its witness alone, with counts of its own, until all have
lost; should one win, all restarts at a higher confidence. The pseudo-code, step by step, is
``duelbench/reference/nts.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

Why it errs with probability δ at most. Let the means be ``q = 2P − 1``. After n duels of a pair q is outside of q̂ ∓
``sqrt(2 ln(2 n² K²/γ)/n)`` with probability ``γ/(n² K²)`` at most (Hoeffding). Over all n and at most K²/2 pairs these
add up to less than γ. A wrong candidate is declared only if the Condorcet winner is seen to lose to its witness: in a
verification with γ = δ/(2r²), and these add up, over r = 1, 2, …, to less than δ. Nothing of this needs the
exploration to be right: that κ is small only makes few verifications fail.

Why it ends where there is a Condorcet winner c. If no interval of an exploration fails, c is seen to beat all others,
and no other arm is; each question about x ≠ c is settled as the intervals narrow, since c beats x, even if x and y are
equal; and the witness against x has been seen to beat it. So each r succeeds with probability 1 − κ − δ/2 at least.

Where the paper's pseudo-code was not at hand: this settles each of the two questions about a pair by itself, and by the
intervals after the round; the one program that is known treats the two arms of a pair differently. Arms are in a random
order, drawn once per run, which breaks ties.

Hold. Every answer is a single duel until the winner is declared; the rest of the run is its self-duel, in one block,
and nothing more is drawn. The path is the same as with stepping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class ExploreVerifyState(NamedTuple):
    """``kappa``: κ, the confidence of an exploration.

    Of an exploration: ``won[i, j]`` of ``met[i, j]`` duels of i and j are i's; ``settled[x, y]`` tells whether both
    questions about x and y are answered, ``beats[x, y]`` whether x was seen to beat y. Of a verification: the
    ``witness`` against each arm, how many duels against it the arm has ``wins`` of, and whether it has ``lost``.

    ``order``: the arms, at random. ``cursor[0]``: ``stage`` is r, 0 before the first; whether it is ``verifying``, and
    which ``candidate``; the ``rounds`` of a verification with the present one; and ``place``, the position of the next
    duel of the round in the list of all possible duels. ``declared``: see ``declaration``.
    """

    kappa: float
    delta: float
    won: Ints
    met: Ints
    settled: Flags
    beats: Flags
    witness: Ints
    wins: Ints
    lost: Flags
    order: Ints
    cursor: Record
    declared: Record


@kernel
def interval(wins: int, duels: int, arms: int, gamma: float) -> tuple[float, float]:
    """Return the interval of q = 2P − 1 after some duels of a pair, of which its first arm has won so many."""
    q = 2 * wins / duels - 1
    radius = math.sqrt(2 * math.log(2.0 * duels * duels * arms * arms / gamma) / duels)
    return q - radius, q + radius


@kernel(inline=False)
def begin_exploration(state: ExploreVerifyState) -> None:
    """Go to the next r, and forget all duels."""
    state.cursor[0].stage += 1
    state.cursor[0].verifying = False
    state.won[:] = 0
    state.met[:] = 0
    state.beats[:] = False
    state.settled[:] = False
    for i in state.order:
        state.settled[i, i] = True


@kernel(inline=False)
def lowest_upper_bound(state: ExploreVerifyState, x: int) -> tuple[int, float]:
    """Return the witness against x, the arm that beats it most clearly, and the upper end of its interval."""
    best, lowest = -1, np.inf
    for y in state.order:
        if y != x:
            _, upper = interval(state.won[x, y], state.met[x, y], state.order.shape[0], state.kappa)
            if upper < lowest:
                best, lowest = y, upper
    return best, lowest


@kernel(inline=False)
def settle(state: ExploreVerifyState) -> bool:
    """Answer what can be answered after the round; tell whether nothing is open any more."""
    over = True
    for x in state.order:
        lowest = min(0.0, lowest_upper_bound(state, x)[1])
        for y in state.order:
            if state.settled[x, y]:
                continue
            lower, upper = interval(state.won[x, y], state.met[x, y], state.order.shape[0], state.kappa)
            state.beats[x, y] = lower > 0
            known = upper < 0 and 2 * upper < lower
            state.settled[x, y] = lower > 0 or known or lowest < min(0.0, lower)
            over = over and state.settled[x, y]
    return over


@kernel(inline=False)
def begin_verification(state: ExploreVerifyState) -> bool:
    """Go on to verify the arm that was seen to beat all others, by witnesses; tell whether there is one."""
    cursor = state.cursor[0]
    cursor.candidate = -1
    for x in state.order:
        count = 0
        for y in state.order:
            count += state.beats[x, y]
        if count == state.order.shape[0] - 1 and cursor.candidate < 0:
            cursor.candidate = x
    if cursor.candidate < 0:
        return False
    for x in state.order:
        state.witness[x] = lowest_upper_bound(state, x)[0]
        state.wins[x] = 0
        state.lost[x] = x == cursor.candidate
    cursor.verifying = True
    cursor.rounds = 0
    return True


@kernel(inline=False)
def verify(state: ExploreVerifyState, t: int) -> None:
    """Judge the arms after a round: restart if one has won, declare the candidate if all have lost."""
    cursor, arms = state.cursor[0], state.order.shape[0]
    gamma = state.delta / (2.0 * cursor.stage * cursor.stage)
    lost, won = 0, False
    for x in state.order:
        if not state.lost[x]:
            lower, upper = interval(state.wins[x], cursor.rounds, arms, gamma)
            won = won or lower > 0
            state.lost[x] = upper < 0
        lost += state.lost[x]
    if won:
        begin_exploration(state)
    elif lost == arms:
        declare(state.declared, cursor.candidate, t)


@kernel(inline=False)
def next_round(state: ExploreVerifyState, t: int, rng: np.random.Generator) -> None:
    """Evaluate the round that is over."""
    cursor = state.cursor[0]
    if cursor.stage == 0:
        shuffle(state.order, state.order.shape[0], rng)
        begin_exploration(state)
    elif cursor.verifying:
        verify(state, t)
    elif settle(state) and not begin_verification(state):
        begin_exploration(state)
    cursor.rounds += 1
    cursor.place = 0


@kernel
def next_duel(state: ExploreVerifyState) -> tuple[int, int]:
    """Return the next duel of the round, (−1, −1) after the last."""
    cursor, arms = state.cursor[0], state.order.shape[0]
    while cursor.verifying and cursor.place < arms:
        x = state.order[cursor.place]
        cursor.place += 1
        if not state.lost[x]:
            return x, state.witness[x]
    while not cursor.verifying and cursor.place < arms * arms:
        a, b = cursor.place // arms, cursor.place % arms
        x, y = state.order[a], state.order[b]
        cursor.place += 1
        if a < b and not (state.settled[x, y] and state.settled[y, x]):
            return x, y
    return -1, -1


@kernel
def select(state: ExploreVerifyState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the next pair of the round, or commit to the winner."""
    declared = state.declared[0]
    first = second = -1
    while declared.winner < 0 and first < 0:
        first, second = next_duel(state)
        if first < 0:
            next_round(state, t, rng)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    return first, second, 1


@kernel
def update(state: ExploreVerifyState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome, for the pair or for the arm that is verified to lose."""
    if first == second:
        return
    if state.cursor[0].verifying:
        state.wins[first] += wins
    else:
        state.met[first, second] += count
        state.met[second, first] += count
        state.won[first, second] += wins
        state.won[second, first] += count - wins


class ExploreVerify(ExploreThenExploit):
    """Explore for a candidate and what beats each other arm most clearly, then verify that it does."""

    name = "explore-verify"
    title = "Explore-Verify"
    citation = "Karnin. Verification Based Solution for Structured MAB Problems. NeurIPS 2016"
    assumes = "Condorcet winner"
    regret_order = "no bound: Σ over x of 1/(gap to its witness)² log(1/δ) duels to a winner for δ → 0"
    uses_horizon = False  # δ is its own
    supports_delay = False  # a round is judged when all its outcomes are there
    State = ExploreVerifyState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(
        0.05, gt=0, lt=1, description="probability δ of declaring another arm than the Condorcet winner"
    )

    def start(self, arms: int, horizon: int) -> ExploreVerifyState:
        """Return the state before the first round; the horizon does not matter."""
        square, line = (arms, arms), np.int64
        return ExploreVerifyState(
            kappa=min(1 / 3, -1 / math.log(self.delta)),
            delta=self.delta,
            won=np.zeros(square, line),
            met=np.zeros(square, line),
            settled=np.zeros(square, np.bool_),
            beats=np.zeros(square, np.bool_),
            witness=np.zeros(arms, line),
            wins=np.zeros(arms, line),
            lost=np.zeros(arms, np.bool_),
            order=np.arange(arms),
            cursor=record(stage=0, verifying=False, candidate=-1, rounds=0, place=arms * arms),
            declared=nothing_declared(),
        )

    def recommendation(self, state: ExploreVerifyState) -> int | None:
        """Return the candidate while it is verified, and the declared arm."""
        return int(state.cursor[0].candidate) if state.cursor[0].verifying else None
