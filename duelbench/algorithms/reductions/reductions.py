"""Doubler, MultiSBM, Sparring: ordinary bandits that duel.

The bandits are UCB with index ``mean + sqrt(alpha log n / n_k)``: the arms start unplayed, ties are broken at random
and n is the bandit's own number of plays. ``alpha`` is 3 in some experiments and 2.5 in others. Where the authors begin
with an arbitrary arm, a random one is taken, so that the arms' numbers do not matter. Doubler's epochs have 2, 4, 8, …
rounds.

They never hold: a self-duel is a play like any other, and the indices move with it. Its coin comes from the policy's
stream and reaches the bandits when the duel is chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below
from duelbench.kernels.ucb import Bandits, choose_arm, factor_of, forget, reward, unplayed


class Reduction(Algorithm):
    """What the three have in common."""

    citation = "Ailon, Karnin, Joachims. Reducing Dueling Bandits to Cardinal Bandits. ICML 2014"
    assumes = "utilities, linear link"

    alpha: float = Field(3.0, gt=0, description="factor a of a log n / n_k in the index of UCB; 2.5 is also in use")


# Places in DoublerState.cursor.
LENGTH, LEFT, START, TOLD = range(4)


class DoublerState(NamedTuple):
    """``lefts`` is the multiset of the first arms, the seconds of the epoch before; ``seconds`` that of this epoch.

    Both hold a count per arm. ``cursor``: the length of this epoch, how many of its rounds are left, the round before
    its first one, and how many rounds' outcomes were told.
    """

    bandit: Bandits
    lefts: Ints
    seconds: Ints
    cursor: Ints


@kernel
def start_epoch(state: DoublerState, t: int, rng: np.random.Generator) -> None:
    """Double the length, reset the bandit, and draw the first arms from now on from the seconds so far."""
    cursor = state.cursor
    if cursor[LENGTH] == 1:
        state.seconds[below(state.seconds.shape[0], rng)] = 1
    for k in range(state.seconds.shape[0]):
        state.lefts[k] = state.seconds[k]
        state.seconds[k] = 0
    forget(state.bandit, 0)
    cursor[LENGTH] *= 2
    cursor[LEFT] = cursor[LENGTH]
    cursor[START] = t - 1


@kernel
def select_doubler(state: DoublerState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Draw the first arm from the seconds of the epoch before; the bandit chooses the second."""
    cursor = state.cursor
    if cursor[LEFT] == 0:
        start_epoch(state, t, rng)
    cursor[LEFT] -= 1
    entries = cursor[LENGTH] // 2
    place = below(entries, rng) if entries > 1 else 0  # of a power of two: even, however large
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
def update_doubler(state: DoublerState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the second arm if it won. An outcome of an epoch that is over comes too late: the bandit was reset."""
    in_time = state.cursor[TOLD] >= state.cursor[START]
    state.cursor[TOLD] += count
    if first != second and in_time:
        reward(state.bandit, 0, second, count - wins, count)


class Doubler(Reduction):
    """A bandit duels the arms it chose in the epoch before, half as long."""

    name = "doubler"
    regret_order = "K log² T"
    State = DoublerState
    select = staticmethod(select_doubler)
    update = staticmethod(update_doubler)

    def start(self, arms: int, horizon: int) -> DoublerState:
        """Return the state before the first round; the first epoch has two rounds."""
        line = np.int64
        cursor = np.array([1, 0, 0, 0], line)
        return DoublerState(unplayed(1, arms, self.alpha), np.zeros(arms, line), np.zeros(arms, line), cursor)


class MultiSbmState(NamedTuple):
    """One bandit per arm; ``previous[0]`` is the second arm of the round before, −1 in the first round."""

    bandits: Bandits
    previous: Ints


@kernel
def select_multisbm(state: MultiSbmState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let the second arm of the round before be the first; its bandit chooses the second."""
    first = state.previous[0]
    if first < 0:
        first = below(state.bandits.found.shape[0], rng)
    second = choose_arm(state.bandits, first, factor_of(state.bandits, first), rng)
    state.previous[0] = second
    if first == second:
        reward(state.bandits, first, second, int(rng.random() >= 0.5), 1)
    return first, second, 1


@kernel
def update_multisbm(state: MultiSbmState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the second arm, in the bandit of the first, if it won."""
    if first != second:
        reward(state.bandits, first, second, count - wins, count)


class MultiSbm(Reduction):
    """One bandit per arm: that of the last challenger chooses its opponent."""

    name = "multisbm"
    regret_order = "K log T"
    State = MultiSbmState
    select = staticmethod(select_multisbm)
    update = staticmethod(update_multisbm)

    def start(self, arms: int, horizon: int) -> MultiSbmState:
        """Return the state before the first round."""
        return MultiSbmState(unplayed(arms, arms, self.alpha), np.array([-1], np.int64))


class SparringState(NamedTuple):
    """Bandit 0 chooses the first arm, bandit 1 the second."""

    bandits: Bandits


@kernel
def select_sparring(state: SparringState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Let each bandit choose an arm."""
    factor = factor_of(state.bandits, 0)  # of both: they always have the same number of plays
    first = choose_arm(state.bandits, 0, factor, rng)
    second = choose_arm(state.bandits, 1, factor, rng)
    if first == second:
        won = int(rng.random() < 0.5)
        reward(state.bandits, 0, first, won, 1)
        reward(state.bandits, 1, second, 1 - won, 1)
    return first, second, 1


@kernel
def update_sparring(state: SparringState, first: int, second: int, wins: int, count: int) -> None:
    """Reward the side that won."""
    if first != second:
        reward(state.bandits, 0, first, wins, count)
        reward(state.bandits, 1, second, count - wins, count)


class Sparring(Reduction):
    """Two bandits choose an arm each; the side that wins is rewarded."""

    name = "sparring"
    regret_order = "K log T, conjectured"
    State = SparringState
    select = staticmethod(select_sparring)
    update = staticmethod(update_sparring)

    def start(self, arms: int, horizon: int) -> SparringState:
        """Return the state before the first round."""
        return SparringState(unplayed(2, arms, self.alpha))
