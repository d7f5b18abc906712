"""The results of an experiment in a directory: reading them, finding missing runs, writing what is played, status.

A shard is the share of an experiment that one of many jobs plays. All jobs write into one directory and take no lock,
since locks often do not work on shared file systems: the number of a run determines its shard, each run is a separate
file that is written atomically and has the same content on any machine, and no job removes or reads the files of
another. The last execution, without a shard, writes everything else.
"""

from __future__ import annotations

import csv
import io
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from duelbench.errors import UserError
from duelbench.files import why_not_writable, write_whole
from duelbench.layout import (
    ALL_SERIES,
    BOUNDS,
    BOUNDS_COLUMNS,
    DETECTION_COLUMNS,
    DETECTIONS,
    INSTANCE_COLUMNS,
    INSTANCES,
    MANIFEST,
    SUMMARY,
    header,
)
from duelbench.results.manifest import (
    Extremes,
    Manifest,
    Seconds,
    Unmet,
    beginning,
    now,
    read_manifest,
    seen_from,
    write_manifest,
)
from duelbench.results.runs import Outcome, SeriesRuns, SeriesStatus, changes
from duelbench.results.tables import Tables
from duelbench.spec.model import Spec, load, specified
from duelbench.spec.resolved import Labels, ResolvedSpec, Series
from duelbench.spec.yaml_file import parse

Rows = Sequence[Sequence[str]]


