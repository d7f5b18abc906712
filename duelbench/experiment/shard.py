"""A share of an experiment: what one of many jobs plays that write into one directory, on machines of any number.

They take no lock, as file systems that machines share often have none that works. None is needed: which runs are whose
follows from their numbers alone, each run is a file of its own that appears whole, with the same content whoever plays
it, and no job removes or reads what is another's. A last execution without a shard finds all there and writes the
summary.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from duelbench.experiment.backends import Backend
from duelbench.experiment.execute import compile_kernels, play_all
from duelbench.experiment.plan import Plan
from duelbench.experiment.schedule import Schedule
from duelbench.results.files import RunFiles, prepare, series_directory
from duelbench.results.identity import SeriesIdentity
from duelbench.results.scan import Scanned, scan_series
from duelbench.results.writer import Execution, ShardWriter, replace_manifest


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
    writer = ShardWriter(directory, shard, scans)
    waiting = [each for each in scans if each.missing]
    if waiting:
        compile_kernels(plan, waiting, announce)
        manifest = replace_manifest(directory, plan.resolved, plan.spec.small, plan.spec.source.path, shards=False)
        with backend as opened:
            writer.begin_execution(opened.name, manifest)
            try:
                timeout = run_timeout or plan.spec.run_timeout
                play_all(Schedule(plan, waiting, opened, writer.begin), writer, opened, timeout, progress)
            finally:
                writer.end_execution()
    progress(writer.total, writer.total)
    return writer.execution


def _scan(plan: Plan, directory: Path, shard: Shard, index: int, series: SeriesIdentity) -> Scanned:
    """Return how the share of a series stands: of a plain number of runs only the files of the share are looked at."""
    place = series_directory(directory, series.labels)
    asked = plan.numbers if plan.spec.until is None else scan_series(plan.wanted, series, place).asked
    mine = tuple(number for number in asked if shard.has(index, number))
    runs = RunFiles(series, place)
    missing = (number for number in mine if runs.examine(number)[0] != "done")
    return Scanned(series, place, mine, array("I", missing), None)
