"""Writing results: the files of runs and failures, the summaries of complete series, the tables and the manifest."""

import csv
import io
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duelbench.errors import UserError
from duelbench.files import write_whole
from duelbench.layout import (
    BOUNDS,
    BOUNDS_COLUMNS,
    DETECTION_COLUMNS,
    DETECTIONS,
    INSTANCE_COLUMNS,
    INSTANCES,
    MANIFEST,
    RUNS_AND_FAILURES,
    SUMMARY,
    SUMMARY_COLUMNS,
    SUMMARY_RANKED,
    SUMMARY_RECOMMENDATIONS,
    UNFINISHED,
    failure_of,
    header,
    run_file,
    run_number,
)
from duelbench.results.identity import Labels, SeriesIdentity, Wanted, changes, read_record, write_record
from duelbench.results.manifest import (
    Extremes,
    Manifest,
    Seconds,
    beginning,
    forget_shards,
    now,
    read_manifest,
    read_shards,
    seen_from,
    shard_of,
    write_manifest,
    write_shard,
)
from duelbench.results.run_files import Outcome, failure_text, numbers_there
from duelbench.results.scan import Scanned, scan_series
from duelbench.results.summary import Final, SeriesSummary
from duelbench.spec.resolved import ResolvedSpec
from duelbench.spec.yaml_file import Source

_Rows = Sequence[Sequence[str]]


@dataclass
class Execution:
    """The outcome of an execution; ``final`` has the final statistics of every series, by its labels.

    ``gone``: files of finished runs that another process removed or changed before the end. ``asked``: the run numbers
    of every series. ``seconds``: the durations of the runs of every series, including earlier executions.
    """

    reused: int = 0
    played: int = 0
    failures: list[Path] = field(default_factory=list)
    gone: list[Path] = field(default_factory=list)
    final: dict[Labels, Final] = field(default_factory=dict)
    seconds: dict[Labels, Seconds] = field(default_factory=dict)
    asked: dict[Labels, range | tuple[int, ...]] = field(default_factory=dict)


def replace_manifest(
    directory: Path,
    spec: ResolvedSpec,
    small: bool,
    source: Source,
    *,
    shards: bool = True,
) -> Manifest:
    """Return the manifest of a directory for this spec, with the records of earlier executions.

    The spec is in ``source``, perhaps its ``small`` variant. ``shards``: include the records of shards.
    """
    try:
        before = read_manifest(directory)
    except (FileNotFoundError, UserError):  # a manifest that cannot be read is replaced
        before = Manifest(spec={})
    for shard in read_shards(directory) if shards else ():
        if shard.executions and shard.executions[-1] in before.executions:
            continue  # an execution was killed before it removed the records
        before.executions += shard.executions
        for dataset, algorithm, seconds in shard.seconds:
            of = before.seconds.setdefault(dataset, {})
            of[algorithm] = of.get(algorithm, Seconds()) + seconds
    return before.model_copy(
        update={
            "spec": spec.model_dump(mode="json", exclude_none=True),
            "small": small,
            "spec_path": seen_from(directory, source.path),
            "spec_text": source.text,
            "extremes": {},
        }
    )


def write_bounds(directory: Path, rows: _Rows) -> None:
    """Write the table of the constants of bounds; without rows, remove it."""
    _write_table(directory / BOUNDS, BOUNDS_COLUMNS, rows)


def write_instances(directory: Path, rows: _Rows) -> None:
    """Write the table of the instances that were drawn for runs; without rows, remove it."""
    _write_table(directory / INSTANCES, INSTANCE_COLUMNS, rows)


def _write_table(path: Path, columns: Sequence[str], rows: _Rows) -> None:
    if not rows:
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    write_whole(path, text.getvalue())


def _store(place: Path, outcome: Outcome) -> Path | None:
    """Write the outcome of a run into the directory of its series; return the path of the record if it failed."""
    path = place / run_file(outcome.number)
    failure = failure_of(path)
    if outcome.failed:
        write_whole(failure, failure_text(outcome.key, outcome.text))
        path.unlink(missing_ok=True)
        return failure
    write_whole(path, outcome.text)
    failure.unlink(missing_ok=True)
    return None


