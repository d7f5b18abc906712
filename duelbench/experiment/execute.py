"""Playing the missing runs of a plan, or of a shard of it: in which order, and what to do when a worker dies.

The resulting files are the same bytes on any backend.

A shard is the share of an experiment that one of many jobs plays. All jobs write into one directory. They take no lock,
since locks often do not work on shared file systems. None is needed: the number of a run determines its shard, each run
is a separate file that is written atomically and has the same content on any machine, and no job removes or reads the
files of another. A final execution without a shard finds all runs finished and writes the summary.
"""

from __future__ import annotations

import math
import time
import traceback
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from duelbench.engine.warm import warm
from duelbench.errors import UserError
from duelbench.experiment.backends import Backend, Chunk
from duelbench.experiment.matrix_tables import bound_rows, instance_rows
from duelbench.experiment.plan import Plan
from duelbench.files import only_one
from duelbench.processes import WorkerDiedError, available_cores
from duelbench.results.identity import Labels, SeriesIdentity
from duelbench.results.reader import Results
from duelbench.results.run_files import Outcome, RunFiles, prepare, series_directory
from duelbench.results.scan import Scanned, move_renamed, scan, scan_series
from duelbench.results.writer import (
    Execution,
    ResultWriter,
    ShardWriter,
    replace_manifest,
)

_NAMED = 8
"""How many algorithms the line about compiling names."""
_COMPILING = 5
"""The seconds that compiling an algorithm takes on an idle core: 1 (Uniform) to 20."""


def execute(
    plan: Plan,
    directory: Path,
    backend: AbstractContextManager[Backend],
    *,
    announce: Callable[[str], None],
    progress: Callable[..., None],
    run_timeout: float | None = None,
) -> Execution:
    """Play every run that has no file yet, then write the summary and the manifest.

    ``backend`` plays them; it is entered only if a run is missing. ``announce`` receives lines for the user;
    ``progress`` receives the rounds played so far, those of the whole plan and, while runs are played, the seconds that
    the rest may take, NaN if unknown, a few times a second. A run fails if it raises,
    takes longer than ``run_timeout`` seconds (default: the spec's) or if its worker dies twice; it leaves a
    ``.failed`` file and does not stop the others. No summary is written if files of finished runs are ``gone`` at the
    end.

    Raises UserError when the directory cannot be written or a user's algorithm does not compile.
    """
    prepare(directory)
    with only_one(directory, announce):
        renamed = move_renamed(plan.wanted, directory, announce)
        manifest = replace_manifest(directory, plan.resolved, plan.spec.small, plan.spec.source, renamed)
        earlier = manifest.seconds_per_run()
        scans = scan(plan.wanted, directory)
        writer = ResultWriter(plan.wanted, directory, scans, announce, manifest)
        done = writer.execution
        for complete in (each for each in scans if not each.missing):
            writer.begin(complete)
        waiting = [each for each in scans if each.missing]
        if waiting:
            _compile_kernels(plan, waiting, announce)
            writer.retract()
            with backend as opened:
                writer.begin_execution(opened.name)
                try:
                    timeout = run_timeout or plan.spec.run_timeout
                    schedule = Schedule(plan, waiting, opened, writer.begin, earlier)
                    _play_all(schedule, writer, opened, timeout, progress)
                finally:
                    writer.end_execution()
        progress(writer.total, writer.total)
        matrices = _matrices(plan, done)
        bounds = bound_rows(plan, Results(directory), announce, matrices)
        writer.look_again()
        writer.finish(bounds, instance_rows(plan, Results(directory), matrices))
    return done


def _matrices(plan: Plan, done: Execution) -> dict[str, range | tuple[int, ...]]:
    """Return the numbers of the runs on each dataset: those of its longest series."""
    return {
        planned.label: max(
            (numbers for labels, numbers in done.asked.items() if labels.dataset == planned.label), key=len
        )
        for planned in plan.datasets
    }


