"""One run: its instance, its random streams, and the rows of its result.

The digest of this module, and of the algorithms, engine, kernels and preferences that it imports, is part of the key of
every run: what cannot change a number belongs elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duelbench.arrays import Ints
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import Streams, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream, stream
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table
from duelbench.runs.transcription import play_literally

if TYPE_CHECKING:
    from duelbench.runs.series import PlannedDataset, Series


@dataclass(frozen=True)
class Row:
    """The cumulative ``regret`` of each kind at round ``t``.

    ``declared``: the rounds before the algorithm declared a winner, and for each kind whether that arm has no regret.
    """

    t: int
    regret: list[float]
    declared: tuple[int, tuple[bool, ...]] | None


def instance(planned: PlannedDataset, seed: int, run: int, shuffle_arms: bool) -> PreferenceMatrix:
    """Return the preference matrix of a run: the same for every algorithm, whatever the horizon."""
    rng = stream(seed, purpose="instance", dataset=planned.dataset.identity(), run=run)
    matrix = planned.dataset.instance(rng)
    return matrix.relabelled(rng.permutation(matrix.arms)) if shuffle_arms else matrix


def play_run(series: Series, seed: int, run: int, progress: Callable[[int], None] | None = None) -> list[Row]:
    """Return the rows of a run.

    The environment's stream depends on the dataset and the run, so all algorithms face the same instance and the same
    luck; the policy's also on the algorithm and its parameters. Where each row is a run of its own, both depend on its
    horizon, so the points of the curve are independent. ``progress`` is told rounds as they are played.
    """
    matrix = instance(series.dataset, seed, run, series.shuffle_arms)
    problem = Problem(matrix.P, np.stack([regret_table(matrix, kind) for kind in series.regret]))
    algorithm = series.algorithm.build()
    dataset = series.dataset.dataset.identity()
    play = play_literally if series.algorithm.literal else rollout

    def rows(rounds: Ints, **axes: int) -> list[Row]:
        streams = Streams(
            outcomes_stream(seed, dataset, run, **axes), policy_stream(seed, dataset, run, algorithm, **axes)
        )
        trajectory = play(algorithm, problem, rounds, streams, Rules(delay=series.delay), progress)
        declared = None
        if trajectory.declaration is not None:
            winner, duels = trajectory.declaration
            declared = duels, tuple(bool(table[winner, winner] == 0.0) for table in problem.regrets)
        curves = trajectory.regret.T.tolist()
        return [Row(t, values, declared) for t, values in zip(rounds.tolist(), curves, strict=True)]

    if series.algorithm.horizons is None:
        return rows(series.checkpoints)
    return [row for horizon in series.algorithm.horizons for row in rows(np.array([horizon]), horizon=horizon)]
