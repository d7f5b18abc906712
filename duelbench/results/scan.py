"""Finding out which of the wanted runs are on disk. Every file is read once; nothing is changed."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from duelbench.results.files import RunFiles, series_directory
from duelbench.results.identity import SeriesIdentity, Wanted
from duelbench.results.precision import enough
from duelbench.results.summary import Runs, SeriesSummary


@dataclass(frozen=True)
class Scanned:
    """The state of a series: the numbers of its ``missing`` runs, and its ``summary`` if none is missing.

    ``asked`` are the numbers of all its runs, including failed ones. With ``runs: {until: …}`` more runs may follow
    once none of these is missing. ``place`` is its directory. A run is missing if it has no intact file with its key:
    runs whose files have another key or are damaged, and failed runs, are played again. ``missing`` is ascending.
    """

    series: SeriesIdentity
    place: Path
    asked: range | tuple[int, ...]
    missing: Sequence[int]
    summary: SeriesSummary | None


def scan(wanted: Wanted, directory: Path) -> list[Scanned]:
    """Return the state of every series in a directory.

    Only one series at a time is in memory. Raises UserError if a link leads out of the directory, or a file with the
    right key and checksum does not contain the numbers of a run.
    """
    places = [series_directory(directory, series.labels) for series in wanted.series]
    return [scan_series(wanted, series, place) for series, place in zip(wanted.series, places, strict=True)]


def scan_series(wanted: Wanted, series: SeriesIdentity, place: Path, failed: Collection[int] = ()) -> Scanned:
    """Return the state of a series in its directory, without the runs that are known to have ``failed``."""
    runs = RunFiles(series, place)
    there = [number for number in runs.numbers if number not in failed]
    for asked in wanted.batches:
        found = _scan(runs, asked, there, failed)
        if found.missing or found.summary is None or enough(wanted, series, place, asked, found.summary.final):
            break
    return found


def _scan(runs: RunFiles, asked: range | tuple[int, ...], files: Sequence[int], failed: Collection[int]) -> Scanned:
    """Return the state of a series with the ``asked`` runs, given the numbers of the runs that have ``files``."""
    there = [number for number in files if number in asked]
    if not there and not failed:  # avoids a loop over up to a million runs
        return Scanned(runs.series, runs.place, asked, asked, None)
    size = len(asked) - sum(number in asked for number in failed)
    done = set()
    summed = Runs(runs.series, size) if len(there) == size else None
    for number in there:
        state, body = runs.examine(number)
        if state != "done":
            summed = None
            continue
        done.add(number)
        if summed is not None:  # each file is parsed once: here, or when the series is complete
            summed.add(runs.path(number), body)
    missing = array("I", (each for each in asked if each not in done and each not in failed))
    return Scanned(runs.series, runs.place, asked, missing, summed.summary() if summed is not None else None)