class ShardWriter:
    """Writes the runs of a shard; ``rounds`` of ``total`` rounds are done."""

    def __init__(self, directory: Path, shard: tuple[int, int], scans: Sequence[Scanned]) -> None:
        self.execution = Execution()
        self.total = sum(len(each.asked) * each.series.rounds for each in scans)
        self.rounds = self.total - sum(len(each.missing) * each.series.rounds for each in scans)
        self.execution.reused = sum(len(each.asked) - len(each.missing) for each in scans)
        self._directory, self._shard = directory, shard
        self._scans = {each.series.labels: each for each in scans}
        self._record = shard_of(directory, *shard)
        self._took: dict[Labels, list[float]] = {}

    def begin_execution(self, backend: str, manifest: Manifest) -> None:
        """Record that an execution has started on this backend; write ``manifest.json`` if it is not of this spec."""
        (self._directory / SUMMARY).unlink(missing_ok=True)
        if not _is_of(self._directory, manifest):
            write_manifest(self._directory, manifest)
        self._record.executions.append({"shard": "{}/{}".format(*self._shard), **beginning(backend)})
        write_shard(self._directory, *self._shard, self._record)

    def end_execution(self) -> None:
        """Record that the execution has ended, successfully or not."""
        done = self.execution
        self._record.executions[-1] |= {
            "ended": now(), "played": done.played, "kept": done.reused, "failed": len(done.failures)
        }  # fmt: skip
        self._record.add({labels: Seconds.of(took) for labels, took in self._took.items()})
        write_shard(self._directory, *self._shard, self._record)

    def begin(self, scanned: Scanned) -> None:
        """Record what determines the runs of a series; shards replace their earlier runs one by one."""
        record = scanned.series.record
        if record != read_record(scanned.place):
            write_record(scanned.place, record)

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write the outcomes of some runs of a series; a shard never asks for further runs."""
        scanned = self._scans[labels]
        for outcome in outcomes:
            failure = _store(scanned.place, outcome)
            if failure is not None:
                self.execution.failures.append(failure)
            else:
                self.execution.played += 1
                self._took.setdefault(labels, []).append(outcome.seconds)
        self.rounds += len(outcomes) * scanned.series.rounds
        return []


def _is_of(directory: Path, manifest: Manifest) -> bool:
    """Return whether the manifest in a directory has the same spec."""
    try:
        return read_manifest(directory).spec == manifest.spec
    except (FileNotFoundError, UserError):
        return False


def _texts_before(directory: Path) -> tuple[str, dict[str, Any], str] | None:
    """Return the text of a manifest, what it says of the spec, and the text of the summary, if there are both."""
    try:
        manifest, summary = ((directory / name).read_text(encoding="utf-8") for name in (MANIFEST, SUMMARY))
        return manifest, read_manifest(directory).determined, summary
    except (OSError, ValueError, UserError):
        return None


def _constants(directory: Path) -> list[tuple[str, ...]]:
    """Return the rows of the table of bounds in a directory without their keys."""
    try:
        with (directory / BOUNDS).open(encoding="utf-8", newline="") as file:
            return [tuple(row[:-1]) for row in csv.reader(file)][1:]
    except (OSError, ValueError, csv.Error):
        return []


class ResultWriter:
    """Writes the results of an execution; ``rounds`` of ``total`` rounds are done.

    ``manifest`` is the result of ``replace_manifest``. ``announce`` receives messages for the user.
    """

    def __init__(
        self,
        wanted: Wanted,
        directory: Path,
        scans: Sequence[Scanned],
        announce: Callable[[str], None],
        manifest: Manifest,
    ) -> None:
        self.execution = Execution()
        self.rounds = self.total = 0
        self._wanted = wanted
        self._directory = directory
        self._announce = announce
        self._manifest = manifest
        self._series = {each.labels: each for each in wanted.series}
        self._places = {each.series.labels: each.place for each in scans}
        self._open = {each.series.labels: len(each.missing) for each in scans}
        self._failed = {each.series.labels: set[int]() for each in scans}
        self._took: dict[Labels, list[float]] = {}
        self._lines: dict[Labels, str] = {}
        self._detections: dict[Labels, str] = {}
        for each in scans:
            labels, finished = each.series.labels, len(each.asked) - len(each.missing)
            self.execution.seconds[labels] = manifest.seconds_of(labels) if finished else Seconds()
            self._ask(each)
            self.execution.reused += finished
            self.rounds += finished * each.series.rounds
            if each.summary is not None:
                self._note(labels, each.summary)
        self._before = None if self.execution.reused else _texts_before(directory)

    def retract(self) -> None:
        """Remove the summary, which must always agree with the runs."""
        (self._directory / SUMMARY).unlink(missing_ok=True)

    def begin_execution(self, backend: str) -> None:
        """Record in the manifest that an execution has started on this backend."""
        self._manifest.executions.append(beginning(backend))
        write_manifest(self._directory, self._manifest)

    def end_execution(self) -> None:
        """Record in the manifest that the execution has ended, successfully or not."""
        done = self.execution
        self._manifest.executions[-1] |= {
            "ended": now(), "played": done.played, "kept": done.reused, "failed": len(done.failures)
        }  # fmt: skip
        for labels, took in self._took.items():
            done.seconds[labels] += Seconds.of(took)
        self._took = {}
        for labels, seconds in done.seconds.items():
            self._manifest.seconds.setdefault(labels.dataset, {})[labels.algorithm] = seconds
        write_manifest(self._directory, self._manifest)

    def begin(self, scanned: Scanned) -> None:
        """Write the record of a series, after removing runs that do not match it."""
        place = scanned.place
        for torn in place.glob(UNFINISHED):
            torn.unlink()
        record, before = scanned.series.record, read_record(place)
        if record == before:
            return
        there = list(place.glob(RUNS_AND_FAILURES))
        outdated = [path for path in there if not self._done(scanned, path) and not path.is_dir()]
        if outdated:
            why = "; ".join(changes(before, record))
            self._announce(f"{place.relative_to(self._directory)}: {len(outdated)} runs are out of date ({why})")
        for path in outdated:
            path.unlink()
        write_record(place, record)

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write the outcomes of some runs of a series, and its summary if it is now complete.

        Returns the series that need more runs, as those so far are not precise enough.
        """
        series = self._series[labels]
        took = self._took.setdefault(labels, [])
        for outcome in outcomes:
            failure = _store(self._places[labels], outcome)
            if failure is not None:
                self.execution.failures.append(failure)
                self._failed[labels].add(outcome.number)
            else:
                self.execution.played += 1
                took.append(outcome.seconds)
        self.rounds += len(outcomes) * series.rounds
        self._open[labels] -= len(outcomes)
        if not outcomes or self._open[labels]:
            return []
        found = self._looked_at(series)
        return [] if found is None else [found]

    def _looked_at(self, series: SeriesIdentity) -> Scanned | None:
        """Store the summary of a series that has no open runs; return its state if it needs more runs."""
        labels, before = series.labels, len(self.execution.asked[series.labels])
        found = scan_series(self._wanted, series, self._places[labels], self._failed[labels])
        further = len(found.asked) - before
        if further:
            self._ask(found)
            self.execution.reused += further - len(found.missing)
            self.rounds += (further - len(found.missing)) * series.rounds
        if found.summary is not None:
            self._note(labels, found.summary)
            return None
        if further:
            self._open[labels] = len(found.missing)
            return found
        self.execution.gone += [found.place / run_file(number) for number in found.missing]
        return None

    def look_again(self) -> None:
        """Record files of complete series that have been removed since."""
        for labels in self._lines:
            place, failed = self._places[labels], self._failed[labels]
            asked = self.execution.asked[labels]
            there = {number for number in numbers_there(place) if number in asked} - failed
            if len(there) < len(asked) - len(failed):
                lost = (each for each in asked if each not in there and each not in failed)
                self.execution.gone += [place / run_file(number) for number in lost]

    def finish(self, bounds: _Rows, instances: _Rows) -> None:
        """Write the tables and the manifest, and last the summary, which marks the results as complete.

        If files of finished runs are gone, there is no summary.
        """
        done = self.execution
        detections = "".join(self._detections.get(series.labels, "") for series in self._wanted.series)
        if done.gone or not detections:
            (self._directory / DETECTIONS).unlink(missing_ok=True)
        else:
            write_whole(self._directory / DETECTIONS, f"{header(DETECTION_COLUMNS)}\n{detections}")
        taken: dict[str, dict[str, int]] = {}
        for labels, numbers in done.asked.items() if self._wanted.until else ():
            taken.setdefault(labels.dataset, {})[labels.algorithm] = len(numbers)
        self._manifest.spec["taken"] = taken
        self._manifest.extremes = {}
        for labels, final in done.final.items():
            ends = Extremes(best=final.best, worst=final.worst)
            self._manifest.extremes.setdefault(labels.dataset, {})[labels.algorithm] = ends
        summary = self._summary()
        write_instances(self._directory, instances)
        before = self._before
        if before and not done.gone and before[1:] == (self._manifest.determined, summary):
            # An exact repetition changes no file, although the keys of bounds may have changed.
            if _constants(self._directory) != [row[:-1] for row in bounds]:
                write_bounds(self._directory, bounds)
            write_whole(self._directory / MANIFEST, before[0])
        else:
            write_bounds(self._directory, bounds)
            write_manifest(self._directory, self._manifest)
        if done.gone:
            (self._directory / SUMMARY).unlink(missing_ok=True)
        else:
            write_whole(self._directory / SUMMARY, summary)
        forget_shards(self._directory)  # the manifest has them

    def _summary(self) -> str:
        lines = [self._lines.get(series.labels, "") for series in self._wanted.series]
        more = [
            *(SUMMARY_RECOMMENDATIONS if any(each.recommends for each in self._wanted.series) else ()),
            *(SUMMARY_RANKED if any(each.finds_order for each in self._wanted.series) else ()),
        ]
        return f"{header([*SUMMARY_COLUMNS, *more])}\n{''.join(lines)}"

    def _done(self, scanned: Scanned, path: Path) -> bool:
        number = run_number(path.name)
        if number is None or number not in scanned.asked:
            return False
        place = bisect_left(scanned.missing, number)
        return place == len(scanned.missing) or scanned.missing[place] != number

    def _ask(self, scanned: Scanned) -> None:
        """Store which runs of a series are asked for."""
        labels = scanned.series.labels
        before = len(self.execution.asked.get(labels, ()))
        self.execution.asked[labels] = scanned.asked
        self.total += (len(scanned.asked) - before) * scanned.series.rounds

    def _note(self, labels: Labels, summary: SeriesSummary) -> None:
        self._lines[labels] = summary.lines
        self._detections[labels] = summary.detections
        self.execution.final[labels] = summary.final
