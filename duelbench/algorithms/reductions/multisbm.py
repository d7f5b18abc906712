"""MultiSBM: one bandit per arm; the bandit of the last challenger chooses its opponent.

The pseudo-code, step by step, is ``tests/reference/sparring.py``; ``tests/test_catalogue.py`` checks that the paths are
equal. It never holds: see ``reduction``.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.reductions.reduction import Reduction
from duelbench.arrays import Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.confidence import Bandits, choose_arm, factor_of, reward, unplayed
from duelbench.kernels.draws import below


class MultiSbmState(NamedTuple):
    """One bandit per arm; ``previous[0].second`` is the second arm of the round before, −1 in the first round."""

    bandits: Bandits
    previous: Record


@kernel
def select(state: MultiSbmState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let the second arm of the round before be the first; its bandit chooses the second."""
    first = state.previous[0].second
    if first < 0:
        first = below(state.bandits.found.shape[0], rng)
    second = choose_arm(state.bandits, first, factor_of(state.bandits, first), rng)
    state.previous[0].second = second
    if first == second:
        reward(state.bandits, first, second, int(rng.random() >= 0.5), 1)
    return first, second, 1


@kernel
def update(state: MultiSbmState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the second arm, in the bandit of the first, if it won."""
    if first != second:
        reward(state.bandits, first, second, count - wins, count)


class MultiSbm(Reduction):
    """One bandit per arm; the bandit of the last challenger chooses its opponent."""

    name = "multisbm"
    title = "MultiSBM"
    regret_order = "K log T"
    State = MultiSbmState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> MultiSbmState:
        """Return the state before the first round."""
        return MultiSbmState(unplayed(arms, arms, self.alpha), record(second=-1))
