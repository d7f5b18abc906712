"""What a rerun of a spec would do, and why: every run done, missing, stale, damaged or failed."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelbench.errors import UserError
from duelbench.layout import (
    ALL_SERIES,
    FAILED,
    FIRST_WORDS,
    MANIFEST,
    MOST_BYTES_OF_A_MANIFEST,
    REPLAY,
    failure_of,
    run_file,
)
from duelbench.reading import read_json
from duelbench.results.files import State, examine, numbers_there, series_directory
from duelbench.results.identity import SeriesIdentity, Wanted
from duelbench.results.record import changes, read_record
from duelbench.results.renamed import renamed
from duelbench.results.scan import scan_series

LAST_BYTES = 1 << 14
"""Of the record of a failure, in which its last line is looked for."""


@dataclass(frozen=True)
class SeriesStatus:
    """How many runs of a series stand how; ``reasons`` say why they are stale or lie elsewhere, or how they failed.

    ``beyond`` are the files of runs that the spec does not ask for, as when it asked for more before: none counts.
    """

    series: SeriesIdentity
    counts: dict[State, int]
    reasons: tuple[str, ...]
    beyond: int


def status(wanted: Wanted, directory: Path) -> list[SeriesStatus]:
    """Return how the runs of every series stand in a directory, which need not exist."""
    elsewhere = renamed(wanted, directory)
    return [
        _status(wanted, series, series_directory(directory, series.labels), elsewhere.get(series.labels))
        for series in wanted.series
    ]


def leftovers(wanted: Wanted, directory: Path) -> list[Path]:
    """Return the directories of series that the spec does not ask for."""
    asked = {series_directory(directory, series.labels) for series in wanted.series} | {
        *renamed(wanted, directory).values()
    }
    return sorted(path.parent for path in directory.glob(ALL_SERIES) if path.parent not in asked)


def recorded_spec(directory: Path) -> Path:
    """Return the spec file that an experiment's manifest names. Raises UserError when it names none."""
    try:
        path = directory / read_json(directory / MANIFEST, MOST_BYTES_OF_A_MANIFEST)["spec_path"]
    except FileNotFoundError:
        raise UserError(f"{directory} is not the results of an experiment: it has no {MANIFEST}") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError("names no spec: say which one, `duelbench status SPEC`", source=str(directory)) from None
    if not path.is_file():
        raise UserError(f"its spec was {path}, which is gone: `duelbench status SPEC -o {directory}`")
    return Path(os.path.normpath(path))


def of_smoke(directory: Path) -> bool:
    """Tell whether the results in a directory, if it has any, are those of the small variant of their spec."""
    manifest = _manifest(directory)
    if "small" in manifest:
        return manifest["small"] is True
    executions = manifest.get("executions")  # of an earlier version, which did not say
    command = executions[-1].get("command") if isinstance(executions, list) and executions else ""
    return "--smoke" in str(command).split()


def recorded_way(directory: Path) -> str:
    """Return how the runs in a directory were played: ``interpreted``, ``checked``, or else the empty string."""
    for place in sorted(directory.glob(ALL_SERIES)):
        how = (read_record(place.parent) or {}).get("how", "")
        return how if how in ("interpreted", "checked") else ""
    return ""


def _manifest(directory: Path) -> dict[str, Any]:
    try:
        found = read_json(directory / MANIFEST, MOST_BYTES_OF_A_MANIFEST)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _status(wanted: Wanted, series: SeriesIdentity, place: Path, elsewhere: Path | None) -> SeriesStatus:
    notes = [f"in {elsewhere.parent.name}/{elsewhere.name}, which they leave"] if elsewhere else []
    place = elsewhere or place
    notes += [_first_line(place / REPLAY)] if (place / REPLAY).is_file() else []
    counts: Counter[State] = Counter()
    failures: Counter[str] = Counter()
    numbers = numbers_there(place)
    asked = scan_series(wanted, series, place).asked if wanted.until else wanted.numbers
    known = {number for number in [*numbers, *numbers_there(place, FAILED)] if number in asked}
    counts["missing"] = len(asked) - len(known)  # none of a million is looked for
    for number in sorted(known):
        path = place / run_file(number)
        state, _ = examine(path, series.key(number))
        counts[state] += 1
        if state == "failed":
            failures[_last_line(failure_of(path))] += 1
    beyond = sum(number not in asked for number in numbers)
    reasons = changes(read_record(place), series.record) if counts["stale"] else []
    found = {state: count for state, count in counts.items() if count}
    return SeriesStatus(series, found, (*notes, *reasons, *(line for line, _ in failures.most_common(3))), beyond)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline(LAST_BYTES).rstrip("\n")


def _last_line(path: Path) -> str:
    with path.open("rb") as file:  # its end: a traceback may be long, and a file without one longer
        file.seek(max(0, path.stat().st_size - LAST_BYTES))
        lines = file.read(LAST_BYTES).decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip() and not line.startswith(FIRST_WORDS)), "no traceback")
