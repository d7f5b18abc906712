"""The pair that is being decided: one after the other is duelled until a test decides it."""

from __future__ import annotations

from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel


def new_pair() -> Record:
    """Return the record before there is a pair: ``first`` has won ``wins`` of ``duels`` against ``second``.

    ``ties`` of them were ties, which only some algorithms count.
    """
    return record(first=-1, second=-1, wins=0, ties=0, duels=0)


@kernel
def open_pair(pair: Record, first: int, second: int) -> None:
    """Go to another pair, or to fresh counts of the same."""
    pair[0].first = first
    pair[0].second = second
    pair[0].wins = 0
    pair[0].ties = 0
    pair[0].duels = 0


@kernel
def count_outcome(pair: Record, first: int, second: int, wins: int, count: int) -> None:
    """Count duels of the pair; those of a pair before it, whose outcome comes late, change nothing any more."""
    if first == pair[0].first and second == pair[0].second:
        pair[0].wins += wins
        pair[0].duels += count


@kernel
def lead(pair: Record) -> int:
    """Return by how many wins one arm is ahead."""
    return abs(2 * pair[0].wins - pair[0].duels)  # type: ignore[no-any-return]
