"""Timing runs in processor time, which a busy machine disturbs only a little."""

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
"""Seconds of a case after which three repetitions are enough, and after which no more repetitions or runs start."""


@dataclass(frozen=True)
class Timing:
    """The cost of ``runs`` runs with ``horizon`` rounds: their mean ``informative`` duels and mean ``seconds``.

    ``worst``: the seconds of the slowest run.
    """

    horizon: int
    runs: int
    informative: float
    seconds: float
    worst: float


def time_runs(
    algorithm: Algorithm, matrix: PreferenceMatrix, horizons: Sequence[int], runs: int, complete: bool = False
) -> list[Timing]:
    """Play ``runs`` runs for each horizon, several times each, in this process; the kernels must be compiled.

    All repetitions of run r have the same streams and the same order of arms, so they do the same work and the fastest
    counts. The horizons take turns, so that other load on the machine slows all of them down. ``complete``: every run
    is played at least once, however long it takes.
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
