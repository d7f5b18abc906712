"""A queue of arms that wait to race the incumbent, shared by Beat the Winner and Beat the Winner Reset.

The winner of a race is the incumbent of the next one. The loser goes to the end of the queue, whose head is the next
challenger; with two arms it is the loser itself. Only the first order is random. Blocks: see ``race``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.winner_stays.race import begin_race, go_on, new_race
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle


class Line(NamedTuple):
    """``order``: the incumbent, the challenger, and those who wait, a circle from place 2 on. ``head[0].place``:
    where in it the head of the line is, which is where its end will be when the head has left. ``race``: see
    ``race``.
    """

    order: Ints
    head: Record
    race: Record


def new_line(arms: int) -> Line:
    """Return the line before its first order is drawn."""
    return Line(np.arange(arms), record(place=2), new_race())


@kernel
def race_on(line: Line, most: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the next duels of incumbent and challenger, at most so many."""
    if not line.race[0].running:  # only before the first
        shuffle(line.order, line.order.shape[0], rng)
        begin_race(line.race, line.order[0], line.order[1], 1)
    return go_on(line.race, most)


@kernel
def next_race(line: Line, incumbent_won: bool, goal: int) -> None:
    """Begin the race after one that was won by the incumbent or the challenger."""
    order, head = line.order, line.head[0]
    loser = order[1]
    if not incumbent_won:
        loser = order[0]
        order[0] = order[1]
    order[1] = loser
    if order.shape[0] > 2:
        order[1] = order[head.place]
        order[head.place] = loser
        head.place += 1
        if head.place == order.shape[0]:
            head.place = 2
    begin_race(line.race, order[0], order[1], goal)


def incumbent(line: Line) -> int | None:
    """Return the incumbent, once there is one."""
    first = int(line.race[0].first)
    return first if first >= 0 else None