def _compile_kernels(plan: Plan, waiting: Sequence[Scanned], announce: Callable[[str], None]) -> None:
    """Have the kernels of all that will be played compiled."""
    series = [plan.find(each.series.labels) for each in waiting]
    compiled = [each for each in series if not each.algorithm.reference]
    played = {(each.algorithm.label, each.dataset.arms): each for each in compiled}
    plays = [(each.build(), arms) for (_, arms), each in played.items()]
    titles = list(dict.fromkeys(algorithm.title for algorithm, _ in plays))
    more = f" and {len(titles) - _NAMED} more" if len(titles) > _NAMED else ""
    seconds = _COMPILING * math.ceil(len(titles) / available_cores())
    line = f"compiling what is new among {', '.join(titles[:_NAMED])}{more}, once: about {seconds} s if all are…"
    warm(plays, lambda _: announce(line))


class _Keeps(Protocol):
    """A writer of runs, of a whole experiment or of a shard."""

    rounds: int
    total: int

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write the outcomes of some runs; return the series that need further runs."""


def _play_all(
    schedule: Schedule,
    keeper: _Keeps,
    backend: Backend,
    run_timeout: float | None,
    progress: Callable[..., None],
) -> None:
    """Play and keep all chunks."""
    pending: dict[Future[list[Outcome]], Chunk] = {}
    shown = 0
    while True:
        window = backend.window()
        while len(pending) < window and (chunk := schedule.next_chunk(alone=not pending)) is not None:
            pending[backend.executor.submit(backend.play, chunk, run_timeout)] = chunk
        if not pending:
            return
        for future in wait(pending, timeout=0.2, return_when=FIRST_COMPLETED).done:
            chunk = pending.pop(future)
            try:
                outcomes = future.result()
            except Exception as error:
                outcomes = schedule.lost(chunk, error)
            else:
                schedule.played(chunk, outcomes)
            schedule.add(keeper.keep(chunk.series.labels, outcomes))
        shown = max(shown, keeper.rounds + backend.rounds())
        progress(shown, keeper.total, schedule.time_left.seconds())


class Shard(NamedTuple):
    """Shard ``number``, from 1, ``of`` this many."""

    number: int
    of: int

    def has(self, series: int, run: int) -> bool:
        """Return whether a run of the series with this index is in this shard."""
        return (series + run) % self.of == self.number - 1


def play_shard(
    plan: Plan,
    directory: Path,
    backend: AbstractContextManager[Backend],
    shard: Shard,
    *,
    announce: Callable[[str], None],
    progress: Callable[..., None],
    run_timeout: float | None = None,
) -> Execution:
    """Play every run of a shard that has no file yet; the arguments are those of ``execute``.

    If the results determine the number of runs (``until``), these are the runs that are known so far to be needed.

    Raises UserError as ``execute`` does.
    """
    prepare(directory)
    scans = [_scan(plan, directory, shard, index, series) for index, series in enumerate(plan.wanted.series)]
    writer = ShardWriter(directory, shard, scans)
    waiting = [each for each in scans if each.missing]
    if waiting:
        _compile_kernels(plan, waiting, announce)
        manifest = replace_manifest(directory, plan.resolved, plan.spec.small, plan.spec.source, shards=False)
        with backend as opened:
            writer.begin_execution(opened.name, manifest)
            try:
                timeout = run_timeout or plan.spec.run_timeout
                schedule = Schedule(plan, waiting, opened, writer.begin, manifest.seconds_per_run())
                _play_all(schedule, writer, opened, timeout, progress)
            finally:
                writer.end_execution()
    progress(writer.total, writer.total)
    return writer.execution


def _scan(plan: Plan, directory: Path, shard: Shard, index: int, series: SeriesIdentity) -> Scanned:
    """Return the state of a shard's runs of a series; with a fixed number of runs, only their files are read."""
    place = series_directory(directory, series.labels)
    asked = plan.numbers if plan.spec.until is None else scan_series(plan.wanted, series, place).asked
    mine = tuple(number for number in asked if shard.has(index, number))
    runs = RunFiles(series, place)
    missing = (number for number in mine if runs.examine(number)[0] != "done")
    return Scanned(series, place, mine, array("I", missing), None)


