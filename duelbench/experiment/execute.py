"""Playing the missing runs of a plan, or of a shard of it: in which order, and what to do when a worker dies.

The resulting files are the same bytes on any backend.

A shard is the share of an experiment that one of many jobs plays. All jobs write into one directory. They take no lock,
since locks often do not work on shared file systems. None is needed: the number of a run determines its shard, each run
is a separate file that is written atomically and has the same content on any machine, and no job removes or reads the
files of another. A final execution without a shard finds all runs finished and writes the summary.
"""

from __future__ import annotations

import math
import traceback
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager
from pathlib import Path
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
from duelbench.results.scan import Scanned, how_to_rename, scan, scan_series
from duelbench.results.writer import (
    Execution,
    ResultWriter,
    ShardWriter,
    replace_manifest,
)

_NAMED = 8
"""How many algorithms the line about compiling names, and how many directories with a new label are named."""
_COMPILING = 5
"""The seconds that compiling an algorithm takes on an idle core: 1 (Uniform) to 20."""


def execute(
    plan: Plan,
    directory: Path,
    backend: AbstractContextManager[Backend],
    *,
    announce: Callable[[str], None],
    progress: Callable[[int, int], None],
    run_timeout: float | None = None,
) -> Execution:
    """Play every run that has no file yet, then write the summary and the manifest.

    ``backend`` plays them; it is entered only if a run is missing. ``announce`` receives lines for the user;
    ``progress`` receives the rounds played so far and those of the whole plan, a few times a second. A run fails if it
    raises, takes longer than ``run_timeout`` seconds (default: the spec's) or if its worker dies twice; it leaves a
    ``.failed`` file and does not stop the others. No summary is written if files of finished runs are ``gone`` at the
    end.

    Raises UserError when the directory cannot be written or a user's algorithm does not compile.
    """
    prepare(directory)
    with only_one(directory, announce):
        _announce_renamed(plan, directory, announce)
        manifest = replace_manifest(directory, plan.resolved, plan.spec.small, plan.spec.source)
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
                    schedule = Schedule(plan, waiting, opened, writer.begin)
                    _play_all(schedule, writer, opened, timeout, progress)
                finally:
                    writer.end_execution()
        progress(writer.total, writer.total)
        matrices = _matrices(plan, done)
        bounds = bound_rows(plan, Results(directory), announce, matrices)
        writer.look_again()
        writer.finish(bounds, instance_rows(plan, Results(directory), matrices))
    return done


def _announce_renamed(plan: Plan, directory: Path, announce: Callable[[str], None]) -> None:
    """Say how to keep the runs of series whose label has changed; they are played again otherwise."""
    lines = how_to_rename(plan.wanted, directory)
    for line in lines[:_NAMED]:
        announce(line)
    if len(lines) > _NAMED:
        announce(f"and {len(lines) - _NAMED} more, which `duelbench status` names")


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
    played = {(each.algorithm.label, each.dataset.arms): each for each in series}
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
    progress: Callable[[int, int], None],
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
        progress(shown, keeper.total)


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
    progress: Callable[[int, int], None],
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
                schedule = Schedule(plan, waiting, opened, writer.begin)
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
    and from the ``chunk_seconds`` of the ``backend``.
    """

    def __init__(
        self, plan: Plan, waiting: Sequence[Scanned], backend: Backend, begin: Callable[[Scanned], None]
    ) -> None:
        self._took: defaultdict[Labels, tuple[int, float]] = defaultdict(lambda: (0, 0.0))  # runs and their seconds
        self._plan = plan
        self._backend = backend
        self._again: deque[Chunk] = deque()
        self._begin = begin
        self._waiting = deque(waiting)
        self._fresh: Iterator[Chunk] = iter(())

    def add(self, further: Sequence[Scanned]) -> None:
        """Add the missing runs of further series."""
        self._waiting.extend(further)

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
        runs, seconds = self._took[chunk.series.labels]
        more = sum(outcome.seconds for outcome in outcomes)
        self._took[chunk.series.labels] = runs + len(outcomes), seconds + more

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
        return [Outcome(run.number, run.key, _text_of_a_death(error), True, 0.0) for run in suspects]

    def _chunks(self, scanned: Scanned) -> Iterator[Chunk]:
        self._begin(scanned)
        series, start = self._plan.find(scanned.series.labels), 0
        while start < len(scanned.missing):
            end = start + self._size(*self._took[series.labels])
            yield Chunk(series, tuple(series.run(number) for number in scanned.missing[start:end]))
            start = end

    def _size(self, runs: int, seconds: float) -> int:
        if not seconds:
            return 1
        return max(1, min(LARGEST_CHUNK, int(self._backend.chunk_seconds * runs / seconds)))


def _text_of_a_death(error: Exception) -> str:
    """Return the text of the failure record of a run whose worker died."""
    if not isinstance(error, WorkerDiedError):
        return "".join(traceback.format_exception(error))
    if error.timed_out:
        return f"{error.traceback.rstrip()}\nTimeoutError: the run took longer than run_timeout and was killed\n"
    return f"{error.traceback}{type(error).__name__}: {error}, as on the first attempt\n"
