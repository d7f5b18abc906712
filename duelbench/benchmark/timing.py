"""Timing runs, in processor time, so that a busy machine disturbs little."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import Problem
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.engine.streams import stream
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table

REPEATS = 20
ENOUGH, PATIENCE = 0.4, 4.0
"""Seconds of a case after which three repetitions do, and after which there are no further ones, nor further runs."""


@dataclass(frozen=True)
class Timing:
    """What runs of ``horizon`` rounds cost: how many ``runs``, their mean ``informative`` duels and mean ``seconds``.

    ``worst`` is the slowest run's seconds.
    """

    horizon: int
    runs: int
    informative: float
    seconds: float
    worst: float


def time_runs(
    algorithm: Algorithm, matrix: PreferenceMatrix, horizons: Sequence[int], runs: int, complete: bool = False
) -> list[Timing]:
    """Play ``runs`` runs for each of the horizons, several times each, in this process; the kernels are warm.

    Run r has the same streams and the same renumbering of the arms each time, so its repetitions do the same work and
    the fastest counts. The horizons take turns: what slows the machine down slows all of them. ``complete``: every run
    is played once, however long it takes.
    """
    fastest = np.full((runs, len(horizons)), np.inf)
    informative = np.zeros((runs, len(horizons)))
    began = time.perf_counter()
    for repeat in range(REPEATS):
        if repeat >= 3 and time.perf_counter() - began > ENOUGH:
            break
        for run in range(runs):
            if (repeat or (run and not complete)) and time.perf_counter() - began > PATIENCE:
                break
            for k, horizon in enumerate(horizons):
                seconds, trajectory = _one_run(algorithm, matrix, horizon, run)
                fastest[run, k] = min(fastest[run, k], seconds)
                informative[run, k] = trajectory.informative
    played = np.isfinite(fastest[:, 0])
    return [
        Timing(
            horizon,
            int(played.sum()),
            float(informative[played, k].mean()),
            float(fastest[played, k].mean()),
            float(fastest[played, k].max()),
        )
        for k, horizon in enumerate(horizons)
    ]


def _one_run(algorithm: Algorithm, matrix: PreferenceMatrix, horizon: int, run: int) -> tuple[float, Trajectory]:
    environment, policy = stream(run, benchmark="environment"), stream(run, benchmark="policy")
    instance = matrix.relabelled(environment.permutation(matrix.arms).tolist())
    problem, grid = Problem(instance.P, regret_table(instance, "copeland")[None]), checkpoints([horizon], 20)
    began = time.process_time()
    trajectory = rollout(algorithm, problem, grid, Streams(environment, policy))
    return time.process_time() - began, trajectory
