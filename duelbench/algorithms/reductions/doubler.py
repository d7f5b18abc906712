"""Doubler: a bandit duels the arms that it chose in the epoch before.

Epochs have 2, 4, 8, … rounds; the bandit is reset at the start of each.

The pseudo-code, step by step, is ``tests/reference/sparring.py``; ``tests/test_catalogue.py`` checks that the paths are
equal. It never holds: see ``reduction``.
"""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.reductions.reduction import Reduction
from duelbench.arrays import Ints, Record, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.blocks import count_received
from duelbench.kernels.confidence import Bandits, choose_arm, factor_of, forget, reward, unplayed
from duelbench.kernels.draws import below


class DoublerState(NamedTuple):
    """``lefts``: the second arms of the last epoch, from which first arms are drawn; ``seconds``: the new second arms.

    Both hold a count per arm. ``epoch[0]``: the ``length`` of this epoch, how many of its rounds ``remain``, the round
    before its first one, ``start``, and ``received``, the number of rounds whose outcomes were received.
    """

    bandit: Bandits
    lefts: Ints
    seconds: Ints
    epoch: Record


@kernel
def start_epoch(state: DoublerState, t: int, rng: np.random.Generator) -> None:
    """Double the length, reset the bandit, and from now on draw first arms from the second arms of the last epoch."""
    epoch = state.epoch[0]
    if epoch.length == 1:
        state.seconds[below(state.seconds.shape[0], rng)] = 1
    for k in range(state.seconds.shape[0]):
        state.lefts[k] = state.seconds[k]
        state.seconds[k] = 0
    forget(state.bandit, 0)
    epoch.length *= 2
    epoch.remain = epoch.length
    epoch.start = t - 1


@kernel
def select(state: DoublerState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Draw the first arm from the second arms of the epoch before; the bandit chooses the second."""
    epoch = state.epoch[0]
    if epoch.remain == 0:
        start_epoch(state, t, rng)
    epoch.remain -= 1
    entries = epoch.length // 2
    place = below(entries, rng) if entries > 1 else 0  # a power of two, so exactly uniform, however large
    first = 0
    while place >= state.lefts[first]:
        place -= state.lefts[first]
        first += 1
    second = choose_arm(state.bandit, 0, factor_of(state.bandit, 0), rng)
    state.seconds[second] += 1
    if first == second:
        reward(state.bandit, 0, second, int(rng.random() >= 0.5), 1)
    return first, second, 1


@kernel
def update(state: DoublerState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the second arm if it won. An outcome of an epoch that is over comes too late: the bandit was reset."""
    if count_received(state.epoch, count) and first != second:
        reward(state.bandit, 0, second, count - wins, count)


class Doubler(Reduction):
    """A bandit duels the arms that it chose in the epoch before; each epoch is twice as long as the one before."""

    name = "doubler"
    title = "Doubler"
    regret_order = "K log² T"
    State = DoublerState
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms: int, horizon: int) -> DoublerState:
        """Return the state before the first round; the first epoch has two rounds."""
        return DoublerState(
            bandit=unplayed(1, arms, self.alpha),
            lefts=np.zeros(arms, np.int64),
            seconds=np.zeros(arms, np.int64),
            epoch=record(length=1, remain=0, start=0, received=0),
        )
