"""A share of an experiment: what one of many jobs plays that write into one directory, on machines of any number.

They take no lock, as file systems that machines share often have none that works. None is needed: which runs are whose
follows from their numbers alone, each run is a file of its own that appears whole, with the same content whoever plays
it, and no job removes or reads what is another's. A last execution without a shard finds all there and writes the
summary.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from duelbench.experiment.backends import Backend
from duelbench.experiment.execute import compile_kernels, play_all
from duelbench.experiment.plan import Plan
from duelbench.experiment.schedule import Schedule
from duelbench.layout import SUMMARY, run_file, shard_file
from duelbench.results.files import Outcome, examine, prepare, series_directory
from duelbench.results.identity import Labels, SeriesIdentity
from duelbench.results.manifest import beginning, now
from duelbench.results.record import read_record, write_record
from duelbench.results.scan import Scanned, scan_series
from duelbench.results.shards import read_shard, write_shard
from duelbench.results.writer import Execution, store


class Shard(NamedTuple):
    """The ``number``-th, from 1, ``of`` so many shares."""

    number: int
    of: int

    def has(self, series: int, run: int) -> bool:
        """Tell whether a run of the series of that index is in this share."""
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
    """Play every run of a share whose file is not there yet; the arguments are those of ``execute``.

    Where there are as many runs as it takes, it is the share of those that are known by now to be needed.

    Raises UserError as ``execute`` does.
    """
    prepare(directory)
    scans = [_scan(plan, directory, shard, index, series) for index, series in enumerate(plan.wanted.series)]
    keeper = _Keeper(scans)
    done = keeper.execution
    waiting = [each for each in scans if each.missing]
    if waiting:
        compile_kernels(plan, waiting, announce)
        (directory / SUMMARY).unlink(missing_ok=True)  # it is there only while it tells of the runs
        path = directory / shard_file(*shard)
        record = read_shard(path)
        with backend as opened:
            record.executions.append(beginning(opened.name))
            write_shard(path, record)
            try:
                play_all(
                    Schedule(plan, waiting, opened, keeper.begin),
                    keeper,
                    opened,
                    run_timeout or plan.spec.run_timeout,
                    progress,
                )
            finally:
                counts = {"played": done.played, "kept": done.kept, "failed": len(done.failures)}
                record.executions[-1] |= {"ended": now(), **counts}
                record.seconds += keeper.seconds
                write_shard(path, record)
    progress(keeper.total, keeper.total)
    return done


def _scan(plan: Plan, directory: Path, shard: Shard, index: int, series: SeriesIdentity) -> Scanned:
    """Return how the share of a series stands: of a plain number of runs only the files of the share are looked at."""
    place = series_directory(directory, series.labels)
    asked = plan.numbers if plan.spec.until is None else scan_series(plan.wanted, series, place).asked
    mine = tuple(number for number in asked if shard.has(index, number))
    missing = (number for number in mine if examine(place / run_file(number), series.key(number))[0] != "done")
    return Scanned(series, place, mine, array("I", missing), None)


class _Keeper:
    """Keeps the runs of a share; ``rounds`` of ``total`` have been played, in ``seconds`` as the record has them."""

    def __init__(self, scans: Sequence[Scanned]) -> None:
        self.execution = Execution()
        self.seconds: list[tuple[str, str, int, float]] = []
        self.total = sum(len(each.asked) * each.series.rounds for each in scans)
        self.rounds = self.total - sum(len(each.missing) * each.series.rounds for each in scans)
        self.execution.kept = sum(len(each.asked) - len(each.missing) for each in scans)
        self._scans = {each.series.labels: each for each in scans}

    def begin(self, scanned: Scanned) -> None:
        """Record what determines the runs of a series. Those of before are replaced one by one, each by whose it is."""
        record = scanned.series.record
        if record != read_record(scanned.place):
            write_record(scanned.place, record)

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write what came of some runs of a series; nothing follows from it."""
        scanned = self._scans[labels]
        for outcome in outcomes:
            failure = store(scanned.place, outcome)
            if failure is not None:
                self.execution.failures.append(failure)
            else:
                self.execution.played += 1
                self.seconds.append((*labels, outcome.number, round(outcome.seconds, 6)))
        self.rounds += len(outcomes) * scanned.series.rounds
        return []
