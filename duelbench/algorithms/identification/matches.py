"""A match: two arms duel a number of times that is fixed before, and nothing is looked at on the way.

So its duels are one request, cut at the next checkpoint and continued after it; a sum of coins is binomial.
"""

from __future__ import annotations

import math

import numpy as np

from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.arithmetic import NEVER


def new_match() -> Record:
    """Return a match that is over: of its ``duels`` so many are ``left``, ``first`` has won ``wins`` of the others."""
    return record(first=0, second=0, duels=0, left=0, wins=0)


@kernel
def enough_duels(scale: float, epsilon: float, log_inverse_delta: float) -> int:
    """Return ``⌈scale · log(1/δ) / ε²⌉``, the duels that tell two arms apart by ε; NEVER if they are more."""
    duels = scale / epsilon**2 * log_inverse_delta if epsilon > 1e-150 else np.inf
    return NEVER if duels >= NEVER else math.ceil(duels)


@kernel
def begin_match(match: Record, first: int, second: int, duels: int) -> None:
    """Let two arms meet for ``duels`` ≥ 1 duels."""
    match[0].first = first
    match[0].second = second
    match[0].duels = duels
    match[0].left = duels
    match[0].wins = 0


@kernel
def go_on(match: Record, most: int) -> tuple[int, int, int]:
    """Return the next duels of the match, at most so many."""
    count = min(most, match[0].left)
    match[0].left -= count
    return match[0].first, match[0].second, count
