"""Outcomes that come late, after other duels have been asked for: which of them count, and how much to ask for then.

Engines tell outcomes in the order of their duels. Any record will do that has ``asked`` and ``told``, the duels of the
run that were asked for and those whose outcomes have come; ``start``, how many had been asked for when what is on
began; and ``late``, whether an outcome has come late.
"""

from __future__ import annotations

from duelbench.arrays import Record
from duelbench.compiling.jit import kernel


@kernel
def ask_for(duels: Record, count: int) -> int:
    """Ask for ``count`` duels, of which only the last can end what is on, and return their number.

    It is 1 from the first late outcome on, as a block would learn its own sooner than stepping does.
    """
    this = duels[0]
    if this.asked != this.told:
        this.late = True
    count = 1 if this.late else count
    this.asked += count
    return count


@kernel
def count_told(duels: Record, count: int) -> bool:
    """Count outcomes that have come; tell whether their duels were asked for since the start."""
    this = duels[0]
    in_time = this.told >= this.start
    this.told += count
    return in_time  # type: ignore[no-any-return]
