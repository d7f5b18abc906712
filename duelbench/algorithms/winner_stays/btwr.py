"""BtWR: Beat the Winner Reset.

As Beat the Winner, but when the incumbent loses the next race is to one win again. The text of the paper was not
available: the steps are those of its authors' code. They are in ``duelbench/reference/winner_stays.py``;
``tests/test_catalogue.py`` checks that the paths are equal when every answer is one round. Blocks: see ``race``. Where
no arm beats the others clearly, races stay short, and a run costs in proportion to its horizon.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.winner_stays.race import outcome
from duelbench.algorithms.winner_stays.waiting import Line, incumbent, new_line, next_race, race_on
from duelbench.compiling.jit import kernel


class BtwrState(NamedTuple):
    """The racing pair and the waiting arms."""

    line: Line


@kernel
def select(state: BtwrState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Go on with the race."""
    return race_on(state.line, last - t + 1, rng)


@kernel
def update(state: BtwrState, first: int, second: int, wins: int, count: int) -> None:
    """Learn how the race goes on; the next is to one win more if the incumbent has won it, else to one."""
    won = outcome(state.line.race, wins, count)
    if won != 0:
        next_race(state.line, won > 0, state.line.race[0].goal + 1 if won > 0 else 1)


class Btwr(Algorithm):
    """Race the last winner against all others in turn, to one win more as long as it wins."""

    name = "btwr"
    title = "BtWR"
    citation = "Kolpaczki, Bengs, Hüllermeier. Non-Stationary Dueling Bandits. arXiv 2202.00935, 2022"
    assumes = "Condorcet winner"
    regret_order = "whatever T, of binary weak regret; linear in practice where gaps are small"
    State = BtwrState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> BtwrState:
        """Return the state before the first round."""
        return BtwrState(new_line(arms))

    def recommendation(self, state: BtwrState) -> int | None:
        """Return the incumbent, once there is one."""
        return incumbent(state.line)
