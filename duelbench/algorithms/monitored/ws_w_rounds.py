"""WS-W with its rounds: the arm that it suspects of being the Condorcet winner.

That is the winner of the last complete round. In the first round it is the incumbent: the arm that did not lose the
previous iteration, and at first the first arm of the first duel. The duels are those of ``ws-w``, in blocks
that end no later than the round, as those of ``ws-s``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.monitored.restarting import restart_standing
from duelbench.algorithms.winner_stays.standing import Standing, largest_but, leader, learn, new_standing, next_duels
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel


class WsWRounds(NamedTuple):
    """``course[0]``: the ``number`` ℓ of the round; the ``suspect``, −1 before the first duel."""

    standing: Standing
    course: Record


def new_rounds(arms: int) -> WsWRounds:
    """Return the state before the first duel."""
    return WsWRounds(new_standing(arms), record(number=1, suspect=-1))


@kernel(inline=False)
def restart_rounds(rounds: WsWRounds) -> None:
    """Reset them as in ``new_rounds``."""
    restart_standing(rounds.standing)
    rounds.course[0].number = 1
    rounds.course[0].suspect = -1


@kernel
def next_of_round(rounds: WsWRounds, most: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the next duels of WS-W, at most so many, all of the same round."""
    net, course = rounds.standing.net, rounds.course[0]
    second = largest_but(net, leader(net), -1)
    answer = next_duels(rounds.standing, min(most, second + course.number), rng)
    if course.suspect < 0:
        course.suspect = answer[0]
    return answer


@kernel
def learn_of_round(rounds: WsWRounds, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcomes; update the loser of the iteration, and check whether the round is over."""
    net, course = rounds.standing.net, rounds.course[0]
    learn(rounds.standing, first, second, wins, count)
    if course.number == 1 and net[course.suspect] < 0:
        course.suspect = first + second - course.suspect
    ahead = leader(net)
    while largest_but(net, ahead, -1) <= -course.number:
        course.suspect = ahead
        course.number += 1
