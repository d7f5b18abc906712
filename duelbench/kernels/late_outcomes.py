"""Delayed outcomes, which arrive after further duels have been asked for: which ones count, and how many to ask for.

The engine reports outcomes in the order of their duels. The functions use a record with the fields ``asked`` and
``told``, the numbers of duels asked for and of outcomes received in the run; ``start``, the value of ``asked`` when the
current phase began; and ``late``, whether an outcome has arrived late.
"""

from __future__ import annotations

from duelbench.arrays import Record
from duelbench.compiling.jit import kernel


@kernel
def ask_for(duels: Record, count: int) -> int:
    """Ask for ``count`` duels, of which only the last can end the phase, and return their number.

    After the first late outcome it is 1, since the outcomes of a block would arrive sooner than those of single rounds.
    """
    this = duels[0]
    if this.asked != this.told:
        this.late = True
    count = 1 if this.late else count
    this.asked += count
    return count


@kernel
def count_told(duels: Record, count: int) -> bool:
    """Count received outcomes; return whether their duels belong to the current phase."""
    this = duels[0]
    in_time = this.told >= this.start
    this.told += count
    return in_time  # type: ignore[no-any-return]