LARGEST_CHUNK = 200


class Schedule:
    """The missing runs of the ``waiting`` series, one series after the other; ``begin`` is called before each.

    More may be added during play. The size of a chunk follows from the time that runs of the series have taken so far
    and from the ``chunk_seconds`` of the ``backend``. ``earlier``: the seconds of a run of each series in earlier
    executions.
    """

    def __init__(
        self,
        plan: Plan,
        waiting: Sequence[Scanned],
        backend: Backend,
        begin: Callable[[Scanned], None],
        earlier: Mapping[Labels, float] = MappingProxyType({}),
    ) -> None:
        self.time_left = TimeLeft(earlier, lambda: backend.window() // 2)
        self._plan = plan
        self._backend = backend
        self._again: deque[Chunk] = deque()
        self._begin = begin
        self._waiting = deque[Scanned]()
        self.add(waiting)
        self._fresh: Iterator[Chunk] = iter(())

    def add(self, further: Sequence[Scanned]) -> None:
        """Add the missing runs of further series."""
        self._waiting.extend(further)
        for each in further:
            self.time_left.ask(each.series.labels, len(each.missing))

    def next_chunk(self, alone: bool) -> Chunk | None:
        """Return the next chunk; None if there is none at present.

        On a backend whose workers are not isolated, runs that may have killed a worker wait until the end, when each is
        played ``alone``.
        """
        if self._again and (self._backend.isolated or not self._again[0].again):
            return self._again.popleft()
        chunk = next(self._fresh, None)
        while chunk is None and self._waiting:
            self._fresh = self._chunks(self._waiting.popleft())
            chunk = next(self._fresh, None)
        return self._again.popleft() if chunk is None and self._again and alone else chunk

    def played(self, chunk: Chunk, outcomes: Sequence[Outcome]) -> None:
        """Record the time that the runs of a chunk took."""
        seconds = sum(outcome.seconds for outcome in outcomes)
        self.time_left.played(chunk.series.labels, len(outcomes), seconds)

    def lost(self, chunk: Chunk, error: Exception) -> list[Outcome]:
        """Reschedule the runs of a chunk without outcomes, usually because its worker died; return those that failed.

        The run that the worker was playing, if known, or that was played alone, is blamed. A worker may also be killed
        from outside, so the run is tried once more. Raises UserError when the executor has given up, or when the worker
        has raised one because it cannot play.
        """
        if isinstance(error, UserError):
            raise error
        if isinstance(error, CancelledError):
            raise UserError(
                "the executor cancelled tasks, perhaps because the scheduler is gone: repeat the command to continue"
            )
        note = error.note if isinstance(error, WorkerDiedError) else ""
        suspects = tuple(run for run in chunk.runs if str(run.number) == note) or chunk.runs
        others = tuple(run for run in chunk.runs if run not in suspects)
        guilty = chunk.again or (isinstance(error, WorkerDiedError) and error.timed_out)
        if not guilty:
            self._again.extend(Chunk(chunk.series, (run,), again=True) for run in suspects)
        if others:
            self._again.append(Chunk(chunk.series, others))
        if not guilty:
            return []
        self.time_left.paces[chunk.series.labels].left -= len(suspects)
        return [Outcome(run.number, run.key, _text_of_a_death(error), True, 0.0) for run in suspects]

    def _chunks(self, scanned: Scanned) -> Iterator[Chunk]:
        self._begin(scanned)
        self.time_left.begin(scanned.series.labels)
        series, start = self._plan.find(scanned.series.labels), 0
        while start < len(scanned.missing):
            end = start + self._size(self.time_left.paces[series.labels])
            yield Chunk(series, tuple(series.run(number) for number in scanned.missing[start:end]))
            start = end

    def _size(self, pace: Pace) -> int:
        if not pace.seconds:
            return 1
        return max(1, min(LARGEST_CHUNK, int(self._backend.chunk_seconds * pace.runs / pace.seconds)))


def _text_of_a_death(error: Exception) -> str:
    """Return the text of the failure record of a run whose worker died."""
    if not isinstance(error, WorkerDiedError):
        return "".join(traceback.format_exception(error))
    if error.timed_out:
        return f"{error.traceback.rstrip()}\nTimeoutError: the run took longer than run_timeout and was killed\n"
    return f"{error.traceback}{type(error).__name__}: {error}, as on the first attempt\n"


@dataclass
class Pace:
    """The number of runs of a series played so far and the seconds that they took; how many are ``left``."""

    runs: int = 0
    seconds: float = 0.0
    left: int = 0
    begun: float = math.nan


class TimeLeft:
    """Estimates the seconds until all runs are played, by this many ``workers``.

    ``earlier``: the seconds of a run of each series in earlier executions, perhaps on another machine.
    """

    def __init__(
        self,
        earlier: Mapping[Labels, float],
        workers: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.paces: defaultdict[Labels, Pace] = defaultdict(Pace)
        self._earlier, self._workers, self._clock = earlier, workers, clock
        self._start = self._last = math.nan
        self._chunks = 0

    def ask(self, labels: Labels, runs: int) -> None:
        """Add runs of a series that are to be played."""
        self.paces[labels].left += runs

    def begin(self, labels: Labels) -> None:
        """Record that a series is being played now."""
        self.paces[labels].begun = self._clock()

    def played(self, labels: Labels, runs: int, seconds: float) -> None:
        """Record the runs of a chunk and the seconds that they took."""
        self._last = self._clock()
        if not self._chunks:  # not before, since processes start and kernels are compiled first
            self._start = self._last - seconds
        self._chunks += 1
        pace = self.paces[labels]
        pace.runs += runs
        pace.seconds += seconds
        pace.left = max(0, pace.left - runs)

    def seconds(self) -> float:
        """Return the estimate; NaN if the seconds of a run of some series are unknown.

        They are those of its runs that have ended, now or else earlier, or else those of the algorithm on other
        datasets. Earlier seconds count in the proportion of those measured now.
        """
        now, workers = self._clock(), max(1, self._workers())
        known = {labels: pace.seconds / pace.runs for labels, pace in self.paces.items() if pace.runs}
        both = [labels for labels in known if self._earlier.get(labels)]
        scale = sum(known[labels] for labels in both) / sum(self._earlier[labels] for labels in both) if both else 1.0
        known = {labels: scale * seconds for labels, seconds in self._earlier.items()} | known
        elsewhere: defaultdict[str, list[float]] = defaultdict(list)
        for labels, seconds in known.items():
            elsewhere[labels.algorithm].append(seconds)
        work = longest = 0.0
        overhead = self._overhead(workers)
        for labels, pace in self.paces.items():
            if not pace.left:
                continue
            others = elsewhere[labels.algorithm]
            if not others:
                return math.nan
            each = known.get(labels, sum(others) / len(others))
            if not pace.runs and now > pace.begun:  # it takes at least as long as it has taken
                each = max(each, now - pace.begun)
            work += pace.left * (each + overhead)
            longest = max(longest, each)
        left = max(work / workers, longest)
        return max(left - (now - self._last), left / 10) if self._chunks else left

    def _overhead(self, workers: int) -> float:
        """Return the seconds of a worker for each run beyond those of the run, as soon as they can be measured."""
        if self._chunks < 2 * workers:
            return 0.0
        busy = sum(pace.seconds for pace in self.paces.values())
        return max(0.0, (self._last - self._start) * workers - busy) / sum(pace.runs for pace in self.paces.values())
