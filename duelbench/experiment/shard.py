"""Shards: the share of an experiment that one of many jobs plays. All jobs write into one directory.

The jobs take no lock, since locks often do not work on shared file systems. None is needed: the number of a run
determines its shard, each run is a separate file that is written atomically and has the same content on any machine,
and no job removes or reads the files of another. A final execution without a shard finds all runs finished and writes
the summary.
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
from duelbench.results.identity import SeriesIdentity
from duelbench.results.run_files import RunFiles, prepare, series_directory
from duelbench.results.scan import Scanned, scan_series
from duelbench.results.writer import Execution, ShardWriter, replace_manifest


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
        compile_kernels(plan, waiting, announce)
        manifest = replace_manifest(directory, plan.resolved, plan.spec.small, plan.spec.source.path, shards=False)
        with backend as opened:
            writer.begin_execution(opened.name, manifest)
            try:
                timeout = run_timeout or plan.spec.run_timeout
                schedule = Schedule(plan, waiting, opened, writer.begin, manifest.seconds_per_run())
                play_all(schedule, writer, opened, timeout, progress)
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
