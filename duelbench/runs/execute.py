"""Playing what is missing of a plan: on any executor, with the same bytes as the result."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from duelbench.engine.warm import warm
from duelbench.errors import UserError
from duelbench.runs.bounds import write_bounds
from duelbench.runs.lock import only_one
from duelbench.runs.manifest import Manifest, Timings
from duelbench.runs.plan import Plan, Series
from duelbench.runs.processes import WorkerDiedError
from duelbench.runs.record import changes, read_record, record_of, write_record
from duelbench.runs.results import FIRST_WORDS, examine, prepare, run_file, series_directory, write_whole
from duelbench.runs.summary import COLUMNS, Final, Runs
from duelbench.runs.venues import Venue
from duelbench.runs.worker import Chunk, Outcome

LARGEST_CHUNK = 200
SUMMARY = "summary.csv"


@dataclass
class Execution:
    """What an execution did; ``final`` tells the end of every (dataset, algorithm), by their labels."""

    kept: int = 0
    played: int = 0
    failures: list[Path] = field(default_factory=list)
    final: dict[tuple[str, str], Final] = field(default_factory=dict)
    timings: Timings = field(default_factory=dict)


def execute(
    plan: Plan,
    directory: Path,
    venue: AbstractContextManager[Venue],
    *,
    announce: Callable[[str], None],
    progress: Callable[[int, int], None],
    run_timeout: float | None = None,
) -> Execution:
    """Play every run whose file is not there yet, then write the summary and the manifest.

    ``venue`` is where they are played. ``announce`` receives lines for the user; ``progress``
    the rounds done so far, of those of the whole plan, and is called a few times a second. A run that fails leaves a
    ``.failed`` file and does not stop the others, whether it raises, takes longer than ``run_timeout`` seconds
    (default: the spec's) or its worker dies under it, twice.

    Raises UserError when the directory cannot be written or an algorithm of the user's does not compile.
    """
    prepare(directory)
    with only_one(directory, announce):
        manifest = Manifest(plan, directory)
        work = _Work(plan, directory, manifest.earlier_timings, announce)
        if (first := work.next_chunk()) is None:
            manifest.write(work.execution.timings)
        else:
            with venue as opened:
                manifest.begin(opened.name)
                try:
                    _play(work, first, opened, run_timeout or plan.spec.run_timeout, progress)
                finally:
                    work.note(manifest)
        progress(plan.rounds, plan.rounds)
        write_bounds(plan, directory, announce)
        write_whole(directory / SUMMARY, COLUMNS + "\n" + "".join(work.summaries))
    return work.execution


def _play(
    work: _Work, first: Chunk, venue: Venue, run_timeout: float | None, progress: Callable[[int, int], None]
) -> None:
    """Have all chunks played, from the first one."""
    pending: dict[Future[list[Outcome]], Chunk] = {}
    chunk: Chunk | None = first
    shown = 0
    work.chunk_seconds, work.isolated = venue.chunk_seconds, venue.isolated
    while True:
        window = venue.window()
        while len(pending) < window and (chunk := chunk or work.next_chunk(alone=not pending)) is not None:
            pending[venue.executor.submit(venue.play, chunk, run_timeout)] = chunk
            chunk = None
        if not pending:
            return
        for future in wait(pending, timeout=0.2, return_when=FIRST_COMPLETED).done:
            played = pending.pop(future)
            try:
                outcomes = future.result()
            except Exception as error:
                work.lost(played, error)
            else:
                work.keep(played, outcomes)
        shown = max(shown, work.rounds + venue.rounds())
        progress(shown, work.plan.rounds)


class _Work:
    """What is to be done and what came of it."""

    def __init__(self, plan: Plan, directory: Path, before: Timings, announce: Callable[[str], None]) -> None:
        self.plan = plan
        self.execution = Execution()
        self.rounds = 0
        self.chunk_seconds = 0.0
        self.isolated = True
        self.summaries = [""] * len(plan.series)
        self._directory = directory
        self._places = [series_directory(directory, series) for series in plan.series]
        self._announce = announce
        self._announced: set[str] = set()
        self._before = before
        self._open: dict[int, int] = {}
        """How many runs of a series, by its index, are still to be played."""
        self._speed: dict[int, tuple[int, float]] = {}
        """The runs and seconds of a series so far."""
        self._again: deque[Chunk] = deque()
        self._fresh = self._chunks()
        self._index = {id(series): index for index, series in enumerate(plan.series)}

    def _announce_once(self, line: str) -> None:
        if line not in self._announced:
            self._announced.add(line)
            self._announce(line)

    def next_chunk(self, alone: bool = True) -> Chunk | None:
        """Return what to play next; None if there is nothing at present.

        Where the death of a worker takes others' work along, runs that it may be the fault of wait till the end, to be
        played when they are ``alone``.
        """
        if self._again and (self.isolated or not self._again[0].again):
            return self._again.popleft()
        chunk = next(self._fresh, None)
        return self._again.popleft() if chunk is None and self._again and alone else chunk

    def _chunks(self) -> Iterator[Chunk]:
        """Yield the runs that are not on disk; the chunks are sized by what the runs of a series have taken so far."""
        warmed = set()
        for index, series in enumerate(self.plan.series):
            missing = self._scan(index, series)
            if missing:
                (self._directory / SUMMARY).unlink(missing_ok=True)  # it is there only while it tells of the runs
            if missing and not series.algorithm.literal and series.algorithm.kind not in warmed:
                warm([series.algorithm.build()], self._announce_once)
                warmed.add(series.algorithm.kind)
            start = 0
            while start < len(missing):
                size = self._size(index)
                runs = ((number, *self.plan.seed(number)) for number in missing[start : start + size])
                yield Chunk(series, tuple((number, seed, run, series.key(seed, run)) for number, seed, run in runs))
                start += size

    def _scan(self, index: int, series: Series) -> list[int]:
        """Return the numbers of the runs that are not on disk; of a series that is complete make the summary."""
        known = self._before.get(series.dataset.label, {}).get(series.algorithm.label, [])
        timings = (known + [None] * self.plan.runs)[: self.plan.runs]
        self.execution.timings.setdefault(series.dataset.label, {})[series.algorithm.label] = timings
        place = self._places[index]
        for torn in place.glob(".run-*"):  # what a killed process was writing
            torn.unlink()
        missing = []
        done: Runs | None = None
        for number in range(self.plan.runs):
            path = place / run_file(number)
            state, body = examine(path, series.key(*self.plan.seed(number)))
            if state != "done":
                missing.append(number)
                done = None  # a file is parsed once: now, or when the series is complete
            elif not missing:
                done = done or Runs(series, self.plan.runs)
                done.add(path, body)
        self._renew(place, series, missing)
        kept = self.plan.runs - len(missing)
        self.execution.kept += kept
        self.rounds += kept * series.rounds
        self._open[index] = len(missing)
        if done is not None:
            self._summarize(index, series, done)
        return missing

    def _renew(self, place: Path, series: Series, missing: list[int]) -> None:
        """Record what determines the runs of a series, after removing those that something else determined."""
        record, before = record_of(self.plan, series), read_record(place)
        if record == before:
            return
        there = list(place.glob("run-*"))
        kept = {run_file(number) for number in set(range(self.plan.runs)).difference(missing)} if there else set()
        stale = [path for path in there if path.name not in kept and not path.is_dir()]
        if stale:
            why = "; ".join(changes(before, record))
            self._announce(f"{place.relative_to(self._directory)}: {len(stale)} runs are stale ({why})")
        for path in stale:
            path.unlink()
        write_record(place, record)

    def _size(self, index: int) -> int:
        runs, seconds = self._speed.get(index, (0, 0.0))
        return max(1, min(LARGEST_CHUNK, int(self.chunk_seconds * runs / seconds))) if seconds else 1

    def keep(self, chunk: Chunk, outcomes: list[Outcome]) -> None:
        """Write what came of a chunk, and of a series that is complete now the summary."""
        series = chunk.series
        index = self._index[id(series)]
        timings = self.execution.timings[series.dataset.label][series.algorithm.label]
        for outcome in outcomes:
            path = self._places[index] / run_file(outcome.number)
            failure = path.with_suffix(".failed")
            if outcome.failed:
                write_whole(failure, f"{FIRST_WORDS}{outcome.key}\n{outcome.text}")
                path.unlink(missing_ok=True)
                self.execution.failures.append(failure)
            else:
                write_whole(path, outcome.text)
                failure.unlink(missing_ok=True)
                self.execution.played += 1
                timings[outcome.number] = round(outcome.seconds, 6)
        runs, seconds = self._speed.get(index, (0, 0.0))
        self._speed[index] = runs + len(outcomes), seconds + sum(outcome.seconds for outcome in outcomes)
        self.rounds += len(outcomes) * series.rounds
        self._open[index] -= len(outcomes)
        if not self._open[index]:
            self._summarize(index, series, self._finished(index, series))

    def lost(self, chunk: Chunk, error: Exception) -> None:
        """See to the runs of a chunk without outcomes, most likely because its worker died.

        If it is known which run the worker was at, or that one has been alone, it is that run's fault. But a worker may
        also be killed from outside: the run is tried once more.
        """
        if isinstance(error, CancelledError):
            raise UserError(
                "the executor has cancelled its work, as when its scheduler has gone: repeat the command to go on"
            )
        note = error.note if isinstance(error, WorkerDiedError) else ""
        suspects = tuple(run for run in chunk.runs if str(run[0]) == note) or chunk.runs
        others = tuple(run for run in chunk.runs if run not in suspects)
        if chunk.again or (isinstance(error, WorkerDiedError) and error.timed_out):
            text = _obituary(error)
            self.keep(chunk, [Outcome(number, key, text, True, 0.0) for number, _, _, key in suspects])
        else:
            self._again.extend(Chunk(chunk.series, (run,), again=True) for run in suspects)
        if others:
            self._again.append(Chunk(chunk.series, others))

    def note(self, manifest: Manifest) -> None:
        """Write what was done into the manifest."""
        done = self.execution
        timings = {**self._before, **done.timings}
        manifest.end(timings, played=done.played, kept=done.kept, failed=len(done.failures))

    def _finished(self, index: int, series: Series) -> Runs:
        found = Runs(series, self.plan.runs)
        for number in range(self.plan.runs):
            path = self._places[index] / run_file(number)
            state, body = examine(path, series.key(*self.plan.seed(number)))
            if state == "done":
                found.add(path, body)
        return found

    def _summarize(self, index: int, series: Series, runs: Runs) -> None:
        self.summaries[index], self.execution.final[series.dataset.label, series.algorithm.label] = runs.summary()


def _obituary(error: Exception) -> str:
    """Return what the record of a failure says of a run whose outcome never came."""
    if not isinstance(error, WorkerDiedError):
        return "".join(traceback.format_exception(error))
    if error.timed_out:
        return f"{error.traceback.rstrip()}\nTimeoutError: the run was not over after run_timeout, nor did it notice\n"
    return f"{error.traceback}{type(error).__name__}: {error}, and so did the one before it\n"
