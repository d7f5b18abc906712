"""Explore-Verify: find a candidate and the arm that beats each other arm most clearly, then verify only these results.

Exploration, at a confidence that need not grow with 1/δ, asks two questions about every pair (x, y): does x beat y; and
if not, is y the witness against x, the arm that beats it most clearly? A round duels each pair that has an open
question once. Verification duels every arm except the candidate against its witness only, with separate counts, until
all have lost. If one wins, exploration restarts, and the next verification has a higher confidence. The pseudo-code,
step by step, is ``tests/reference/nts.py``; ``tests/test_catalogue.py`` checks that the paths are equal.

Error probability at most δ. Let the means be ``q = 2P − 1``. After n duels of a pair, q is outside
``q̂ ± sqrt(2 ln(2 n² K²/γ)/n)`` with probability at most ``γ/(n² K²)`` (Hoeffding). Over all n and at most K²/2 pairs
these add up to less than γ. A wrong candidate is declared only if the Condorcet winner is seen to lose to its witness.
The r-th verification has γ = δ/(2r²), and these add up, over r = 1, 2, …, to less than δ. This does not require the
exploration to be right: a small κ only makes failed verifications rare.

It ends if there is a Condorcet winner c. If no interval of an exploration fails, c is seen to beat all others, and no
other arm is; each question about x ≠ c is settled as the intervals narrow, since c beats x, even if x and y are equal;
and the witness against x has been seen to beat it. So each r succeeds with probability at least 1 − κ − δ/2.

The paper's pseudo-code was not available to us. We settle each of the two questions about a pair separately, by the
intervals after the round; the only published implementation known to us treats the two arms of a pair differently. Arms
are in a random order, drawn once per run, which breaks ties.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.arrays import State, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.duels import World, duel


@kernel
def interval(wins: int, duels: int, arms: int, gamma: float) -> tuple[float, float]:
    """Return the interval for q = 2P − 1 of a pair whose first arm has won ``wins`` of ``duels`` duels."""
    q = 2 * wins / duels - 1
    radius = math.sqrt(2 * math.log(2.0 * duels * duels * arms * arms / gamma) / duels)
    return q - radius, q + radius


@kernel(inline=False)
def lowest_upper_bound(state: State, x: int) -> tuple[int, float]:
    """Return the witness against x, the arm that beats it most clearly, and the upper end of their interval."""
    best, lowest = -1, np.inf
    for y in state.order:
        if y != x:
            _, upper = interval(state.won[x, y], state.met[x, y], state.order.shape[0], state.kappa)
            if upper < lowest:
                best, lowest = y, upper
    return best, lowest


@kernel
def forget(state: State) -> None:
    """Forget all duels of the last exploration, and open all questions."""
    state.won[:] = 0
    state.met[:] = 0
    state.beats[:] = False
    state.settled[:] = False
    for x in state.order:
        state.settled[x, x] = True


@kernel
def duel_open_pairs(world: World, state: State) -> None:
    """Duel each pair that has an open question once."""
    for a in range(world.arms):
        for b in range(a + 1, world.arms):
            x, y = state.order[a], state.order[b]
            if not (state.settled[x, y] and state.settled[y, x]):
                wins = duel(world, x, y, 1)
                state.won[x, y] += wins
                state.won[y, x] += 1 - wins
                state.met[x, y] += 1
                state.met[y, x] += 1


@kernel
def settle(state: State) -> bool:
    """Settle the questions that can be answered after the round; return whether none is left open."""
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


@kernel
def find_candidate(state: State) -> int:
    """Return the first arm that was seen to beat all others; −1 if there is none."""
    for x in state.order:
        count = 0
        for y in state.order:
            count += state.beats[x, y]
        if count == state.order.shape[0] - 1:
            return x  # type: ignore[no-any-return]
    return -1


@kernel
def judge(state: State, rounds: int, gamma: float) -> int:
    """Judge the arms after a round: return 1 if all have lost, −1 if one has won, else 0."""
    lost, won = 0, False
    for x in state.order:
        if not state.lost[x]:
            lower, upper = interval(state.wins[x], rounds, state.order.shape[0], gamma)
            won = won or lower > 0
            state.lost[x] = upper < 0
        lost += state.lost[x]
    return -1 if won else 1 if lost == state.order.shape[0] else 0


@kernel
def verify(world: World, state: State, candidate: int, gamma: float) -> bool:
    """Let every other arm duel its witness until all have lost or one has won; return whether all have lost."""
    for x in state.order:
        state.witness[x] = lowest_upper_bound(state, x)[0]
        state.wins[x] = 0
        state.lost[x] = x == candidate
    rounds, verdict = 0, 0
    while verdict == 0:
        rounds += 1
        for x in state.order:
            if not state.lost[x]:
                state.wins[x] += duel(world, x, state.witness[x], 1)
        verdict = judge(state, rounds, gamma)
    return verdict > 0


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> int:
    """Explore and verify the candidate, until one is verified."""
    candidate, stage, verified = state.candidate[0], 0, False
    shuffle(state.order, world.arms, rng)
    while not verified:
        stage += 1
        candidate.arm = -1
        forget(state)
        duel_open_pairs(world, state)
        while not settle(state):
            duel_open_pairs(world, state)
        candidate.arm = find_candidate(state)
        if candidate.arm >= 0:
            verified = verify(world, state, candidate.arm, state.delta / (2.0 * stage * stage))
    return candidate.arm  # type: ignore[no-any-return]


class ExploreVerify(Program):
    """Find a candidate and, for each other arm, the arm that beats it most clearly; then verify these results."""

    name = "explore-verify"
    title = "Explore-Verify"
    citation = "Karnin. Verification Based Solution for Structured MAB Problems. NeurIPS 2016"
    assumes = "Condorcet winner"
    regret_order = "no bound: Σ over x of 1/(gap to its witness)² log(1/δ) duels to a winner for δ → 0"
    supports_delay = False  # a round is judged once all its outcomes have arrived
    explore = explore

    delta: float = Field(
        0.05, gt=0, lt=1, description="probability δ of declaring another arm than the Condorcet winner"
    )

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        An exploration has confidence parameter ``kappa``; i has won ``won[i, j]`` of its ``met[i, j]`` duels with j;
        ``settled[x, y]``: whether both questions about x and y are answered; ``beats[x, y]``: whether x was seen to
        beat y. A verification of the ``candidate`` has the ``witness`` against each arm, the arm's ``wins`` against its
        witness, and whether the arm has ``lost``.
        """
        return self.state(
            kappa=min(1 / 3, -1 / math.log(self.delta)),
            won=np.zeros((arms, arms), np.int64),
            met=np.zeros((arms, arms), np.int64),
            settled=np.zeros((arms, arms), np.bool_),
            beats=np.zeros((arms, arms), np.bool_),
            witness=np.zeros(arms, np.int64),
            wins=np.zeros(arms, np.int64),
            lost=np.zeros(arms, np.bool_),
            order=np.arange(arms),
            candidate=record(arm=-1),
        )

    def recommendation(self, state: Any) -> int | None:
        """Return the candidate of the current verification; None during an exploration."""
        return int(state.candidate[0].arm) if state.candidate[0].arm >= 0 else None
