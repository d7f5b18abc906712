"""Algorithms that MDB and DETECT wrap: how to reset their states, and WS-W with its rounds.

WS-W suspects the winner of the last complete round of being the Condorcet winner. In the first round the suspect is the
incumbent: the arm that did not lose the previous iteration, and at first the first arm of the first duel. Blocks end no
later than the round, as in WS-S.
"""

from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.confidence.rucb import RucbState
from duelbench.algorithms.winner_stays.btw import Line, MbtwState
from duelbench.algorithms.winner_stays.ws import (
    Standing,
    WsSState,
    largest_but,
    leader,
    learn,
    new_standing,
    next_duels,
)
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Bounds, Comparisons


@kernel(inline=False)
def restart_standing(standing: Standing) -> None:
    """Reset to the state of ``new_standing``."""
    for arm in range(standing.net.shape[0]):
        standing.net[arm] = 0
    duel = standing.duel[0]
    duel.first, duel.second = -1, -1
    duel.asked, duel.received = 0, 0
    duel.late = False


@kernel(inline=False)
def restart_ws_s(state: WsSState) -> None:
    """Reset to the state of ``WsS.start``."""
    restart_standing(state.standing)
    course = state.course[0]
    course.number = 1
    course.winner = -1
    course.left = 0


@kernel(inline=False)
def _restart_race(race: Record) -> None:
    """Reset to the state of ``new_race``."""
    this = race[0]
    this.first, this.second = -1, -1
    this.goal = 1
    this.won, this.lost = 0, 0
    this.running = False
    this.asked, this.received = 0, 0
    this.start = 0
    this.late = False


@kernel(inline=False)
def restart_line(line: Line) -> None:
    """Reset to the state of ``new_line``."""
    for arm in range(line.order.shape[0]):
        line.order[arm] = arm
    line.head[0].place = 2
    _restart_race(line.race)


@kernel(inline=False)
def restart_mbtw(state: MbtwState) -> None:
    """Reset to the state of ``Mbtw.start``."""
    for arm in range(state.strength.shape[0]):
        state.strength[arm] = 1
    state.host[0].arm = -1
    _restart_race(state.race)


@kernel(inline=False)
def _copy_into(to: Any, source: Any) -> None:
    """Copy the contents of one array into another."""
    for k in range(to.size):
        to.flat[k] = source.flat[k]


@kernel(inline=False)
def _restart_comparisons(comparisons: Comparisons, first: Comparisons) -> None:
    """Reset to the state ``first``."""
    _copy_into(comparisons.wins, first.wins)
    _copy_into(comparisons.sign, first.sign)
    _copy_into(comparisons.losses, first.losses)
    _copy_into(comparisons.evidence, first.evidence)
    _copy_into(comparisons.weakest, first.weakest)
    _copy_into(comparisons.expired, first.expired)
    now, then = comparisons.clock[0], first.clock[0]
    now.now = then.now
    now.level = then.level
    now.expiry = then.expiry
    now.expiry_level = then.expiry_level


@kernel(inline=False)
def _restart_bounds(bounds: Bounds, first: Bounds) -> None:
    """Reset to the state ``first``."""
    _copy_into(bounds.group, first.group)
    _copy_into(bounds.used, first.used)
    _copy_into(bounds.rate, first.rate)
    _copy_into(bounds.width, first.width)
    _copy_into(bounds.size, first.size)
    _copy_into(bounds.places, first.places)
    _copy_into(bounds.found, first.found)


@kernel(inline=False)
def restart_rucb(state: RucbState, first: RucbState) -> None:
    """Reset to the state ``first``."""
    _restart_comparisons(state.comparisons, first.comparisons)
    _restart_bounds(state.bounds, first.bounds)
    _copy_into(state.champions, first.champions)
    now, then = state.summary[0], first.summary[0]
    now.n_champions = then.n_champions
    now.believed = then.believed
    now.current = then.current


class WsWRounds(NamedTuple):
    """``course[0]``: the ``number`` ℓ of the round; the ``suspect``, −1 before the first duel."""

    standing: Standing
    course: Record


def new_rounds(arms: int) -> WsWRounds:
    """Return the state before the first duel."""
    return WsWRounds(new_standing(arms), record(number=1, suspect=-1))


@kernel(inline=False)
def restart_rounds(rounds: WsWRounds) -> None:
    """Reset to the state of ``new_rounds``."""
    restart_standing(rounds.standing)
    rounds.course[0].number = 1
    rounds.course[0].suspect = -1


@kernel
def next_of_round(rounds: WsWRounds, most: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the next duels of WS-W, at most ``most``, all in the same round."""
    net, course = rounds.standing.net, rounds.course[0]
    second = largest_but(net, leader(net), -1)
    answer = next_duels(rounds.standing, min(most, second + course.number), rng)
    if course.suspect < 0:
        course.suspect = answer[0]
    return answer


@kernel
def learn_of_round(rounds: WsWRounds, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes; in the first round replace a suspect that has lost; check whether the round is over."""
    net, course = rounds.standing.net, rounds.course[0]
    learn(rounds.standing, first, second, wins, count)
    if course.number == 1 and net[course.suspect] < 0:
        course.suspect = first + second - course.suspect
    ahead = leader(net)
    while largest_but(net, ahead, -1) <= -course.number:
        course.suspect = ahead
        course.number += 1
