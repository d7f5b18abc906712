"""BtW: Beat the Winner.

Incumbent and challenger race to r wins, r = 1, 2, …; the loser waits at the end of the line. The paper was not
available: the steps are those of the code of Kolpaczki, Bengs and Hüllermeier (2022). They are in
``duelbench/reference/winner_stays.py``; ``tests/test_catalogue.py`` checks that the paths are equal when every answer
is one round. Blocks: see ``race``. The races grow without end, so a run of T rounds costs in proportion to √T log T.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.winner_stays.race import outcome
from duelbench.algorithms.winner_stays.waiting import Line, incumbent, new_line, next_race, race_on
from duelbench.compiling.jit import kernel


class BtwState(NamedTuple):
    """The racing pair and the waiting arms."""

    line: Line


@kernel
def select(state: BtwState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the race."""
    return race_on(state.line, last - t + 1, rng)


@kernel
def update(state: BtwState, first: int, second: int, wins: int, count: int) -> None:
    """Learn how the race goes on; after its end begin the next, to one win more."""
    won = outcome(state.line.race, wins, count)
    if won != 0:
        next_race(state.line, won > 0, state.line.race[0].goal + 1)


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
        return BtwState(new_line(arms))

    def recommendation(self, state: BtwState) -> int | None:
        """Return the incumbent, once there is one."""
        return incumbent(state.line)
