"""Keeping what is played: the files of runs and failures, and the summary of every series that is complete."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from duelbench.layout import (
    DETECTION_COLUMNS,
    REPLAY,
    RUNS_AND_FAILURES,
    SUMMARY_COLUMNS,
    SUMMARY_RECOMMENDATIONS,
    UNFINISHED,
    failure_of,
    header,
    run_file,
    run_number,
)
from duelbench.results.files import Outcome, failure_text, numbers_there
from duelbench.results.identity import Labels, SeriesIdentity, Wanted
from duelbench.results.manifest import Timings
from duelbench.results.precision import others
from duelbench.results.record import changes, read_record, write_record
from duelbench.results.scan import Scanned, scan_series
from duelbench.results.summary import Final, SeriesSummary
from duelbench.writing import write_whole


@dataclass
class Execution:
    """What an execution did; ``final`` tells the end of every series, by its labels.

    ``gone``: files of runs that were finished, and then removed or changed by somebody else before the end. ``asked``:
    the numbers of the runs of every series, by its labels. ``irreproducible``: the series that are left out of the
    summary, by their labels, and why.
    """

    kept: int = 0
    played: int = 0
    failures: list[Path] = field(default_factory=list)
    gone: list[Path] = field(default_factory=list)
    final: dict[Labels, Final] = field(default_factory=dict)
    timings: Timings = field(default_factory=dict)
    asked: dict[Labels, range | tuple[int, ...]] = field(default_factory=dict)
    irreproducible: dict[Labels, str] = field(default_factory=dict)


def store(place: Path, outcome: Outcome) -> Path | None:
    """Write what came of a run into the directory of its series; return the record of its failure if it has failed."""
    path = place / run_file(outcome.number)
    failure = failure_of(path)
    if outcome.failed:
        write_whole(failure, failure_text(outcome.key, outcome.text))
        path.unlink(missing_ok=True)
        return failure
    write_whole(path, outcome.text)
    failure.unlink(missing_ok=True)
    return None


class ResultWriter:
    """The results of an execution in their directory; ``execution`` and ``rounds``, of ``total``, say how far it is.

    ``before`` are the seconds of earlier executions. ``announce`` receives lines for the user.
    """

    def __init__(
        self,
        wanted: Wanted,
        directory: Path,
        scans: Sequence[Scanned],
        before: Timings,
        announce: Callable[[str], None],
    ) -> None:
        self.execution = Execution()
        self.rounds = self.total = 0
        self._wanted = wanted
        self._directory = directory
        self._announce = announce
        self._series = {each.labels: each for each in wanted.series}
        self._places = {each.series.labels: each.place for each in scans}
        self._open = {each.series.labels: len(each.missing) for each in scans}
        self._failed = {each.series.labels: set[int]() for each in scans}
        self._lines: dict[Labels, str] = {}
        self._detections: dict[Labels, str] = {}
        for each in scans:
            labels, kept = each.series.labels, len(each.asked) - len(each.missing)
            known = before.get(labels.dataset, {}).get(labels.algorithm, [])
            self.execution.timings.setdefault(labels.dataset, {})[labels.algorithm] = list(known)
            self._ask(each)
            self.execution.kept += kept
            self.rounds += kept * each.series.rounds
            if each.summary is not None:
                self._note(labels, each.summary)

    def begin(self, scanned: Scanned) -> None:
        """Record what determines the runs of a series, after removing those that something else determined."""
        place = scanned.place
        for torn in place.glob(UNFINISHED):
            torn.unlink()
        record, before = scanned.series.record, read_record(place)
        if record == before:
            return
        there = list(place.glob(RUNS_AND_FAILURES))
        stale = [path for path in there if not self._done(scanned, path) and not path.is_dir()]
        if stale:
            why = "; ".join(changes(before, record))
            self._announce(f"{place.relative_to(self._directory)}: {len(stale)} runs are stale ({why})")
        for path in [*stale, *place.glob(REPLAY)]:
            path.unlink()
        write_record(place, record)

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Write what came of some runs of a series, and make its summary if it is complete now.

        Returns the series of which further runs are asked for, as those so far were not enough.
        """
        series = self._series[labels]
        timings = self.execution.timings[labels.dataset][labels.algorithm]
        for outcome in outcomes:
            failure = store(self._places[labels], outcome)
            if failure is not None:
                self.execution.failures.append(failure)
                self._failed[labels].add(outcome.number)
            else:
                self.execution.played += 1
                timings[outcome.number] = round(outcome.seconds, 6)
        self.rounds += len(outcomes) * series.rounds
        self._open[labels] -= len(outcomes)
        if not outcomes or self._open[labels]:
            return []
        closed = [each for each in others(self._wanted, series) if not self._open[each.labels]]
        found = [self._looked_at(each) for each in [series, *closed]]
        return [each for each in found if each is not None]

    def _looked_at(self, series: SeriesIdentity) -> Scanned | None:
        """Note the summary of a series none of whose runs is open; return it if further ones are asked for."""
        labels, before = series.labels, len(self.execution.asked[series.labels])
        found = scan_series(self._wanted, series, self._places[labels], self._failed[labels])
        further = len(found.asked) - before
        if further:
            self._ask(found)
            self.execution.kept += further - len(found.missing)
            self.rounds += (further - len(found.missing)) * series.rounds
        if found.summary is not None:
            self._note(labels, found.summary)
            return None
        if further:
            self._open[labels] = len(found.missing)
            self._lines.pop(labels, None)
            return found
        self.execution.gone += [found.place / run_file(number) for number in found.missing]
        return None

    def leave_out(self, labels: Labels, why: str) -> None:
        """Take a series out of the summary, as its runs cannot be repeated; their files stay."""
        self.execution.irreproducible[labels] = why
        self._note(labels, SeriesSummary("", Final(0, math.nan, math.nan)))

    def look_again(self) -> None:
        """Note the files that are gone by now: those of a series that was complete need not be there at the end."""
        for labels in self._lines:
            place, failed = self._places[labels], self._failed[labels]
            asked = self.execution.asked[labels]
            there = {number for number in numbers_there(place) if number in asked} - failed
            if len(there) < len(asked) - len(failed):
                lost = (each for each in asked if each not in there and each not in failed)
                self.execution.gone += [place / run_file(number) for number in lost]

    def summary(self) -> str:
        """Return the text of ``summary.csv``; every series must be complete, and nothing gone."""
        lines = [self._lines[series.labels] for series in self._wanted.series]
        more = SUMMARY_RECOMMENDATIONS if any(each.recommends for each in self._wanted.series) else ()
        return f"{header([*SUMMARY_COLUMNS, *more])}\n{''.join(lines)}"

    def detections(self) -> str | None:
        """Return the text of ``detections.csv``, complete; None where no algorithm looks for changes."""
        lines = "".join(self._detections.get(series.labels, "") for series in self._wanted.series)
        return f"{header(DETECTION_COLUMNS)}\n{lines}" if lines else None

    def _done(self, scanned: Scanned, path: Path) -> bool:
        number = run_number(path.name)
        if number is None or number not in scanned.asked:
            return False
        place = bisect_left(scanned.missing, number)
        return place == len(scanned.missing) or scanned.missing[place] != number

    def _ask(self, scanned: Scanned) -> None:
        """Note which runs of a series are asked for."""
        labels = scanned.series.labels
        before = len(self.execution.asked.get(labels, ()))
        self.execution.asked[labels] = scanned.asked
        self.total += (len(scanned.asked) - before) * scanned.series.rounds
        timings, size = self.execution.timings[labels.dataset][labels.algorithm], scanned.asked[-1] + 1
        timings[:] = (timings + [None] * size)[:size]

    def _note(self, labels: Labels, summary: SeriesSummary) -> None:
        self._lines[labels] = summary.lines
        self._detections[labels] = summary.detections
        self.execution.final[labels] = summary.final
