"""Series with a new label in the spec: their runs are found by their record and moved.

A directory moves in one step where its new place is free. Else it first steps aside, to a name that no label has, so
that two series may change places; wherever an execution is killed the runs lie in one directory with their record, and
are found again.
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

SAID = 3
_ASIDE = re.compile(r"\.moved-\d+-")


def renamed(wanted: Wanted, directory: Path) -> dict[Labels, Path]:
    """Return where the runs of series lie that are not in the directories of their labels, by those labels.

    A directory is of one series: that whose label it has, if it is of that, else the first of the spec that it can be
    of.
    """
    there = {path.parent: read_record(path.parent) for path in sorted(directory.glob(ALL_SERIES)) if _inside(path)}
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
    """Move the runs of series that have another label now; return the old labels by the new ones.

    What lies in a new place and is of another series is removed, as it would be before that place is played into.
    Raises UserError when something cannot be moved; what has been moved by then stays so.
    """
    found = renamed(wanted, directory)
    olds = {labels: Labels(source.parent.name, _ASIDE.sub("", source.name)) for labels, source in found.items()}
    try:
        places = {labels: directory / labels.dataset / labels.algorithm for labels in found}
        for labels, source in found.items():
            if source in places.values():  # two series change places
                found[labels] = source.rename(_free(source))
        for labels, source in found.items():
            _move(source, places[labels], announce)
    except OSError as error:
        raise UserError(
            f"runs of {directory} cannot move to their new label ({error.strerror}): fix this and repeat the command"
        ) from None
    if olds:
        said = [f"{'/'.join(old)} → {'/'.join(new)}" for new, old in itertools.islice(olds.items(), SAID)]
        more = f" and {len(olds) - SAID} more" if len(olds) > SAID else ""
        announce(f"other labels, the same runs: {', '.join(said)}{more}")
    return olds


def _move(source: Path, place: Path, announce: Callable[[str], None]) -> None:
    place.parent.mkdir(exist_ok=True)
    if not place.exists():
        source.rename(place)
    else:
        # Without a record what is there is ours, from when this was interrupted, or is told by its keys.
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
    """Return a name beside a directory that no label has, and nothing else."""
    names = (source.with_name(f".moved-{number}-{_ASIDE.sub('', source.name)}") for number in itertools.count())
    return next(name for name in names if not name.exists())


def _inside(path: Path) -> bool:
    """Return whether a file of a series is there itself, not by way of a link."""
    return not any(each.is_symlink() for each in (path, path.parent, path.parent.parent))
