"""BtW, BtWR and MBtW: Beat the Winner, its variant with a reset, and the modified one.

BtW: the incumbent and a challenger race to r wins, r = 1, 2, …; the loser waits at the end of the line. The races grow
without end, so a run of T rounds takes time proportional to √T log T. BtWR: when the incumbent loses, the next race is
to one win again. Where no arm beats the others clearly, races stay short, and a run takes time proportional to its
horizon. MBtW: each arm has a strength, 1 at first, which a won race raises and a lost one lowers. The host races to as
many wins as its strength; opponents are drawn in proportion to their strengths.

The papers were not available: the steps are taken from the code of Kolpaczki, Bengs and Hüllermeier (2022), the authors
of BtWR. They are in ``tests/reference/winner_stays.py``; ``tests/test_catalogue.py`` checks that the paths are equal
when every answer is one round.

Block. A race to r cannot end in fewer than ``r − max(a, b)`` duels, where a and b are the wins so far. These duels are
one request; only the last of them can end the race. A race takes about log₂ r requests. Late outcomes
(``kernels.blocks``) of a race that is over are not counted.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import ask_for, count_received
from duelbench.kernels.draws import below, shuffle


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
    """Return the next duels of the race, at most ``most``; only the last of them can end it."""
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


class Line(NamedTuple):
    """``order``: the incumbent, the challenger and, from place 2 on, the waiting arms as a circular queue.
    ``head[0].place``: the place of the first waiting arm; the loser takes this place when that arm becomes the
    challenger. ``race``: see ``new_race``.
    """

    order: Ints
    head: Record
    race: Record


def _new_line(arms: int) -> Line:
    """Return the line before its first order is drawn."""
    return Line(np.arange(arms), record(place=2), new_race())


@kernel
def _race_on(line: Line, most: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the next duels of the incumbent and the challenger, at most ``most``."""
    if not line.race[0].running:  # only before the first
        shuffle(line.order, line.order.shape[0], rng)
        begin_race(line.race, line.order[0], line.order[1], 1)
    return go_on(line.race, most)


@kernel
def _next_race(line: Line, incumbent_won: bool, goal: int) -> None:
    """Let the loser of a race wait at the end of the line, and begin the next race."""
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


def _incumbent(line: Line) -> int | None:
    """Return the incumbent, once there is one."""
    first = int(line.race[0].first)
    return first if first >= 0 else None


class BtwState(NamedTuple):
    """The racing pair and the waiting arms."""

    line: Line


@kernel
def select(state: BtwState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the race."""
    return _race_on(state.line, last - t + 1, rng)


@kernel
def update(state: BtwState, first: int, second: int, wins: int, count: int) -> None:
    """Learn how the race goes on; after its end begin the next, to one win more."""
    won = outcome(state.line.race, wins, count)
    if won != 0:
        _next_race(state.line, won > 0, state.line.race[0].goal + 1)


class Btw(Algorithm):
    """Race the last winner against all others in turn, each time to one win more."""

    name = "btw"
    title = "BtW"
    citation = (
        "Peköz, Ross, Zhang. Dueling Bandit Problems. "
        "Probability in the Engineering and Informational Sciences 2020, Beat the Winner"
    )
    assumes = "Condorcet winner"
    regret_order = "K², whatever T, of binary weak regret"
    State = BtwState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> BtwState:
        """Return the state before the first round."""
        return BtwState(_new_line(arms))

    def recommendation(self, state: BtwState) -> int | None:
        """Return the incumbent, once there is one."""
        return _incumbent(state.line)


@kernel
def update_btwr(state: BtwState, first: int, second: int, wins: int, count: int) -> None:
    """Learn how the race goes on; the next is to one win more if the incumbent has won it, else to one."""
    won = outcome(state.line.race, wins, count)
    if won != 0:
        _next_race(state.line, won > 0, state.line.race[0].goal + 1 if won > 0 else 1)


class Btwr(Btw):
    """Race the last winner against all others in turn, to one win more as long as it wins."""

    name = "btwr"
    title = "BtWR"
    citation = "Kolpaczki, Bengs, Hüllermeier. Non-Stationary Dueling Bandits. arXiv 2202.00935, 2022"
    regret_order = "whatever T, of binary weak regret; linear in practice where gaps are small"
    State = BtwState
    update = staticmethod(update_btwr)


class MbtwState(NamedTuple):
    """``strength`` of each arm, at least 1. ``host[0].arm``: the next host, −1 at first. ``race``: see ``new_race``."""

    strength: Ints
    host: Record
    race: Record


@kernel
def opponent(strength: Ints, host: int, rng: np.random.Generator) -> int:
    """Return an arm other than the host, drawn with probability proportional to its strength."""
    K = strength.shape[0]
    if K == 2:
        return 1 - host
    place = below(strength.sum() - strength[host], rng)
    for arm in range(K):
        if arm != host:
            if place < strength[arm]:
                return arm
            place -= strength[arm]
    return -1  # never


@kernel
def select_mbtw(state: MbtwState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the race, or begin the next."""
    if not state.race[0].running:
        host = state.host[0]
        if host.arm < 0:
            host.arm = below(state.strength.shape[0], rng)
        begin_race(state.race, host.arm, opponent(state.strength, host.arm, rng), state.strength[host.arm])
    return go_on(state.race, last - t + 1)


@kernel
def update_mbtw(state: MbtwState, first: int, second: int, wins: int, count: int) -> None:
    """Learn how the race goes on; at its end the winner becomes stronger and the next host."""
    race = state.race[0]
    won = outcome(state.race, wins, count)
    if won == 0:
        return
    winner, loser = race.first, race.second
    if won < 0:
        winner, loser = race.second, race.first
    state.strength[winner] += 1
    state.strength[loser] = max(state.strength[loser] - 1, 1)
    state.host[0].arm = winner


class Mbtw(Algorithm):
    """Race the last winner against arms drawn by their strengths, to as many wins as the strength of the winner."""

    name = "mbtw"
    title = "MBtW"
    citation = (
        "Peköz, Ross, Zhang. Dueling Bandit Problems. "
        "Probability in the Engineering and Informational Sciences 2020, Modified Beat the Winner"
    )
    assumes = "Condorcet winner"
    regret_order = "no bound"
    State = MbtwState
    select = staticmethod(select_mbtw)
    update = staticmethod(update_mbtw)

    def start(self, arms: int, horizon: int) -> MbtwState:
        """Return the state before the first round."""
        return MbtwState(np.ones(arms, np.int64), record(arm=-1), new_race())
