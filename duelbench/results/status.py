"""The state of the runs of a spec: done, missing, out of date, damaged or failed, and why."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from duelbench.errors import UserError
from duelbench.layout import FIRST_WORDS
from duelbench.results.identity import SeriesIdentity, Wanted, changes, read_record, summarised_record
from duelbench.results.reader import Results
from duelbench.results.run_files import RunFiles, State, series_directory
from duelbench.results.scan import renamed, scan_series

_LAST_BYTES = 1 << 14
"""The last line of the record of a failure is searched in this many bytes at its end."""


@dataclass(frozen=True)
class SeriesStatus:
    """The number of runs in each state; ``reasons`` say why runs are out of date, and how runs failed.

    ``beyond``: the number of runs that the spec no longer asks for, which are not counted. ``summarised``: the number
    of runs in the summary if the files of runs were not kept; ``reasons`` then say why the summary is out of date.
    """

    series: SeriesIdentity
    counts: dict[State, int]
    reasons: tuple[str, ...]
    beyond: int
    summarised: int = 0


def status(wanted: Wanted, directory: Path) -> list[SeriesStatus]:
    """Return the state of the runs of every series in a directory, which need not exist."""
    found = [_status(wanted, series, series_directory(directory, series.labels)) for series in wanted.series]
    results = Results(directory)
    if not results.finished or any(each.counts.keys() - {"missing"} for each in found):
        return found
    try:
        return [_summarised(each, results, wanted) for each in found]
    except UserError:  # the summary cannot be read
        return found


def _summarised(status: SeriesStatus, results: Results, wanted: Wanted) -> SeriesStatus:
    """Return the status of a series from the summary and the manifest."""
    labels = status.series.labels
    runs = int(max(results.series_runs(labels), default=0))
    if not runs:
        return status
    then, now = summarised_record(results.spec, labels, status.series.record), dict(status.series.record)
    for record, number, until in (
        (then, results.spec.runs, results.spec.until),
        (now, len(wanted.numbers), wanted.until),
    ):
        record |= {"runs": number, "until": until and until.model_dump()}
    return replace(status, summarised=runs, reasons=tuple(changes(then, now)))


def leftovers(wanted: Wanted, directory: Path) -> list[Path]:
    """Return the directories of series that the spec does not ask for, by any label."""
    asked = {series_directory(directory, series.labels) for series in wanted.series}
    asked |= {*renamed(wanted, directory).values()}
    return [place for place in Results(directory).series_directories() if not {place, place.parent} & asked]


def _status(wanted: Wanted, series: SeriesIdentity, place: Path) -> SeriesStatus:
    runs = RunFiles(series, place)
    counts: Counter[State] = Counter()
    failures: Counter[str] = Counter()
    numbers = runs.numbers
    asked = scan_series(wanted, series, runs.place).asked if wanted.until else wanted.numbers
    known = {number for number in [*numbers, *runs.failed] if number in asked}
    counts["missing"] = len(asked) - len(known)  # without a loop over up to a million runs
    for number in sorted(known):
        state, _ = runs.examine(number)
        counts[state] += 1
        if state == "failed":
            failures[_last_line(runs.failure(number))] += 1
    beyond = sum(number not in asked for number in numbers)
    reasons = changes(read_record(runs.place), series.record) if counts["out of date"] else []
    found = {state: count for state, count in counts.items() if count}
    return SeriesStatus(series, found, (*reasons, *(line for line, _ in failures.most_common(3))), beyond)


def _last_line(path: Path) -> str:
    with path.open("rb") as file:  # only the end, as a traceback may be long
        file.seek(max(0, path.stat().st_size - _LAST_BYTES))
        lines = file.read(_LAST_BYTES).decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip() and not line.startswith(FIRST_WORDS)), "no traceback")
