"""Sequential-Elimination: one challenger after the other meets the champion, and takes its place by winning.

The pseudo-code, step by step, is ``duelbench/reference/maxing.py``; the paths of both are equal, duel
by duel (``tests/test_catalogue.py``). Opt-Maximize has it for a part of the arms.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). After the last
challenger the champion duels itself for the rest of the run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import answer, compare_2, new_test, update


class Challenge(NamedTuple):
    """``queue``: the arms, ``length`` many; ``cursor[0]`` has this, ``position``, the place of the next challenger,
    ``champion``, −1 before there is one, and the ``epsilon`` and ``delta`` of its tests."""

    queue: Ints
    cursor: Record


def new_challenge(arms: int) -> Challenge:
    """Return the place of a challenge, before the first one."""
    return Challenge(np.arange(arms), record(length=0, position=0, champion=-1, epsilon=0.0, delta=0.0))


@kernel(inline=False)
def begin_challenge(
    challenge: Challenge, arms: Ints, length: int, epsilon: float, delta: float, rng: np.random.Generator
) -> None:
    """Take the first ``length`` of ``arms`` in random order; the first of them is the champion."""
    queue, cursor = challenge.queue, challenge.cursor[0]
    for k in range(length):
        queue[k] = arms[k]
    shuffle(queue, length, rng)
    cursor.length = length
    cursor.position = 1
    cursor.champion = queue[0]
    cursor.epsilon = epsilon
    cursor.delta = delta / length


@kernel(inline=False)
def next_challenger(challenge: Challenge, test: Record) -> bool:
    """Begin the next challenger's test against the champion; tell whether there was one."""
    cursor = challenge.cursor[0]
    if cursor.position == cursor.length:
        return False
    compare_2(test, challenge.queue[cursor.position], cursor.champion, 0.0, cursor.epsilon, cursor.delta)
    cursor.position += 1
    return True


@kernel(inline=False)
def crown(challenge: Challenge, test: Record) -> None:
    """Make the challenger champion if it has won."""
    if test[0].verdict > 0:
        challenge.cursor[0].champion = test[0].first


class SequentialEliminationState(NamedTuple):
    """``arms``: all of them. ``test``: see ``first_passage``; ``declared``: see ``declaration``."""

    epsilon: float
    delta: float
    arms: Ints
    challenge: Challenge
    test: Record
    declared: Record


@kernel(inline=False)
def proceed(state: SequentialEliminationState, t: int, rng: np.random.Generator) -> None:
    """Record the winner; go to the next challenger, or declare the champion."""
    if state.challenge.cursor[0].champion < 0:
        begin_challenge(state.challenge, state.arms, state.arms.shape[0], state.epsilon, state.delta, rng)
    else:
        crown(state.challenge, state.test)
    if not next_challenger(state.challenge, state.test):
        declare(state.declared, state.challenge.cursor[0].champion, t)


@kernel
def select(state: SequentialEliminationState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the challenger against the champion, or the last champion against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class SequentialElimination(ExploreThenExploit):
    """Find an arm that loses to none by more than ε: a champion against every other arm in turn."""

    name = "sequential-elimination"
    title = "Sequential elimination"
    citation = (
        "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and Ranking with Few Assumptions. "
        "NeurIPS 2017, Algorithm 5"
    )
    assumes = "total order, SST"
    regret_order = "no bound"
    uses_horizon = False
    State = SequentialEliminationState
    select = staticmethod(select)
    update = staticmethod(update)

    epsilon: float = Field(
        0.05, gt=0, lt=0.5, description="ε: the declared arm beats every other with probability at least 1/2 − ε"
    )
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of declaring another")

    def start(self, arms: int, horizon: int) -> SequentialEliminationState:
        """Return the state before the first round."""
        return SequentialEliminationState(
            epsilon=self.epsilon,
            delta=self.delta,
            arms=np.arange(arms),
            challenge=new_challenge(arms),
            test=new_test(),
            declared=nothing_declared(),
        )

    def recommendation(self, state: SequentialEliminationState) -> int | None:
        """Return the champion, once there is one."""
        champion = int(state.challenge.cursor[0].champion)
        return champion if champion >= 0 else None
