"""The winner or the tiers that an explore-then-exploit algorithm declares, and when it did."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arrays import Record, Tiers, record
from duelbench.compiling.jit import kernel


def nothing_declared() -> Record:
    """Return an empty declaration: ``winner`` is −1; ``rounds`` is the number of rounds before the declaration."""
    return record(winner=-1, rounds=0)


@kernel
def declare(declared: Record, winner: int, t: int) -> None:
    """Declare the winner at the start of round t; −1 declares that there is none."""
    declared[0].winner = winner
    declared[0].rounds = t - 1


class ExploreThenExploit(Algorithm):
    """An algorithm that explores until it declares a winner, which it then duels with itself.

    Its state has ``declared``, a record from ``nothing_declared``. It derives its confidence from the horizon, or has
    ``uses_horizon = False`` and a parameter δ or a budget.
    """

    uses_horizon = True

    def declaration(self, state: Any) -> tuple[Declared, int] | None:
        """Return the declared winner and the number of rounds before its declaration; None while there is none."""
        declared = state.declared[0]
        return (int(declared.winner), int(declared.rounds)) if declared.winner >= 0 else None


class ExploreThenRank(ExploreThenExploit):
    """An algorithm that explores until it declares tiers of arms, and then duels the first arm with itself.

    Its state has ``order`` besides ``declared``: once ``declared.winner``, the first arm, is declared, it has all arms,
    best first. ``sizes`` cuts it into tiers.
    """

    finds_order = True
    declares_tiers = True

    def sizes(self, arms: int) -> Sequence[int]:
        """Return the sizes of the tiers, best first; by default the whole order."""
        return (1,) * arms

    def declaration(self, state: Any) -> tuple[Tiers, int] | None:
        """Return the declared tiers and the number of rounds before their declaration; None while there are none."""
        declared = state.declared[0]
        if declared.winner < 0:
            return None
        ends = accumulate(self.sizes(len(state.order)), initial=0)
        return tuple(tuple(state.order[a:b].tolist()) for a, b in pairwise(ends)), int(declared.rounds)
