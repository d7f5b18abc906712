"""The winner that an explore-then-exploit algorithm declares, and when it did."""

from __future__ import annotations

from typing import Any

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel


def nothing_declared() -> Record:
    """Return the declaration before there is one: ``winner`` is −1; ``rounds`` were played before it was known."""
    return record(winner=-1, rounds=0)


@kernel
def declare(declared: Record, winner: int, t: int) -> None:
    """Declare the winner at the start of round t, or with −1 that there is none."""
    declared[0].winner = winner
    declared[0].rounds = t - 1


class ExploreThenExploit(Algorithm):
    """An algorithm that explores until it declares a winner, which it then duels with itself.

    Its state has ``declared``, a record of ``nothing_declared``. It is told the horizon, by which it says how sure it
    must be, or has ``uses_horizon = False`` and a δ or a budget of its own.
    """

    uses_horizon = True

    def declaration(self, state: Any) -> tuple[int | None, int] | None:
        """Return the declared winner and the number of rounds before its declaration; None while there is none."""
        declared = state.declared[0]
        return (int(declared.winner), int(declared.rounds)) if declared.winner >= 0 else None
