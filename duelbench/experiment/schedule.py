"""The schedule: in which order and chunks to play runs, what to do when a worker dies, and how long the rest takes."""

from __future__ import annotations

import math
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from types import MappingProxyType

from duelbench.errors import UserError
from duelbench.experiment.backends import Backend, Chunk
from duelbench.experiment.plan import Plan
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
            yield Chunk(series, tuple(series.run(number) for number in scanned.missing[start:end]))
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


@dataclass
class Pace:
    """The number of runs of a series played so far and the seconds that they took; how many are ``left``."""

    runs: int = 0
    seconds: float = 0.0
    left: int = 0
    begun: float = math.nan


class TimeLeft:
    """Estimates the seconds until all runs are played.

    ``earlier``: the seconds of a run of each series in earlier executions, perhaps on another machine.
    """

    def __init__(self, earlier: Mapping[Labels, float], clock: Callable[[], float] = time.monotonic) -> None:
        self.paces: defaultdict[Labels, Pace] = defaultdict(Pace)
        self._earlier, self._clock = earlier, clock
        self._start = math.nan

    def ask(self, labels: Labels, runs: int) -> None:
        """Add runs of a series that are to be played."""
        self.paces[labels].left += runs

    def begin(self, labels: Labels) -> None:
        """Record that a series is being played now."""
        self.paces[labels].begun = self._clock()

    def played(self, labels: Labels, runs: int, seconds: float) -> None:
        """Record runs and the seconds that they took."""
        if math.isnan(self._start):  # not before, since processes start and kernels are compiled first
            self._start = self._clock() - seconds
        pace = self.paces[labels]
        pace.runs += runs
        pace.seconds += seconds
        pace.left = max(0, pace.left - runs)

    def seconds(self) -> float:
        """Return the estimate; NaN before any run has ended.

        Earlier seconds count in the proportion of those measured now. A series of which nothing is known takes as long
        as the mean of the others, or as long as it has taken so far.
        """
        now = self._clock()
        known = {labels: pace.seconds / pace.runs for labels, pace in self.paces.items() if pace.runs}
        busy, passed = sum(pace.seconds for pace in self.paces.values()), now - self._start
        if not busy or not passed > 0:
            return math.nan
        both = [labels for labels in known if self._earlier.get(labels)]
        scale = sum(known[labels] for labels in both) / sum(self._earlier[labels] for labels in both) if both else 1.0
        for labels in self.paces.keys() & self._earlier.keys() - known.keys():
            known[labels] = scale * self._earlier[labels]
        mean = sum(known.values()) / len(known)
        work = 0.0
        for labels, pace in self.paces.items():
            at_least = 0.0 if pace.runs or math.isnan(pace.begun) else now - pace.begun
            work += pace.left * max(known.get(labels, mean), at_least)
        return work * passed / busy
