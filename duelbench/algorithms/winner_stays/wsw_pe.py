"""WSW-PE: Winner Stays with pairwise elimination, for weak regret and to identify the Condorcet winner.

An incumbent meets the qualified arms in random order, as in WS-W: in epoch ℓ each until one of the two has ℓ losses
more than wins and is out for this epoch. If before that an interval of confidence says which of the two is better,
the worse is out for good. The pseudo-code, step by step, is ``duelbench/reference/winner_stays.py``;
``tests/test_catalogue.py`` checks that the paths are equal when every answer is one round.

Hold. The paper stops when one arm is left. From then on it duels itself, to the end: our reading.

Block. A pair meets until one of its arms has ``S = −ℓ``, not before ``min(S) + ℓ`` duels, or until its interval leaves
1/2, by all its duels since the first round: not before ``kernels.first_passage.room`` and one more. The lesser of both
is one request, of which only the last duel can end the meeting. Late outcomes (``kernels.blocks``) of a meeting that is
over are not counted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Flags, Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import ask_for, count_received
from duelbench.kernels.draws import below
from duelbench.kernels.first_passage import boundary, room


class WswPeState(NamedTuple):
    """``scale``: ln(8K/δ). ``wins[i, j]``: duels that i won against j. ``score``: S. ``active``, ``qualified``: X and
    Q.

    ``course[0]``: the ``incumbent`` and the ``_challenger``, −1 where there is none; the ``epoch`` ℓ; how many arms are
    ``left`` in X; ``asked``, ``received``, ``start`` (of the meeting), ``late``: see ``kernels.blocks``. ``declared``:
    see ``declaration``.
    """

    scale: float
    wins: Ints
    score: Ints
    active: Flags
    qualified: Flags
    course: Record
    declared: Record


@kernel
def _challenger(qualified: Flags, incumbent: int, rng: np.random.Generator) -> int:
    """Return a random qualified arm but the incumbent, −1 if there is none."""
    others = 0
    for arm in range(qualified.shape[0]):
        others += arm != incumbent and qualified[arm]
    place = below(others, rng) if others > 1 else 0
    for arm in range(qualified.shape[0]):
        if arm != incumbent and qualified[arm]:
            if place == 0:
                return arm
            place -= 1
    return -1


@kernel
def _room_of_the_pair(state: WswPeState) -> int:
    """Return a number of duels of which only the last can end the meeting."""
    i, j = state.course[0].incumbent, state.course[0].challenger
    n = state.wins[i, j] + state.wins[j, i]
    lead = 0.5 * (state.wins[i, j] - state.wins[j, i])
    decided: int = min(room(state.scale, n, lead, 0.5), room(state.scale, n, -lead, 0.5)) + 1
    # At least 1: where (a) and (b) came at once the winner of a meeting may be at −ℓ itself.
    out: int = max(1, min(state.score[i], state.score[j]) + state.course[0].epoch)
    return min(decided, out)


@kernel
def select(state: WswPeState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel incumbent and challenger, or the last arm against itself."""
    course, declared = state.course[0], state.declared[0]
    most = last - t + 1
    if declared.winner >= 0:
        return declared.winner, declared.winner, most
    if course.incumbent < 0:
        course.incumbent = below(state.score.shape[0], rng)
    if course.challenger < 0:
        if course.left == 1:
            declare(state.declared, course.incumbent, t)
            return course.incumbent, course.incumbent, most
        course.challenger = _challenger(state.qualified, course.incumbent, rng)
        if course.challenger < 0:
            for arm in range(state.active.shape[0]):
                state.qualified[arm] = state.active[arm]
            course.epoch += 1
            course.challenger = _challenger(state.qualified, course.incumbent, rng)
        course.start = course.asked
    return course.incumbent, course.challenger, ask_for(state.course, min(_room_of_the_pair(state), most))


@kernel
def update(state: WswPeState, first: int, second: int, wins: int, count: int) -> None:
    """Learn the outcomes. The loser of a meeting is out, for the epoch or for good; the other one is the incumbent."""
    if first == second:
        return
    course = state.course[0]
    if not (count_received(state.course, count) and course.challenger >= 0):
        return
    state.wins[first, second] += wins
    state.wins[second, first] += count - wins
    state.score[first] += 2 * wins - count
    state.score[second] -= 2 * wins - count
    n = state.wins[first, second] + state.wins[second, first]
    lead = 0.5 * (state.wins[first, second] - state.wins[second, first])
    loser = -1
    if abs(lead) > boundary(state.scale, n):
        loser = second if lead > 0 else first
        state.active[loser] = False
        course.left -= 1
    elif state.score[first] <= -course.epoch:
        loser = first
    elif state.score[second] <= -course.epoch:
        loser = second
    if loser >= 0:
        state.qualified[loser] = False
        course.incumbent = first if loser == second else second
        course.challenger = -1


class WswPe(ExploreThenExploit):
    """Winner Stays that drops an arm for good when another one beats it with confidence."""

    name = "wsw-pe"
    title = "WSW-PE"
    citation = "Ma, Ding, Zhang, Zhou. ACM SIGKDD Conference on Knowledge Discovery and Data Mining 2025, Algorithm 3"
    assumes = "Condorcet winner"
    regret_order = "K log K / Δ⁶, whatever T, of binary weak regret"
    uses_horizon = False
    State = WswPeState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(
        0.05, gt=0, lt=1, description="probability δ of declaring another arm than the Condorcet winner"
    )

    def start(self, arms: int, horizon: int) -> WswPeState:
        """Return the state before the first round."""
        return WswPeState(
            scale=math.log(8.0 * arms / self.delta),
            wins=np.zeros((arms, arms), np.int64),
            score=np.zeros(arms, np.int64),
            active=np.ones(arms, np.bool_),
            qualified=np.ones(arms, np.bool_),
            course=record(incumbent=-1, challenger=-1, epoch=1, left=arms, asked=0, received=0, start=0, late=False),
            declared=nothing_declared(),
        )

    def recommendation(self, state: WswPeState) -> int | None:
        """Return the incumbent, once there is one."""
        incumbent = int(state.course[0].incumbent)
        return incumbent if incumbent >= 0 else None
