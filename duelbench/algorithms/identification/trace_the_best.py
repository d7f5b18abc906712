"""Trace-the-Best: a running winner meets the other arms one after the other, and is replaced by one clearly better.

The pseudo-code, step by step, is ``duelbench/reference/plackett_luce.py``; ``tests/test_catalogue.py`` checks that the
paths, round by round, are equal.

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


class TraceTheBestState(NamedTuple):
    """``order`` has all arms as they come; each meets the ``champion`` for so many ``duels``.

    ``cursor[0]``: the ``champion``, −1 before there is one, and ``position``, the place of the next challenger.
    ``match`` is that of the present challenger, first, and the champion. ``declared``: see ``declaration``.
    """

    duels: int
    epsilon: float
    order: Ints
    cursor: Record
    match: Record
    declared: Record


@kernel
def next_match(state: TraceTheBestState, t: int, rng: np.random.Generator) -> None:
    """Judge the match that is over, and begin the next or declare the champion."""
    cursor, match = state.cursor[0], state.match[0]
    if cursor.champion < 0:
        shuffle(state.order, state.order.shape[0], rng)
        cursor.champion = state.order[0]
        cursor.position = 1
    elif match.wins / match.duels > 0.5 + state.epsilon / 2:
        cursor.champion = match.first
    if cursor.position == state.order.shape[0]:
        declare(state.declared, cursor.champion, t)
        return
    begin_match(state.match, state.order[cursor.position], cursor.champion, state.duels)
    cursor.position += 1


@kernel
def select(state: TraceTheBestState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the present challenger against the champion; at the end the champion against itself."""
    declared = state.declared[0]
    if declared.winner < 0 and state.match[0].left == 0:
        next_match(state, t, rng)
    if declared.winner >= 0:
        return declared.winner, declared.winner, last - t + 1
    return go_on(state.match, last - t + 1)


@kernel
def update(state: TraceTheBestState, first: int, second: int, wins: int, count: int) -> None:
    """Count the challenger's wins."""
    if first != second:
        state.match[0].wins += wins


class TraceTheBest(ExploreThenExploit):
    """Let a running winner meet every other arm, for a fixed number of duels each."""

    name = "trace-the-best"
    title = "Trace the Best"
    citation = "Saha, Gopalan. PAC Battling Bandits in the Plackett-Luce Model. ALT 2019, Algorithm 1, two arms a duel"
    assumes = "Plackett–Luce model"
    regret_order = "no bound: K log(K/δ) / ε² duels to a winner"
    uses_horizon = False  # δ is its own
    supports_delay = False  # a match is judged when all its outcomes are there
    State = TraceTheBestState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, ge=1e-9, le=0.5, description="slack ε: the winner may lose to the best arm with probability up to 1/2 + ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that the winner is worse than that")

    def start(self, arms: int, horizon: int) -> TraceTheBestState:
        """Return the state before the first round; the horizon does not matter."""
        return TraceTheBestState(
            duels=enough_duels(4.0, self.epsilon, math.log(2 * arms / self.delta)),
            epsilon=self.epsilon,
            order=np.arange(arms),
            cursor=record(champion=-1, position=0),
            match=new_match(),
            declared=nothing_declared(),
        )

    def recommendation(self, state: TraceTheBestState) -> int | None:
        """Return the champion, once there is one."""
        champion = int(state.cursor[0].champion)
        return champion if champion >= 0 else None
