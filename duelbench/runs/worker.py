"""What runs in a worker: some runs of one series, from plain data to the text of their result files."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelbench.arrays import Ints
from duelbench.engine.simulate import simulate
from duelbench.engine.streams import stream
from duelbench.preferences.regret import regret_table
from duelbench.runs.plan import Series, instance
from duelbench.runs.results import Row, run_text


@dataclass(frozen=True)
class Chunk:
    """Runs of one series that a worker plays in one go: (number, seed, index of the run under that seed, key)."""

    series: Series
    runs: tuple[tuple[int, int, int, str], ...]


@dataclass(frozen=True)
class Outcome:
    """A finished run: the text of its file, or the traceback of its failure."""

    number: int
    key: str
    text: str
    failed: bool
    seconds: float


def play_chunk(chunk: Chunk) -> list[Outcome]:
    """Play the runs of a chunk; a run that fails does not stop the others."""
    outcomes = []
    for number, seed, run, key in chunk.runs:
        began = time.perf_counter()
        try:
            text, failed = run_text(key, chunk.series, play_run(chunk.series, seed, run)), False
        except Exception:
            text, failed = traceback.format_exc(), True
        outcomes.append(Outcome(number, key, text, failed, time.perf_counter() - began))
    return outcomes


def play_run(series: Series, seed: int, run: int) -> list[Row]:
    """Return the rows of a run.

    The environment's stream depends on the dataset and the run, so all algorithms face the same instance and the same
    luck; the policy's also on the algorithm and its parameters. Where each row is a run of its own, both depend on its
    horizon, so the points of the curve are independent.
    """
    matrix = instance(series.dataset, seed, run, series.shuffle_arms)
    regrets = np.stack([regret_table(matrix, kind) for kind in series.regret])
    algorithm = series.algorithm.build()
    world = {"dataset": series.dataset.dataset.identity(), "run": run}
    choice = {"algorithm": series.algorithm.kind.name, "parameters": algorithm.model_dump(mode="json")}

    def rows(rounds: Ints, **axes: int) -> list[Row]:
        environment = stream(seed, purpose="outcomes", **world, **axes)
        policy = stream(seed, purpose="policy", **world, **choice, **axes)
        course = simulate(
            algorithm, matrix.P, regrets, rounds, environment, policy, delay=series.delay, progress=_report
        )
        declared = None
        if course.declaration is not None:
            winner, duels = course.declaration
            declared = duels, tuple(bool(table[winner, winner] == 0.0) for table in regrets)
        return [Row(t, values, declared) for t, values in zip(rounds.tolist(), course.regret.T.tolist(), strict=True)]

    if series.algorithm.horizons is None:
        return rows(series.checkpoints)
    return [row for horizon in series.algorithm.horizons for row in rows(np.array([horizon]), horizon=horizon)]


def _report(rounds: int) -> None:
    if _on_rounds is not None:
        _on_rounds(rounds)


_on_rounds: Callable[[int], None] | None = None


def report_rounds(on_rounds: Callable[[int], None]) -> None:
    """Have ``on_rounds`` called in this process, now and then, with the rounds played since the last call."""
    global _on_rounds
    _on_rounds = on_rounds


def count_rounds_in(counter: Any) -> None:
    """Add the rounds played to a shared ``multiprocessing.Value``; the initializer of worker processes."""

    def add(rounds: int) -> None:
        with counter.get_lock():
            counter.value += rounds

    report_rounds(add)
