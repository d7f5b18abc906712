"""Which of the wanted runs are on disk, under which label, and whether they are enough.

A series with a new label in the spec is found by its record, and its directory is renamed. This takes one step if the
new name is free. Otherwise it is first renamed to a temporary name that is not a valid label, so that two series can
exchange their labels. If an execution is killed at any point, the runs are still in one directory with their record,
and are found again.

If the variance is finite, a rule that adds runs until the standard error is small gives confidence intervals with
asymptotically correct coverage (Chow & Robbins, On the asymptotic theory of fixed-width sequential confidence intervals
for the mean, Annals of Mathematical Statistics 36, 1965, 457–462). If rare runs have a large regret, however, it stops
too early, before such a run has occurred; ``summary.heavy_tailed`` detects this.
"""

from __future__ import annotations

import itertools
import math
import re
from array import array
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.layout import ALL_SERIES, RUNS_AND_FAILURES, SERIES
from duelbench.results.identity import Labels, SeriesIdentity, Wanted, read_record
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
        if found.missing or found.summary is None or _enough(wanted, series, place, asked, found.summary.final):
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


def _precise(values: Floats, share: float, of: float) -> bool:
    """Return whether the standard error of the mean of (runs,) values is at most this ``share`` of a number."""
    return len(values) > 1 and float(values.std(ddof=1)) / math.sqrt(len(values)) <= share * abs(of)


def lacks_precision(until: Until | None, label: str, final: Final) -> bool:
    """Return whether the standard error of the mean exceeds its target; False for algorithms in a difference."""
    if until is None or not final.runs or label in (until.difference or ()):
        return False
    return not (final.runs > 1 and final.std / math.sqrt(final.runs) <= until.until * abs(final.mean))


def _enough(wanted: Wanted, series: SeriesIdentity, place: Path, asked: Sequence[int], final: Final) -> bool:
    """Return whether a series needs no more runs than the ``asked`` ones, all of which are in its directory.

    A series in a difference needs no more as long as runs of the other algorithm are missing.
    """
    until = wanted.until
    if until is None or not final.runs:  # if all runs failed, more would fail, too
        return True
    if until.difference is None or series.labels.algorithm not in until.difference:
        return not lacks_precision(until, series.labels.algorithm, final)
    both = [_ends(RunFiles(each, place.with_name(each.labels.algorithm)), asked) for each in _compared(wanted, series)]
    first, second = both
    if first is None or second is None:
        return True
    shared = [number for number in first if number in second]
    a, b = (np.array([each[number] for number in shared]) for each in (first, second))
    return not shared or _precise(a - b, until.until, float(b.mean()))


def others(wanted: Wanted, series: SeriesIdentity) -> list[SeriesIdentity]:
    """Return the series whose number of runs depends on those of this one."""
    until = wanted.until
    if until is None or until.difference is None or series.labels.algorithm not in until.difference:
        return []
    return [each for each in _compared(wanted, series) if each.labels != series.labels]


def _compared(wanted: Wanted, series: SeriesIdentity) -> list[SeriesIdentity]:
    """Return the two series of the difference, on the dataset of this series."""
    assert wanted.until is not None
    there = {each.labels.algorithm: each for each in wanted.series if each.labels.dataset == series.labels.dataset}
    return [there[label] for label in wanted.until.difference or ()]


def _ends(runs: RunFiles, asked: Sequence[int]) -> dict[int, float] | None:
    """Return the final regret of the asked runs that have not failed; None if a run is missing."""
    ends = {}
    for number in asked:
        state, body = runs.examine(number)
        if state == "done":
            ends[number] = float(body.splitlines()[-1].split(",")[1])
        elif state != "failed":
            return None
    return ends


_NAMED = 3
"""Number of renamed series that a message names."""
_ASIDE = re.compile(r"\.moved-\d+-")


def series_elsewhere(wanted: Wanted, directory: Path) -> dict[Labels, Path]:
    """Return the directories of series that are not in the directory of their labels, by these labels.

    A directory belongs to the series with its label if it has the record of that series, else to the first series of
    the spec that has its record.
    """
    there = {path.parent: read_record(path.parent) for path in sorted(directory.glob(ALL_SERIES))}
    if not there:
        return {}
    found: dict[Labels, Path] = {}
    elsewhere = []
    for series in wanted.series:
        place, record = series_directory(directory, series.labels), series.record
        if there.get(place) == record:
            del there[place]
        else:
            elsewhere.append((series.labels, record))
    for labels, record in elsewhere:
        source = next((place for place, known in there.items() if known == record), None)
        if source is not None:
            found[labels] = source
            del there[source]
    return found


def move_renamed(wanted: Wanted, directory: Path, announce: Callable[[str], None]) -> dict[Labels, Labels]:
    """Move the runs of series whose label has changed, and return the old labels by the new ones.

    Runs of another series in a new directory are removed, as they would be before runs are played there. Raises
    UserError if a directory cannot be moved; those that have been moved before stay moved.
    """
    found = series_elsewhere(wanted, directory)
    olds = {labels: Labels(source.parent.name, _ASIDE.sub("", source.name)) for labels, source in found.items()}
    try:
        places = {labels: directory / labels.dataset / labels.algorithm for labels in found}
        for labels, source in found.items():
            if source in places.values():  # two series exchange their labels
                found[labels] = source.rename(_free(source))
        for labels, source in found.items():
            _move(source, places[labels], announce)
    except OSError as error:
        raise UserError(
            f"runs of {directory} cannot move to their new label ({error.strerror}): fix this and repeat the command"
        ) from None
    if olds:
        named = [f"{'/'.join(old)} → {'/'.join(new)}" for new, old in itertools.islice(olds.items(), _NAMED)]
        more = f" and {len(olds) - _NAMED} more" if len(olds) > _NAMED else ""
        announce(f"renamed series, their runs are kept: {', '.join(named)}{more}")
    return olds


def _move(source: Path, place: Path, announce: Callable[[str], None]) -> None:
    place.parent.mkdir(exist_ok=True)
    if not place.exists():
        source.rename(place)
    else:
        # Without a record, the files there were moved before an interruption, or their keys identify them.
        outdated = list(place.glob(RUNS_AND_FAILURES)) if (place / SERIES).exists() else []
        if outdated:
            announce(
                f"{place.parent.name}/{place.name}: {len(outdated)} runs are out of date (they are of another series)"
            )
        for path in outdated:
            path.unlink()
        (place / SERIES).unlink(missing_ok=True)
        for path in sorted(source.iterdir(), key=lambda each: each.name == SERIES):  # the record is the last to go
            path.replace(place / path.name)
        source.rmdir()
    if not any(source.parent.iterdir()):
        source.parent.rmdir()


def _free(source: Path) -> Path:
    """Return a free path beside a directory, with a name that is not a valid label."""
    names = (source.with_name(f".moved-{number}-{_ASIDE.sub('', source.name)}") for number in itertools.count())
    return next(name for name in names if not name.exists())
