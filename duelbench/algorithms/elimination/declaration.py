"""The winner that an explore-then-exploit algorithm declares, and when it did."""

from __future__ import annotations

import numpy as np

from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel


def nothing_declared() -> Ints:
    """Return the declaration before there is one: [−1, 0] for [the winner, the rounds played before it was known]."""
    return np.array([-1, 0], np.int64)


@kernel
def declare(declared: Ints, winner: int, t: int) -> None:
    """Declare the winner at the start of round t."""
    declared[0] = winner
    declared[1] = t - 1


def declaration_of(declared: Ints) -> tuple[int, int] | None:
    """Return the declared winner and the number of rounds before, None while there is none."""
    return (int(declared[0]), int(declared[1])) if declared[0] >= 0 else None
