"""Playing what is missing of a plan: over processes, or in this one, with the same bytes as the result."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

from duelbench.arrays import Floats
from duelbench.engine.warm import warm
from duelbench.runs.manifest import Timings, earlier_timings, write_manifest
from duelbench.runs.plan import Plan, Series
from duelbench.runs.results import FIRST_WORDS, finished, prepare, run_path, write_whole
from duelbench.runs.summary import write_summary
from duelbench.runs.worker import Chunk, Outcome, count_rounds_in, play_chunk, report_rounds

LARGEST_CHUNK = 50
"""Runs in one piece of work: enough to drown the cost of sending it, few enough to end together."""


@dataclass
class Execution:
    """What an execution did; ``final`` is the (runs, kinds) regret at the last row by (dataset, algorithm) label."""

    kept: int = 0
    played: int = 0
    failures: list[Path] = field(default_factory=list)
    final: dict[tuple[str, str], Floats] = field(default_factory=dict)
    timings: Timings = field(default_factory=dict)


def execute(
    plan: Plan,
    directory: Path,
    workers: int,
    *,
    announce: Callable[[str], None],
    progress: Callable[[int, int], None],
) -> Execution:
    """Play every run whose file is not there yet, then write the summary and the manifest.

    ``announce`` receives lines for the user; ``progress`` the rounds done so far, of those of the whole plan, and is
    called a few times a second. A run that fails leaves a ``.failed`` file and does not stop the others.

    Raises UserError when the directory cannot be written or an algorithm of the user's does not compile.
    """
    began = datetime.now(UTC)
    prepare(directory)
    execution = Execution()
    chunks = list(_missing(plan, directory, workers, execution))
    if chunks:
        used = {id(chunk.series.algorithm): chunk.series.algorithm for chunk in chunks}
        warm([algorithm.build() for algorithm in used.values()], announce)
    runs = len(plan.spec.run_seeds)
    done = plan.rounds - sum(chunk.series.rounds * len(chunk.runs) for chunk in chunks)
    progress(done, plan.rounds)
    before = earlier_timings(directory)
    for series in plan.series():
        labels = series.dataset.label, series.algorithm.label
        known = before.get(labels[0], {}).get(labels[1], [])
        execution.timings.setdefault(labels[0], {})[labels[1]] = (known + [None] * runs)[:runs]
    for chunk, outcomes in _play(chunks, workers, lambda played: progress(done + played, plan.rounds)):
        for outcome in outcomes:
            _keep(directory, chunk.series, outcome, execution)
    execution.final = write_summary(plan, directory)
    write_manifest(plan, directory, execution.timings, began)
    return execution


def _missing(plan: Plan, directory: Path, workers: int, execution: Execution) -> Iterator[Chunk]:
    """Yield the runs that are not on disk, in chunks."""
    total = len(plan.spec.run_seeds) * len(plan.datasets) * len(plan.algorithms)
    size = max(1, min(LARGEST_CHUNK, ceil(total / (workers * 32)), ceil(len(plan.spec.run_seeds) / workers)))
    for series in plan.series():
        missing = []
        for number, (seed, run) in enumerate(plan.spec.run_seeds):
            key = series.key(seed, run)
            if finished(run_path(directory, series, number), key):
                execution.kept += 1
            else:
                missing.append((number, seed, run, key))
        for start in range(0, len(missing), size):
            yield Chunk(series, tuple(missing[start : start + size]))


def _keep(directory: Path, series: Series, outcome: Outcome, execution: Execution) -> None:
    """Write what came of a run."""
    path = run_path(directory, series, outcome.number)
    failure = path.with_suffix(".failed")
    if outcome.failed:
        write_whole(failure, f"{FIRST_WORDS}{outcome.key}\n{outcome.text}")
        path.unlink(missing_ok=True)
        execution.failures.append(failure)
        return
    write_whole(path, outcome.text)
    failure.unlink(missing_ok=True)
    execution.played += 1
    execution.timings[series.dataset.label][series.algorithm.label][outcome.number] = round(outcome.seconds, 6)


def _play(chunks: list[Chunk], workers: int, progress: Callable[[int], None]) -> Iterator[tuple[Chunk, list[Outcome]]]:
    """Yield chunks with their outcomes as they finish."""
    if workers == 1 or len(chunks) <= 1:
        played = 0

        def count(rounds: int) -> None:
            nonlocal played
            played += rounds
            progress(played)

        report_rounds(count)
        for chunk in chunks:
            yield chunk, play_chunk(chunk)
        return
    context = multiprocessing.get_context("spawn")
    counter = context.Value("q", 0)
    pool = ProcessPoolExecutor(min(workers, len(chunks)), context, count_rounds_in, (counter,))
    try:
        yield from _stream(pool, chunks, lambda: progress(counter.value))
        pool.shutdown()
    except BaseException:
        _stop(pool)
        raise


def _stream(pool: Executor, chunks: list[Chunk], tick: Callable[[], None]) -> Iterator[tuple[Chunk, list[Outcome]]]:
    pending: dict[Future[list[Outcome]], Chunk] = {pool.submit(play_chunk, chunk): chunk for chunk in chunks}
    while pending:
        done, _ = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
        for future in done:
            chunk = pending.pop(future)
            try:
                yield chunk, future.result()
            except BrokenProcessPool:
                yield (
                    chunk,
                    [
                        Outcome(
                            number, key, "the worker process that played this run or one beside it died\n", True, 0.0
                        )
                        for number, _, _, key in chunk.runs
                    ],
                )
        tick()


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers without waiting for the runs they are at."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
