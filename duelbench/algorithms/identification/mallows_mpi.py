"""MallowsMPI: a champion meets every other arm in turn, each until it is sure which of the two is better.

The pseudo-code, step by step, is ``duelbench/reference/mallows.py``; the paths of both are equal, duel by duel
(``tests/test_catalogue.py``). On a pair at exactly 1/2 it goes on to the end of the run.

Hold. The duels of a pair come in blocks that cannot decide it on the way (``first_passage``). After the last opponent
the champion duels itself for the rest of the run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenExploit, declare, nothing_declared
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import shuffle
from duelbench.kernels.first_passage import NO_LIMIT, answer, begin, new_test, update


class MallowsMpiState(NamedTuple):
    """``queue``: the arms in random order. ``cursor[0]`` has the ``champion``, −1 before there is one, and
    ``position``, the place of its next opponent. ``test``: see ``first_passage``; ``declared``: see
    ``declaration``."""

    delta: float
    queue: Ints
    cursor: Record
    test: Record
    declared: Record


@kernel(inline=False)
def proceed(state: MallowsMpiState, t: int, rng: np.random.Generator) -> None:
    """Record the winner; go to the next opponent, or declare the champion."""
    queue, cursor, test = state.queue, state.cursor[0], state.test[0]
    arms = queue.shape[0]
    if cursor.champion < 0:
        shuffle(queue, arms, rng)
        cursor.champion = queue[0]
    elif test.verdict < 0:
        cursor.champion = test.second
    cursor.position += 1
    if cursor.position == arms:
        declare(state.declared, cursor.champion, t)
    else:
        begin(state.test, cursor.champion, queue[cursor.position], math.log(4.0 * arms / state.delta), NO_LIMIT)


@kernel
def select(state: MallowsMpiState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel the champion against its opponent, or the last champion against itself."""
    if state.declared[0].winner < 0 and not state.test[0].running:
        proceed(state, t, rng)
    return answer(state, last - t + 1)


class MallowsMpi(ExploreThenExploit):
    """Find the best arm of an order: a champion against every other arm in turn, each until one has won."""

    name = "mallows-mpi"
    title = "MallowsMPI"
    citation = (
        "Busa-Fekete, Hüllermeier, Szörényi. Preference-Based Rank Elicitation using Statistical Models: "
        "The Case of Mallows. ICML 2014, MallowsMPI"
    )
    assumes = "total order, no ties"
    regret_order = "no bound"
    uses_horizon = False
    State = MallowsMpiState
    select = staticmethod(select)
    update = staticmethod(update)

    delta: float = Field(0.05, gt=0, lt=1, description="probability δ of declaring another arm than the best")

    def start(self, arms: int, horizon: int) -> MallowsMpiState:
        """Return the state before the first round."""
        return MallowsMpiState(
            delta=self.delta,
            queue=np.arange(arms),
            cursor=record(champion=-1, position=0),
            test=new_test(),
            declared=nothing_declared(),
        )

    def recommendation(self, state: MallowsMpiState) -> int | None:
        """Return the champion, once there is one."""
        champion = int(state.cursor[0].champion)
        return champion if champion >= 0 else None
