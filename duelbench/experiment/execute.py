"""Playing the missing runs of a spec, or of a shard of it: scheduling, and recovery from the death of workers.

The files are byte-identical on all backends.
"""

from __future__ import annotations

import math
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from duelbench.engine.warm import warm
from duelbench.errors import UserError
from duelbench.experiment.backends import Backend, Chunk
from duelbench.experiment.matrix_tables import bound_rows, instance_rows, unmet_in
from duelbench.files import only_one
from duelbench.processes import WorkerDiedError, available_cores
from duelbench.results.results import Results, prepare
from duelbench.results.runs import Outcome, SeriesRuns, failure_text
from duelbench.spec.resolved import Labels, Numbers, ResolvedSpec

_NAMED = 8
"""Maximum number of algorithms named in the line about compiling."""
_COMPILING = 5
"""Typical seconds to compile an algorithm on an idle core: from 1 (Uniform) to 20."""


def execute(
    spec: ResolvedSpec,
    directory: Path,
    backend: AbstractContextManager[Backend],
    *,
    announce: Callable[[str], None],
    progress: Callable[[int, int], None],
    run_timeout: float | None = None,
    shard: tuple[int, int] | None = None,
) -> Results:
    """Play every run that has no file yet, then write the summary and the manifest; return the results.

    ``backend`` plays them; it is entered only if a run is missing. ``announce`` receives lines for the user;
    ``progress`` receives the rounds played so far and those of all runs, a few times a second. A run fails if it
    raises, takes longer than ``run_timeout`` seconds (default: the spec's) or if its worker dies twice; it leaves a
    ``.failed`` file and does not stop the others. No summary is written if files of finished runs are ``gone`` at the
    end. ``shard`` (3, 64) is the third of 64 shares, each played by one job in the same directory. A shard writes only
    runs; a later execution without a shard writes the rest. With ``until``, it plays the runs known to be needed.

    Raises UserError when the directory cannot be written or a user's algorithm does not compile.
    """
    prepare(directory)
    alone = shard is None
    with only_one(directory, announce) if alone else nullcontext():
        results = Results(directory, spec)
        if alone:
            for line in results.how_to_rename():
                announce(line)
        waiting = results.open(None if shard is None else lambda series, run: (series + run) % shard[1] == shard[0] - 1)
        for complete in (runs for runs in results.runs.values() if alone and not runs.missing):
            complete.begin(announce)
        if waiting:
            _compile_kernels(waiting, announce)
            with backend as opened:
                results.begin(opened.name, alone=alone)
                schedule = Schedule(waiting, opened, lambda runs: runs.begin(announce if alone else None))
                try:
                    _play_all(schedule, results, alone, opened, run_timeout or spec.run_timeout, progress)
                finally:
                    if alone:
                        results.end()
        elif alone and not results.manifest.executions:  # shards have played all runs
            results.begin("shards", alone=True)
            results.end()
        progress(results.total, results.total)
        if alone:
            numbers = _numbers(results)
            results.finish(bound_rows(results, announce, numbers), instance_rows(results, numbers), unmet_in(spec))
    return results


def _numbers(results: Results) -> dict[str, Numbers]:
    """Return the numbers of the runs on each dataset: those of its longest series."""
    found: dict[str, Numbers] = {}
    for (dataset, _), runs in results.runs.items():
        found[dataset] = max(found.get(dataset, ()), runs.asked, key=len)
    return found


def _compile_kernels(waiting: Sequence[SeriesRuns], announce: Callable[[str], None]) -> None:
    """Compile the kernels of all series to be played."""
    played = {(runs.series.algorithm.label, runs.series.dataset.arms): runs.series for runs in waiting}
    plays = [(each.build(), arms) for (_, arms), each in played.items()]
    titles = list(dict.fromkeys(algorithm.title for algorithm, _ in plays))
    more = f" and {len(titles) - _NAMED} more" if len(titles) > _NAMED else ""
    seconds = _COMPILING * math.ceil(len(titles) / available_cores())
    line = f"compiling what is new among {', '.join(titles[:_NAMED])}{more}, once: about {seconds} s if all are…"
    warm(plays, lambda _: announce(line))


def _play_all(
    schedule: Schedule,
    results: Results,
    alone: bool,
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
            schedule.add(results.keep(chunk.series.labels, outcomes, alone=alone))
        shown = max(shown, results.rounds + backend.rounds())
        progress(shown, results.total)


LARGEST_CHUNK = 200


class Schedule:
    """The missing runs of the ``waiting`` series, one series after the other; ``begin`` is called before each.

    More may be added during play. The size of a chunk is chosen so that it takes about the ``chunk_seconds`` of the
    ``backend``, judging by the runs of the series so far.
    """

    def __init__(self, waiting: Sequence[SeriesRuns], backend: Backend, begin: Callable[[SeriesRuns], None]) -> None:
        self._took: defaultdict[Labels, tuple[int, float]] = defaultdict(lambda: (0, 0.0))  # runs and their seconds
        self._backend = backend
        self._again: deque[Chunk] = deque()
        self._begin = begin
        self._waiting = deque(waiting)
        self._fresh: Iterator[Chunk] = iter(())

    def add(self, further: Sequence[SeriesRuns]) -> None:
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

        We blame the run that the worker was playing or, if it is unknown, all runs of the chunk. They are tried once
        more, alone, as something else may have killed the worker, but not after a timeout. Raises UserError if the
        executor has given up, or if the worker has raised one because it cannot play.
        """
        if isinstance(error, UserError):
            raise error
        if isinstance(error, CancelledError):
            raise UserError(
                "the executor cancelled tasks, perhaps because the scheduler is gone: repeat the command to continue"
            )
        note = error.note if isinstance(error, WorkerDiedError) else ""
        suspects = tuple(each for each in chunk.numbers if str(each) == note) or chunk.numbers
        others = tuple(each for each in chunk.numbers if each not in suspects)
        guilty = chunk.again or (isinstance(error, WorkerDiedError) and error.timed_out)
        if not guilty:
            self._again.extend(Chunk(chunk.series, (each,), again=True) for each in suspects)
        if others:
            self._again.append(Chunk(chunk.series, others))
        if not guilty:
            return []
        text = _text_of_a_death(error)
        return [Outcome(each, failure_text(chunk.series.key(each), text), True, 0.0) for each in suspects]

    def _chunks(self, runs: SeriesRuns) -> Iterator[Chunk]:
        self._begin(runs)
        missing, start = runs.missing, 0
        while start < len(missing):
            end = start + self._size(*self._took[runs.series.labels])
            yield Chunk(runs.series, tuple(missing[start:end]))
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
