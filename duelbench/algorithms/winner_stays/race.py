"""Races of a pair: the first arm with a given number of wins ends the race.

Block. A race to r cannot end in fewer than ``r − max(a, b)`` duels, a and b the wins so far: these are one request,
of which only the last duel can end it. About log₂ r requests make a race. Late outcomes (``kernels.blocks``) of a race
that is over are not counted.
"""

from __future__ import annotations

from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import ask_for, count_received


def new_race() -> Record:
    """Return the record of a race, before the first one.

    ``first``, ``second``: its arms, −1 before there is one. ``goal``: the wins that end it. ``won``, ``lost``: duels in
    it that the first has won and lost. ``running``: whether it goes on. ``asked``, ``received``, ``start``, ``late``:
    see ``kernels.blocks``.
    """
    return record(first=-1, second=-1, goal=1, won=0, lost=0, running=False, asked=0, received=0, start=0, late=False)


@kernel
def begin_race(race: Record, first: int, second: int, goal: int) -> None:
    """Begin a race to ``goal`` wins."""
    this = race[0]
    this.first, this.second = first, second
    this.goal = goal
    this.won = 0
    this.lost = 0
    this.running = True
    this.start = this.asked


@kernel
def go_on(race: Record, most: int) -> tuple[int, int, int]:
    """Return the next duels of the race, at most so many: none but the last can end it."""
    this = race[0]
    return this.first, this.second, ask_for(race, min(this.goal - max(this.won, this.lost), most))


@kernel
def outcome(race: Record, wins: int, count: int) -> int:
    """Learn outcomes; return 1 if they end the race for the first arm, −1 for the second, else 0."""
    this = race[0]
    if not (count_received(race, count) and this.running):
        return 0
    this.won += wins
    this.lost += count - wins
    if max(this.won, this.lost) < this.goal:
        return 0
    this.running = False
    return 1 if this.won > this.lost else -1
