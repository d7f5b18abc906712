"""One run: an algorithm, a matrix, two streams, and the regret at the checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import loop_for

COMPILED_PART = 4_000_000
INTERPRETED_PART = 20_000
"""Rounds to the first report of progress: a fraction of a second of either loop at its slowest."""
QUICK = 0.05
"""Seconds: after a part that took less the next one is twice as long. To enter the loop costs 15 µs."""


@dataclass(frozen=True)
class Course:
    """How a run went.

    ``regret``: (kinds, checkpoints) cumulative regret. ``duels``: (K, K) how often each ordered pair was duelled; of
    arms whose self-duels cost the same in every kind of regret, only the sum of their self-duels is meant.
    ``declaration``: the winner that the algorithm declared and the rounds before that, if it did.
    """

    regret: Floats
    duels: Ints
    declaration: tuple[int, int] | None

    @property
    def informative(self) -> int:
        """The number of duels between different arms."""
        return int(self.duels.sum() - np.trace(self.duels))


def simulate(
    algorithm: Algorithm,
    P: Floats,
    regrets: Floats,
    checkpoints: Ints,
    environment: np.random.Generator,
    policy: np.random.Generator,
    *,
    stepping: bool = False,
    delay: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Course:
    """Play ``algorithm`` on the (K, K) matrix ``P`` to the last checkpoint, which is its horizon.

    ``regrets`` is (kinds, K, K), see ``preferences.regret``. ``environment`` tosses the duels, ``policy`` is the
    algorithm's own stream. ``stepping`` plays every round by itself, without holds. Outcomes reach the algorithm after
    every ``delay``-th round. ``progress`` is called now and then with the number of rounds played since the last call.

    Raises what the algorithm raises, and ValueError when it answers out of range.
    """
    arms = len(P)
    play = loop_for(type(algorithm))
    part = COMPILED_PART if algorithm.compiled() else INTERPRETED_PART
    state = algorithm.start(arms, int(checkpoints[-1]))
    cost = regrets[:, np.arange(arms), np.arange(arms)]
    algorithm.merge_equal_self_duels(state, (cost[:, :, None] == cost[:, None, :]).all(axis=0))
    duels = np.zeros((arms, arms), np.int64)
    curves = np.zeros((len(regrets), len(checkpoints)))
    late = np.zeros((delay + 1, 4), np.int64)
    cursor, t = 0, 1
    while cursor < len(checkpoints):
        stop = max(cursor + 1, int(np.searchsorted(checkpoints, t + part)))
        began = time.perf_counter()
        after = play(
            state, P, regrets, checkpoints, cursor, stop, t, stepping, late, environment, policy, duels, curves
        )
        if time.perf_counter() - began < QUICK:
            part *= 2
        if progress is not None:
            progress(after - t)
        cursor, t = stop, after
    return Course(curves, duels, algorithm.declaration(state))
