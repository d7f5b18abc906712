"""Duels that were asked for and not answered yet: when each was asked for, and what for.

Outcomes come in the order of their duels, but where they are late the algorithm has moved on meanwhile: it may be in
another phase, or have forgotten all that was before. Rounds of a hold teach nothing and are not in this list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

ROOM = 1024
"""Open duels at most; if there are more, the outcomes of the oldest are not used."""


class OpenDuels(NamedTuple):
    """The last ``ROOM`` answers that were put in, each at the place of its ``number`` modulo ``ROOM``: the ``round``
    in which it was given and its ``purpose``. ``count[0]``: how many were ``asked`` for, and how many ``told``.
    """

    number: Ints
    round: Ints
    purpose: Ints
    count: Record


def new_open_duels() -> OpenDuels:
    """Return the list before the first duel."""
    return OpenDuels(np.full(ROOM, -1), np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64), record(asked=0, told=0))


@kernel
def ask(duels: OpenDuels, t: int, purpose: int) -> None:
    """Write down an answer of round t."""
    count = duels.count[0]
    place = count.asked % ROOM
    duels.number[place] = count.asked
    duels.round[place] = t
    duels.purpose[place] = purpose
    count.asked += 1


@kernel
def told(duels: OpenDuels) -> tuple[int, int]:
    """Return round and purpose of the oldest open answer, which is none any more; round 0 if it is forgotten."""
    count = duels.count[0]
    place = count.told % ROOM
    known = duels.number[place] == count.told
    count.told += 1
    return (duels.round[place], duels.purpose[place]) if known else (0, 0)
