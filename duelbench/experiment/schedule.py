"""The schedule: in which order and chunks to play runs, and what to do when a worker dies."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from types import MappingProxyType

from duelbench.errors import UserError
from duelbench.experiment.backends import Backend
from duelbench.experiment.plan import Plan
from duelbench.experiment.time_left import Pace, TimeLeft
from duelbench.experiment.worker import Chunk
from duelbench.processes import WorkerDiedError
from duelbench.results.identity import Labels
from duelbench.results.run_files import Outcome
from duelbench.results.scan import Scanned

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
        self.time_left = TimeLeft(earlier)
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
        return [Outcome(run.number, run.key, _obituary(error), True, 0.0) for run in suspects]

    def _chunks(self, scanned: Scanned) -> Iterator[Chunk]:
        self._begin(scanned)
        self.time_left.begin(scanned.series.labels)
        series, start = self._plan.find(scanned.series.labels), 0
        while start < len(scanned.missing):
            end = start + self._size(self.time_left.paces[series.labels])
            yield Chunk(series, tuple(self._plan.run(series, number) for number in scanned.missing[start:end]))
            start = end

    def _size(self, pace: Pace) -> int:
        if not pace.seconds:
            return 1
        return max(1, min(LARGEST_CHUNK, int(self._backend.chunk_seconds * pace.runs / pace.seconds)))


def _obituary(error: Exception) -> str:
    """Return the text of the failure record of a run whose worker died."""
    if not isinstance(error, WorkerDiedError):
        return "".join(traceback.format_exception(error))
    if error.timed_out:
        return f"{error.traceback.rstrip()}\nTimeoutError: the run took longer than run_timeout and was killed\n"
    return f"{error.traceback}{type(error).__name__}: {error}, as on the first attempt\n"
