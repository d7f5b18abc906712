"""Open duels: the round and the purpose of each duel whose outcome has not arrived.

Outcomes arrive in the order of their duels, but possibly late: the algorithm may be in another phase by then, or have
restarted. Rounds of a hold are uninformative and not in this list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel

ROOM = 1024
"""The largest number of open duels; if there are more, the outcomes of the oldest are ignored."""


class OpenDuels(NamedTuple):
    """The last ``ROOM`` answers that were put in, each at the place of its ``number`` modulo ``ROOM``: the ``round``
    in which it was given and its ``purpose``. ``count[0]``: how many were ``asked`` for, and how many ``received``.
    """

    number: Ints
    round: Ints
    purpose: Ints
    count: Record


def new_open_duels() -> OpenDuels:
    """Return the list before the first duel."""
    return OpenDuels(np.full(ROOM, -1), np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64), record(asked=0, received=0))


@kernel
def ask(duels: OpenDuels, t: int, purpose: int) -> None:
    """Record an answer of round t."""
    count = duels.count[0]
    place = count.asked % ROOM
    duels.number[place] = count.asked
    duels.round[place] = t
    duels.purpose[place] = purpose
    count.asked += 1


@kernel
def received(duels: OpenDuels) -> tuple[int, int]:
    """Remove the oldest open answer and return its round and purpose; round 0 if it was overwritten."""
    count = duels.count[0]
    place = count.received % ROOM
    known = duels.number[place] == count.received
    count.received += 1
    return (duels.round[place], duels.purpose[place]) if known else (0, 0)
