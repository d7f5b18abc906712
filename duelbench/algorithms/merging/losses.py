"""Counts of duels, and the arms of a batch that have lost to another one with confidence, which eliminates them.

At time t arm i loses to arm j when ``u[i, j] = w_ij / n + sqrt(α log(t + C) / n) < 1/2``, n = w_ij + w_ji, that is when
it has won fewer duels than lost and ``(w_ji − w_ij)² / (4n) > α log(t + C)``; a pair that has not met does not exclude.
The right side only grows, so an arm that has not lost at one time can do so later only by a duel. A duel that gives
more evidence than was asked for when it was chosen makes the worse arm *suspect*; only suspects are looked at, when
their batch is played again. Where time restarts, all are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel


class Losses(NamedTuple):
    """``wins[i, j]``: duels that i has won against j; w_ij are ``prior`` more. ``suspect[i]``: whether to check arm i.
    ``lost``: a buffer for results on the arms of a batch.

    ``log_constant`` and ``inverse_constant``: log C and 1 / C, as C may be too large for a number. ``clock[0]``: the
    round ``start`` after which time began, and the ``level`` α log(t + C) of the last round.
    """

    alpha: float
    log_constant: float
    inverse_constant: float
    prior: int
    wins: Ints
    suspect: Flags
    lost: Flags
    clock: Record


def new_losses(arms: int, alpha: float, log_constant: float, prior: int) -> Losses:
    """Return the state before the first duel; each arm of a pair begins with ``prior`` wins."""
    return Losses(
        alpha=alpha,
        log_constant=log_constant,
        inverse_constant=math.exp(-log_constant),
        prior=prior,
        wins=np.zeros((arms, arms), np.int64),
        suspect=np.zeros(arms, np.bool_),
        lost=np.zeros(arms, np.bool_),
        clock=record(start=0, level=0.0),
    )


@kernel
def advance(losses: Losses, t: int) -> None:
    """Move to round t."""
    clock = losses.clock[0]
    clock.level = losses.alpha * (losses.log_constant + math.log1p((t - clock.start) * losses.inverse_constant))


@kernel
def begin_anew(losses: Losses, t: int) -> None:
    """Let time begin after round t."""
    losses.clock[0].start = t
    for arm in range(losses.suspect.shape[0]):
        losses.suspect[arm] = True


@kernel
def has_lost(losses: Losses, i: int, j: int) -> bool:
    """Return whether u[i, j] < 1/2."""
    won, lost = losses.wins[i, j], losses.wins[j, i]
    if won >= lost:
        return False
    duels = won + lost + 2 * losses.prior
    return (lost - won) ** 2 / (4.0 * duels) > losses.clock[0].level  # type: ignore[no-any-return]


@kernel
def count_losers(losses: Losses, arms: Ints, n: int) -> int:
    """Set ``lost[k]`` for the first n ``arms`` where the k-th has lost to another one of them; return how many have."""
    found = 0
    for k in range(n):
        losses.lost[k] = False
        if losses.suspect[arms[k]]:
            for m in range(n):
                if m != k and has_lost(losses, arms[k], arms[m]):
                    losses.lost[k] = True
            found += losses.lost[k]
            losses.suspect[arms[k]] = losses.lost[k]
    return found


@kernel
def learn(losses: Losses, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes of duels of two arms."""
    losses.wins[first, second] += wins
    losses.wins[second, first] += count - wins
    if has_lost(losses, first, second):
        losses.suspect[first] = True
    elif has_lost(losses, second, first):
        losses.suspect[second] = True
