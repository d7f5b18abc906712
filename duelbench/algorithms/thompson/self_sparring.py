"""Self-Sparring (IndSelfSparring): one Thompson sampler chooses both arms, with a separate draw for each.

Only the abstract of the paper was read. The steps are those of two independent implementations, one by the MergeDTS
authors, and reproduce their published results. They are in ``tests/reference/dts.py``; ``tests/test_catalogue.py``
checks that the paths are equal.

A self-duel counts as a win and as a loss, so the arm's mean moves towards 1/2. Without this, the regret after 10⁶
rounds with 136 rankers would be only a third. So every round changes the posterior that the next one draws from, and
there is no hold.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel


class SelfSparringState(NamedTuple):
    """``won[i]`` and ``lost[i]``: duels that arm i has won and lost, against any arm; ``eta``: the weight of each."""

    eta: float
    won: Ints
    lost: Ints


@kernel
def _best_draw(state: SelfSparringState, rng: np.random.Generator) -> int:
    """Return the arm with the largest draw."""
    best, arm = -1.0, 0
    for i in range(state.won.shape[0]):
        theta = rng.beta(state.eta * state.won[i] + 1.0, state.eta * state.lost[i] + 1.0)
        if theta > best:
            best, arm = theta, i
    return arm


@kernel
def select(state: SelfSparringState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Choose both arms, one after the other."""
    first = _best_draw(state, rng)
    return first, _best_draw(state, rng), 1


@kernel
def update(state: SelfSparringState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome; a self-duel is both a win and a loss of the arm."""
    if first == second:
        wins = count
    state.won[first] += wins
    state.lost[second] += wins
    state.won[second] += count - wins
    state.lost[first] += count - wins


class SelfSparring(Algorithm):
    """Choose both arms by Thompson sampling from the wins and losses of each arm against all arms."""

    name = "self-sparring"
    title = "Self-Sparring"
    citation = "Sui, Zhuang, Burdick, Yue. Multi-dueling Bandits with Dependent Arms. UAI 2017, Algorithm 3, two arms"
    assumes = "utilities, linear link"
    regret_order = "less than T"
    learns_off_policy = True
    State = SelfSparringState
    select = staticmethod(select)
    update = staticmethod(update)

    eta: float = Field(1.0, gt=0, description="learning rate η: what a duel adds to the counts")

    def start(self, arms: int, horizon: int) -> SelfSparringState:
        """Return the state before the first round."""
        return SelfSparringState(self.eta, np.zeros(arms, np.int64), np.zeros(arms, np.int64))
