"""Series with a new label in the spec: their runs are found by their record and moved.

A directory is renamed in one step if its new name is free. Otherwise it is first renamed to a temporary name that is
not a valid label, so that two series can exchange their labels. If an execution is killed at any point, the runs are
still in one directory with their record, and are found again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

from duelbench.errors import UserError
from duelbench.layout import ALL_SERIES, RUNS_AND_FAILURES, SERIES
from duelbench.results.files import series_directory
from duelbench.results.identity import Labels, Wanted
from duelbench.results.record import read_record

NAMED = 3
"""Number of renamed series that a message names."""
_ASIDE = re.compile(r"\.moved-\d+-")


def renamed(wanted: Wanted, directory: Path) -> dict[Labels, Path]:
    """Return the directories of series that are not in the directory of their labels, by these labels.

    A directory belongs to the series with its label if it has the record of that series, else to the first series of
    the spec that has its record.
    """
    there = {path.parent: read_record(path.parent) for path in sorted(directory.glob(ALL_SERIES))}
    if not there:
        return {}
    found: dict[Labels, Path] = {}
    homeless = []
    for series in wanted.series:
        place, record = series_directory(directory, series.labels), series.record
        if there.get(place) == record:
            del there[place]
        else:
            homeless.append((series.labels, record))
    for labels, record in homeless:
        source = next((place for place, known in there.items() if known == record), None)
        if source is not None:
            found[labels] = source
            del there[source]
    return found


def move(wanted: Wanted, directory: Path, announce: Callable[[str], None]) -> dict[Labels, Labels]:
    """Move the runs of series whose label has changed, and return the old labels by the new ones.

    Runs of another series in a new directory are removed, as they would be before runs are played there. Raises
    UserError if a directory cannot be moved; those that have been moved before stay moved.
    """
    found = renamed(wanted, directory)
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
        named = [f"{'/'.join(old)} → {'/'.join(new)}" for new, old in itertools.islice(olds.items(), NAMED)]
        more = f" and {len(olds) - NAMED} more" if len(olds) > NAMED else ""
        announce(f"renamed series, their runs are kept: {', '.join(named)}{more}")
    return olds


def _move(source: Path, place: Path, announce: Callable[[str], None]) -> None:
    place.parent.mkdir(exist_ok=True)
    if not place.exists():
        source.rename(place)
    else:
        # Without a record, the files there were moved before an interruption, or their keys identify them.
        stale = list(place.glob(RUNS_AND_FAILURES)) if (place / SERIES).exists() else []
        if stale:
            announce(f"{place.parent.name}/{place.name}: {len(stale)} runs are stale (they are of another series)")
        for path in stale:
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
