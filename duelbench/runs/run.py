"""One run: its instance, its random streams, and the rows of its result.

The digest of this module and of what it imports is part of the key of every run: what cannot change a number belongs
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duelbench.arrays import Ints
from duelbench.engine.simulate import simulate
from duelbench.engine.streams import stream
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table

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
    regrets = np.stack([regret_table(matrix, kind) for kind in series.regret])
    algorithm = series.algorithm.build()
    world = {"dataset": series.dataset.dataset.identity(), "run": run}
    choice = {"algorithm": series.algorithm.kind.name, "parameters": algorithm.model_dump(mode="json")}

    def rows(rounds: Ints, **axes: int) -> list[Row]:
        _become(ENVIRONMENT, stream(seed, purpose="outcomes", **world, **axes))
        _become(POLICY, stream(seed, purpose="policy", **world, **choice, **axes))
        course = simulate(
            algorithm, matrix.P, regrets, rounds, ENVIRONMENT, POLICY, delay=series.delay, progress=progress
        )
        declared = None
        if course.declaration is not None:
            winner, duels = course.declaration
            declared = duels, tuple(bool(table[winner, winner] == 0.0) for table in regrets)
        return [Row(t, values, declared) for t, values in zip(rounds.tolist(), course.regret.T.tolist(), strict=True)]

    if series.algorithm.horizons is None:
        return rows(series.checkpoints)
    return [row for horizon in series.algorithm.horizons for row in rows(np.array([horizon]), horizon=horizon)]


def _become(generator: np.random.Generator, other: np.random.Generator) -> None:
    generator.bit_generator.state = other.bit_generator.state


ENVIRONMENT, POLICY = np.random.default_rng(0), np.random.default_rng(0)
"""The generators of all runs of this process: compiled code never lets go of one it has seen, which cost 6 kB a run."""
