"""One run: an algorithm on a problem, two streams, and the regret at the checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints
from duelbench.engine.answers import check_answer, checked_declaration
from duelbench.engine.loops import loop_for
from duelbench.engine.play import Problem, Rules, new_ledger

COMPILED_PART = 4_000
INTERPRETED_PART = 20
"""Answers to the first report of progress: a fraction of a second of either loop at its slowest."""
FASTER = 16
"""How many times longer than the one before a part may be."""
LARGEST_PART = 1_000_000
"""Answers between two reports at most: they may become slow of a sudden."""
BREATH = 0.05
"""Seconds that a part should take: while it lasts, compiled code hears no signal. To enter the loop costs 15 µs."""


class Streams(NamedTuple):
    """What a run's luck comes from: ``environment`` tosses the duels, ``policy`` is the algorithm's own."""

    environment: np.random.Generator
    policy: np.random.Generator


@dataclass(frozen=True)
class Trajectory:
    """How a run went.

    ``checkpoints``: (checkpoints,) the rounds t of the columns of ``regret``. ``regret``: (kinds, checkpoints)
    cumulative regret. ``duels``: (K, K) how often each ordered pair was duelled; of arms whose self-duels cost the
    same in every kind of regret, only the sum of their self-duels is meant. ``declaration``: the winner that the
    algorithm declared and the rounds before that, if it did.
    """

    checkpoints: Ints
    regret: Floats
    duels: Ints
    declaration: tuple[int, int] | None

    @property
    def informative(self) -> int:
        """The number of duels between different arms."""
        return int(self.duels.sum() - np.trace(self.duels))


def rollout(
    algorithm: Algorithm,
    problem: Problem,
    checkpoints: Ints,
    streams: Streams,
    rules: Rules = Rules(),
    progress: Callable[[int], None] | None = None,
) -> Trajectory:
    """Play ``algorithm`` on ``problem`` to the last of the ``checkpoints``, which is its horizon.

    ``progress`` is called now and then with the number of rounds played since the last call.

    Raises what the algorithm raises, and ValueError when it answers or declares what is no arm or no number of rounds.
    """
    arms = len(problem.P)
    play = loop_for(type(algorithm))
    part = COMPILED_PART if algorithm.compiled() else INTERPRETED_PART
    horizon = int(checkpoints[-1])
    state = algorithm.start(arms, horizon)
    cost = problem.regrets[:, np.arange(arms), np.arange(arms)]
    algorithm.merge_equal_self_duels(state, (cost[:, :, None] == cost[:, None, :]).all(axis=0))
    ledger = new_ledger(checkpoints, len(problem.regrets), arms, rules.delay)
    place = ledger.place[0]
    while place.checkpoint < len(checkpoints):
        t = int(place.t)
        began = time.perf_counter()
        play(state, problem, rules, ledger, part, *streams)
        took = time.perf_counter() - began
        refused = ledger.refused[0]
        if refused.t:
            check_answer(refused.first, refused.second, refused.count, refused.t, refused.last, arms)
        part = int(min(max(1, part * min(FASTER, BREATH / max(took, 1e-9))), LARGEST_PART))
        if progress is not None:
            progress(int(place.t) - t)
    declaration = checked_declaration(algorithm.declaration(state), arms, horizon)
    return Trajectory(checkpoints, ledger.regret, ledger.duels, declaration)
