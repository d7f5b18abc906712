"""Sparring: two bandits choose an arm each; the side that wins is rewarded.

The pseudo-code, step by step, is ``tests/reference/sparring.py``; ``tests/test_catalogue.py`` checks that the paths are
equal. It never holds: see ``reduction``.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.reductions.reduction import Reduction
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Bandits, choose_arm, factor_of, reward, unplayed


class SparringState(NamedTuple):
    """Bandit 0 chooses the first arm, bandit 1 the second."""

    bandits: Bandits


@kernel
def select(state: SparringState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let each bandit choose an arm."""
    factor = factor_of(state.bandits, 0)  # the same for both: they always have the same number of plays
    first = choose_arm(state.bandits, 0, factor, rng)
    second = choose_arm(state.bandits, 1, factor, rng)
    if first == second:
        won = int(rng.random() < 0.5)
        reward(state.bandits, 0, first, won, 1)
        reward(state.bandits, 1, second, 1 - won, 1)
    return first, second, 1


@kernel
def update(state: SparringState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the side that won."""
    if first != second:
        reward(state.bandits, 0, first, wins, count)
        reward(state.bandits, 1, second, count - wins, count)


class Sparring(Reduction):
    """Two bandits choose an arm each; the side that wins is rewarded."""

    name = "sparring"
    title = "Sparring"
    regret_order = "K log T, conjectured"
    State = SparringState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> SparringState:
        """Return the state before the first round."""
        return SparringState(unplayed(2, arms, self.alpha))
