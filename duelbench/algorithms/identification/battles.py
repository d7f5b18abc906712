"""Rounds of matches that halve the arms, what Divide-and-Battle and Halving-Battle share.

Each round pairs the arms that are left at random; the odd one passes on. From round to round ε shrinks by a quarter
and δ by half, and a match has the ⌈log(c/δ) / ε²⌉ duels that tell two arms apart by ε.

Hold. All duels of two arms are one request (``matches``): nothing is looked at before the last, and a sum of coins is
binomial, so the law at a checkpoint is that of stepping. The declared arm's self-duel is one block to the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.algorithms.identification.matches import begin_match, enough_duels, go_on, new_match
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class BattlesState(NamedTuple):
    """``order`` has the arms that are left first: those of this round from ``position`` on, before them its winners.

    ``c``: see the module. ``final_epsilon``, ``final_log_inverse_delta``: what ε and log(1/δ) start from anew before
    the match of the last two arms; ``final_epsilon`` is 0 if nothing does. ``both_on_a_tie``: whether both stay when a
    match ends evenly, or only its first. ``cursor[0]``: ``left`` arms were in at the start of the round, ``kept`` of
    those that have played are; ``epsilon``, ``log_inverse_delta`` and ``duels`` are those of the round; ``begun`` tells
    whether there was one. ``match`` is the present one. ``declared``: see ``declaration``.
    """

    c: float
    final_epsilon: float
    final_log_inverse_delta: float
    both_on_a_tie: bool
    order: Ints
    cursor: Record
    match: Record
    declared: Record


@kernel
def keep(state: BattlesState, arm: int) -> None:
    """Let the arm pass on to the next round."""
    state.order[state.cursor[0].kept] = arm
    state.cursor[0].kept += 1


@kernel
def judge(state: BattlesState) -> None:
    """Keep the winner of the match."""
    match = state.match[0]
    losses = match.duels - match.wins
    if match.wins >= losses:
        keep(state, match.first)
    if match.wins < losses or (match.wins == losses and state.both_on_a_tie):
        keep(state, match.second)


@kernel
def begin_round(state: BattlesState, rng: np.random.Generator) -> None:
    """Pair the arms that are left, and say how often a pair duels."""
    cursor = state.cursor[0]
    cursor.position = 0
    cursor.kept = 0
    shuffle(state.order, cursor.left, rng)
    if cursor.left == 2 and state.final_epsilon > 0:
        cursor.epsilon = state.final_epsilon
        cursor.log_inverse_delta = state.final_log_inverse_delta
    cursor.log_inverse_delta += math.log(2.0)
    cursor.epsilon *= 0.75
    cursor.duels = enough_duels(1.0, cursor.epsilon, math.log(state.c) + cursor.log_inverse_delta)


@kernel
def next_match(state: BattlesState, t: int, rng: np.random.Generator) -> None:
    """Judge the match that is over, and begin the next or declare the last arm."""
    cursor = state.cursor[0]
    if not cursor.begun:
        cursor.begun = True
        begin_round(state, rng)
    else:
        judge(state)
    if cursor.position + 1 >= cursor.left:
        if cursor.position < cursor.left:
            keep(state, state.order[cursor.position])
        cursor.left = cursor.kept
        if cursor.left == 1:
            declare(state.declared, state.order[0], t)
            return
        begin_round(state, rng)
    begin_match(state.match, state.order[cursor.position], state.order[cursor.position + 1], cursor.duels)
    cursor.position += 2


@kernel
def select(state: BattlesState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the two of the present match; at the end the last arm against itself."""
    declared = state.declared[0]
    if declared.winner < 0 and state.match[0].left == 0:
        next_match(state, t, rng)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    return go_on(state.match, last - t + 1)


@kernel
def update(state: BattlesState, first: int, second: int, wins: int, count: int) -> None:
    """Count the wins of the match's first arm."""
    if first != second:
        state.match[0].wins += wins


class Battles(ExploreThenExploit):
    """The base class of the two, which differ in the initial ε and δ and in the result of a tie."""

    assumes = "Plackett–Luce model"
    regret_order = "no bound: K log(1/δ) / ε² duels to a winner"
    uses_horizon = False  # δ is its own
    supports_delay = False  # a match is judged when all its outcomes are there
    State = BattlesState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, ge=1e-9, le=0.5, description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")


def before_the_first_round(
    arms: int,
    c: float,
    epsilon: float,
    log_inverse_delta: float,
    final_epsilon: float,
    final_log_inverse_delta: float,
    both_on_a_tie: bool,
) -> BattlesState:
    """Return the state in which nothing has been played; ``epsilon`` and ``log_inverse_delta`` are ε₀ and log(1/δ₀)."""
    return BattlesState(
        c=c,
        final_epsilon=final_epsilon,
        final_log_inverse_delta=final_log_inverse_delta,
        both_on_a_tie=both_on_a_tie,
        order=np.arange(arms),
        cursor=record(
            left=arms,
            kept=0,
            position=0,
            duels=0,
            begun=False,
            epsilon=epsilon,
            log_inverse_delta=log_inverse_delta,
        ),
        match=new_match(),
        declared=nothing_declared(),
    )
