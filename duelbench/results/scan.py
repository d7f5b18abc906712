"""Which of the wanted runs are on disk, whether they are enough, and which are there under another label.

If the variance is finite, a rule that adds runs until the standard error is small gives confidence intervals with
asymptotically correct coverage (Chow & Robbins, On the asymptotic theory of fixed-width sequential confidence intervals
for the mean, Annals of Mathematical Statistics 36, 1965, 457–462). If rare runs have a large regret, however, it stops
too early, before such a run has occurred; ``summary.heavy_tailed`` detects this.
"""

import math
import shlex
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from duelbench.layout import ALL_SERIES
from duelbench.results.identity import SeriesIdentity, Wanted, read_record
from duelbench.results.run_files import RunFiles, series_directory
from duelbench.results.summary import Final, Runs, SeriesSummary
from duelbench.spec.values import Until


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
        if found.missing or found.summary is None or not lacks_precision(wanted.until, found.summary.final):
            break
    return found


def _scan(runs: RunFiles, asked: range | tuple[int, ...], files: Sequence[int], failed: Collection[int]) -> Scanned:
    """Return the state of a series with the ``asked`` runs, given the numbers of the runs that have ``files``."""
    there = [number for number in files if number in asked]
    if not there and not failed:  # avoids a loop over up to a million runs
        return Scanned(runs.series, runs.place, asked, asked, None)
    done = set()
    complete = len(there) == len(asked) - sum(number in asked for number in failed)
    summed = Runs(runs.series, len(there)) if complete else None
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


def lacks_precision(until: Until | None, final: Final) -> bool:
    """Return whether the standard error of the mean exceeds its target; not if all runs failed: more would, too."""
    if until is None or not final.runs:
        return False
    return not (final.runs > 1 and final.std / math.sqrt(final.runs) <= until.until * abs(final.mean))


def renamed(wanted: Wanted, directory: Path) -> dict[Path, Path]:
    """Return the directories that have the runs of series with a new label, by the missing directories of these labels.

    If the label of a dataset is new, it is the directory of the dataset. A directory has the runs of a series if it has
    its record, and no series with its own label has that.
    """
    there = {path.parent: read_record(path.parent) for path in sorted(directory.glob(ALL_SERIES))}
    if not there:
        return {}
    new = []
    for series in wanted.series:
        place, record = series_directory(directory, series.labels), series.record
        if there.get(place) == record:
            del there[place]
        elif not place.exists():
            new.append((place, record))
    found: dict[Path, Path] = {}
    for place, record in new:
        source = next((each for each, known in there.items() if known == record), None)
        if source is not None:
            del there[source]
            if place.parent.exists():
                found[place] = source
            else:
                found[place.parent] = source.parent
    return found


def how_to_rename(wanted: Wanted, directory: Path) -> list[str]:
    """Return for each directory whose label has changed a line with the command that renames it."""
    return [
        f"{place.relative_to(directory)} is a new label; to keep the runs of the old one: "
        + shlex.join(["mv", str(source), str(place)])
        for place, source in renamed(wanted, directory).items()
    ]
