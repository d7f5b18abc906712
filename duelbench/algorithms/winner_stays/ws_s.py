"""WS-S: Winner Stays for strong regret.

After round ℓ of WS-W its winner duels itself ``⌊β^ℓ⌋`` times. The round is over when all arms but one have at least ℓ
losses more than wins. The pseudo-code, step by step, is ``duelbench/reference/winner_stays.py``;
``tests/test_catalogue.py`` checks that the paths are equal when every answer is one round.

Hold. An exploitation block is ⌊β^ℓ⌋ self-duels, known when it begins: one answer, cut at ``last``, the rest at once
afterwards. Nothing is drawn.

Blocks of one pair: see ``standing``. None may go on beyond the end of the round, which is no sooner than when C of the
second arm is down at −ℓ: at most ``C[second] + ℓ`` duels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.winner_stays.standing import (
    Standing,
    largest_but,
    leader,
    learn,
    new_standing,
    next_duels,
)
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel

FAR = 2.0**62
"""More rounds than any run has."""


class WsSState(NamedTuple):
    """``course[0]``: the ``number`` ℓ of WS-W's round; the ``winner`` of the last, −1 before; and how many of its
    self-duels are ``left``.
    """

    beta: float
    standing: Standing
    course: Record


@kernel
def end_round(state: WsSState) -> None:
    """Begin to exploit if the round of WS-W is over."""
    net, course = state.standing.net, state.course[0]
    ahead = leader(net)
    if largest_but(net, ahead, -1) > -course.number:
        return
    course.winner = ahead
    course.left = int(min(math.pow(state.beta, float(course.number)), FAR))
    course.number += 1


@kernel
def select(state: WsSState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the round of WS-W, or with the self-duels of its winner."""
    course = state.course[0]
    most = last - t + 1
    if course.left == 0:
        end_round(state)
    if course.left > 0:
        count = min(course.left, most)
        course.left -= count
        return course.winner, course.winner, count
    second = largest_but(state.standing.net, leader(state.standing.net), -1)
    return next_duels(state.standing, min(most, second + course.number), rng)


@kernel
def update(state: WsSState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes; a self-duel teaches nothing."""
    if first != second:
        learn(state.standing, first, second, wins, count)


class WsS(Algorithm):
    """Play Winner Stays in rounds, the winner of each against itself for longer and longer."""

    name = "ws-s"
    title = "WS-S"
    citation = "Chen, Frazier. Dueling Bandits with Weak Regret. ICML 2017, Algorithm 2"
    assumes = "Condorcet winner, β < p / (1 − p)"
    regret_order = "K² + K log T"
    State = WsSState
    select = staticmethod(select)
    update = staticmethod(update)

    beta: float = Field(
        1.1,
        gt=1,
        description="β: round ℓ is followed by ⌊β^ℓ⌋ self-duels; below p / (1 − p) for every P[i, j] = p > 1/2",
    )

    def start(self, arms: int, horizon: int) -> WsSState:
        """Return the state before the first round."""
        return WsSState(self.beta, new_standing(arms), record(number=1, winner=-1, left=0))

    def recommendation(self, state: WsSState) -> int | None:
        """Return the winner of the last round."""
        winner = int(state.course[0].winner)
        return winner if winner >= 0 else None