class Results(Tables):
    """The results in a directory, of the spec in their manifest or of a given one, to run it or to show its status.

    During an execution, ``rounds`` of ``total`` rounds are done; ``gone`` are finished runs whose files another process
    has changed.
    """

    def __init__(
        self, directory: Path, spec: ResolvedSpec | None = None, *, partial: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(directory, partial=partial)
        self.gone: list[Path] = []
        self._before: tuple[str, str] | None = None
        self.rounds = self.total = 0
        if spec is not None:
            self.ran = self.spec = spec

    # Its manifest

    @property
    def finished(self) -> bool:
        """Whether there is a summary of all runs."""
        return (self.directory / SUMMARY).is_file()

    @property
    def has_manifest(self) -> bool:
        """Whether there is a manifest."""
        return (self.directory / MANIFEST).is_file()

    @property
    def changed(self) -> int:
        """The time of the last change to the content of figures, as ``st_mtime_ns``."""
        tables = (self.directory / name for name in (MANIFEST, SUMMARY, BOUNDS))
        return max(each.stat().st_mtime_ns for each in tables if each.is_file())

    @property
    def version(self) -> str:
        """The version of duelbench in the last execution; empty if the manifest does not have it."""
        versions = (self.manifest.executions or [{}])[-1].get("versions")
        return str(versions.get("duelbench", "")) if isinstance(versions, dict) else ""

    @property
    def spec_file(self) -> Path | None:
        """The path of the spec file in the manifest, None if it has none; the file may be missing."""
        named = self.manifest.spec_path
        if named is None or "\0" in named:
            return None
        return Path(os.path.normpath(self.directory / named))

    def recorded_spec(self, *, smoke: bool = False) -> Spec:
        """Return the spec that was run: its file as it is now or, if that is missing, the recorded text.

        Returns the small variant with ``smoke``, or if the results are of one. Raises UserError if there is no spec.
        """
        path, smoke = self.spec_file, smoke or self.manifest.small
        if path is not None and path.is_file():
            return load(path, smoke=smoke)
        if not self.manifest.spec_text:
            raise UserError(
                f"the spec {'has no name' if path is None else f'was {path}, which is missing'}, and the manifest has "
                f"no copy of it: name it, as in `duelbench status SPEC -o {self.directory}` or `trace … --spec SPEC`",
                source=str(self.directory),
            )
        return specified(parse(self.manifest.spec_text, path or self.directory / MANIFEST), smoke=smoke)

    # An execution

    def open(self, mine: Callable[[int, int], bool] | None = None) -> list[SeriesRuns]:
        """Find out which runs are missing, and return the series that have some.

        ``mine(index of the series, number of the run)`` says whether a run belongs to the shard.
        """
        self._before = self._complete() if mine is None else None
        self.manifest = self._next_manifest()
        for index, runs in enumerate(self.runs.values()):
            if mine is None:
                runs.scan()
            else:
                runs.share(partial(mine, index))
            self._ask(runs, 0)
            runs.earlier = self.manifest.seconds_of(runs.series.labels) if runs.reused else Seconds()
        return [runs for runs in self.runs.values() if runs.missing]

    def _ask(self, runs: SeriesRuns, before: int) -> None:
        """Update the counts of runs after a scan; ``before`` is how many runs had been asked for until then."""
        more = len(runs.asked) - before
        runs.open = len(runs.missing)
        runs.reused += more - runs.open
        self.rounds += (more - runs.open) * runs.series.rounds
        self.total += more * runs.series.rounds

    def _complete(self) -> tuple[str, str] | None:
        """Return the texts of the manifest and of the summary if they belong to this spec, else None."""
        try:
            kept = read_manifest(self.directory)
            if (kept.spec_text, kept.spec) == (self.ran.written.source.text, self.ran.recorded()):
                return (self.directory / MANIFEST).read_text("utf-8"), (self.directory / SUMMARY).read_text("utf-8")
        except (OSError, UserError):
            pass
        return None

    def _next_manifest(self) -> Manifest:
        """Return the manifest of this spec, with the records of earlier executions."""
        try:
            before = read_manifest(self.directory)
        except (FileNotFoundError, UserError):  # a manifest that cannot be read is replaced
            before = Manifest(spec={})
        written = self.ran.written
        changed = {
            "spec": self.ran.recorded(),
            "small": written.small,
            "spec_path": seen_from(self.directory, written.source.path),
            "spec_text": written.source.text,
            "extremes": {},
        }
        return before.model_copy(update=changed)

    def begin(self, backend: str, *, alone: bool) -> None:
        """Remove the summary, which must always agree with the runs, and record that an execution has started.

        A shard is not ``alone``. All shards have the same manifest, so it writes one only if this spec has none yet.
        """
        (self.directory / SUMMARY).unlink(missing_ok=True)
        if alone:
            self._forget_replaced()
            waiting = ["/".join(labels) for labels, runs in self.runs.items() if runs.missing]
            part = {"series": waiting} if 0 < len(waiting) < len(self.runs) else {}
            self.manifest.executions.append(beginning(backend) | part)
        elif self.has_manifest and Results(self.directory).manifest.spec == self.manifest.spec:
            return
        write_manifest(self.directory, self.manifest)

    def _forget_replaced(self) -> None:
        """Remove the records of earlier executions that have no run left."""
        left = ["/".join(labels) for labels, runs in self.runs.items() if runs.reused]
        if len(left) == len(self.runs):
            return
        for each in self.manifest.executions:
            each["series"] = [name for name in left if name in each.get("series", left)]
        self.manifest.executions = [each for each in self.manifest.executions if each["series"]]

    def end(self) -> None:
        """Record in the manifest that the execution has ended, successfully or not."""
        counts = {"played": self.played, "kept": self.reused, "failed": len(self.failures)}
        self.manifest.executions[-1] |= {"ended": now(), **counts}
        for (dataset, algorithm), runs in self.runs.items():
            self.manifest.seconds.setdefault(dataset, {})[algorithm] = runs.seconds
        write_manifest(self.directory, self.manifest)

    @property
    def played(self) -> int:
        """The number of runs that the execution has played."""
        return sum(len(runs.took) for runs in self.runs.values())

    @property
    def reused(self) -> int:
        """The number of runs that were there before the execution."""
        return sum(runs.reused for runs in self.runs.values())

    @property
    def failures(self) -> list[Path]:
        """The records of the failures of the execution."""
        return [runs.failure(number) for runs in self.runs.values() for number in sorted(runs.failures)]

    def keep(self, labels: Labels, outcomes: Sequence[Outcome], *, alone: bool) -> list[SeriesRuns]:
        """Write outcomes of a series, and return the series, in a list, if it needs more runs.

        After its last run the series is summarised, or needs more runs if the mean is not precise enough. A shard, not
        ``alone``, checks neither: it knows only its own runs.
        """
        runs = self.runs[labels]
        runs.keep(outcomes)
        self.rounds += len(outcomes) * runs.series.rounds
        if not outcomes or runs.open or not alone:
            return []
        before = len(runs.asked)
        runs.scan()
        if len(runs.asked) == before:
            return []
        self._ask(runs, before)
        return [runs] if runs.missing else []

    def finish(self, bounds: Rows, instances: Rows, unmet: Unmet) -> None:
        """Write the tables and the manifest, and last the summary, which marks the results as complete.

        If files of finished runs are ``gone``, there is no summary.
        """
        taken: dict[str, dict[str, int]] = {}
        self.manifest.extremes, self.manifest.unmet = {}, {}
        for (dataset, algorithm), conditions in unmet.items():
            self.manifest.unmet.setdefault(dataset, {})[algorithm] = conditions
        for (dataset, algorithm), runs in self.runs.items():
            lost = runs.missing if runs.summary is None else sorted({*runs.asked}.difference(runs.numbers))
            self.gone += [runs.path(number) for number in lost if number not in runs.failures]
            if self.ran.until:
                taken.setdefault(dataset, {})[algorithm] = len(runs.asked)
            if runs.summary is not None:
                ends = Extremes(best=runs.summary.final.best, worst=runs.summary.final.worst)
                self.manifest.extremes.setdefault(dataset, {})[algorithm] = ends
        self.manifest.spec["taken"] = taken
        found = [runs.summary for runs in self.runs.values() if runs.summary is not None]
        detections = "".join(each.detections for each in found)
        self._write(DETECTIONS, f"{header(DETECTION_COLUMNS)}\n{detections}" if detections and not self.gone else "")
        self._write(INSTANCES, _csv(INSTANCE_COLUMNS, instances))
        self._write(BOUNDS, _csv(BOUNDS_COLUMNS, bounds))
        lines = "".join(each.lines for each in found)
        summary = "" if self.gone else f"{header(self._summary_columns)}\n{lines}"
        manifest, before = self._before or ("", None)
        if before == summary:
            write_whole(self.directory / MANIFEST, manifest)  # an exact repetition changes no file
        else:
            write_manifest(self.directory, self.manifest)
        self._write(SUMMARY, summary)

    def _write(self, name: str, text: str) -> None:
        """Write a table; without text, remove it."""
        if text:
            write_whole(self.directory / name, text)
        else:
            (self.directory / name).unlink(missing_ok=True)

    # Its status

    def status(self) -> list[SeriesStatus]:
        """Return the status of every series of the spec; the directory need not exist."""
        found = [runs.status() for runs in self.runs.values()]
        kept = Results(self.directory)
        if not kept.finished or any(each.counts.keys() - {"missing"} for each in found):
            return found
        try:
            return [_summarised(each, kept) for each in found]
        except UserError:  # the summary cannot be read
            return found

    def leftovers(self) -> list[Path]:
        """Return the directories of series that the spec lacks, not even under another label."""
        asked = {runs.place for runs in self.runs.values()} | {*self._renamed().values()}
        there = sorted(path.parent for path in self.directory.glob(ALL_SERIES))
        return [place for place in there if not {place, place.parent} & asked]

    def how_to_rename(self) -> list[str]:
        """Return, for each directory whose label has changed, a line with the command that renames it."""
        return [
            f"{place.relative_to(self.directory)} is a new label; to keep the runs of the old one: "
            + shlex.join(["mv", str(source), str(place)])
            for place, source in self._renamed().items()
        ]

    def _renamed(self) -> dict[Path, Path]:
        """Map the missing directory of each relabelled series to the existing directory of its runs.

        If the label of the dataset is new, map the directories of the dataset. A directory has the runs of a series if
        their records are equal, unless it already belongs to another series under its own label.
        """
        places = sorted(path.parent for path in self.directory.glob(ALL_SERIES))
        there = {place: SeriesRuns(next(iter(self.runs.values())).series, place).record for place in places}
        new = []
        for runs in self.runs.values() if there else ():
            if there.get(runs.place) == runs.series.record:
                del there[runs.place]
            elif not runs.place.exists():
                new.append(runs)
        found: dict[Path, Path] = {}
        for runs in new:
            source = next((place for place, record in there.items() if record == runs.series.record), None)
            if source is not None:
                del there[source]
                if runs.place.parent.exists():
                    found[runs.place] = source
                else:
                    found[runs.place.parent] = source.parent
        return found


def _summarised(status: SeriesStatus, kept: Results) -> SeriesStatus:
    """Return the status of a series of which only the summary was kept."""
    labels = status.series.labels
    runs = int(max(kept.series_runs(labels), default=0))
    if not runs or labels not in kept.runs:
        return status
    then = kept.runs[labels].series
    return replace(status, summarised=runs, reasons=tuple(differences(then, status.series)))


def differences(then: Series, now: Series) -> list[str]:
    """Return the differences between a series in a manifest and in a plan."""
    before, after = (
        {**each.record, "runs": each.spec.runs, "until": each.spec.until and each.spec.until.model_dump()}
        for each in (then, now)
    )
    return changes(before, after)


def _csv(columns: Sequence[str], rows: Rows) -> str:
    """Return a table as text; empty without rows."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *rows] if rows else [])
    return text.getvalue()


def prepare(directory: Path) -> None:
    """Create the directory of an experiment. Raises UserError if it cannot be created or written to."""
    if why := why_not_writable(directory):
        raise UserError(f"cannot write to {directory} ({why}): choose another place with -o")
