"""Keeping what is played: the files of runs and failures, and the summary of every series that is complete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from duelbench.layout import RUNS_AND_FAILURES, SUMMARY_COLUMNS, UNFINISHED, failure_of, header, run_file
from duelbench.runs.files import failure_text
from duelbench.runs.manifest import Timings
from duelbench.runs.plan import Plan
from duelbench.runs.record import changes, read_record, record_of, write_record
from duelbench.runs.scan import Scanned, summarize
from duelbench.runs.series import Labels, Series
from duelbench.runs.summary import Final, SeriesSummary
from duelbench.runs.worker import Outcome
from duelbench.writing import write_whole


@dataclass
class Execution:
    """What an execution did; ``final`` tells the end of every series, by its labels."""

    kept: int = 0
    played: int = 0
    failures: list[Path] = field(default_factory=list)
    final: dict[Labels, Final] = field(default_factory=dict)
    timings: Timings = field(default_factory=dict)


class Keeper:
    """The results of an execution in their directory; ``execution`` and ``rounds`` say how far it is.

    ``before`` are the seconds of earlier executions. ``announce`` receives lines for the user.
    """

    def __init__(
        self,
        plan: Plan,
        directory: Path,
        scans: Sequence[Scanned],
        before: Timings,
        announce: Callable[[str], None],
    ) -> None:
        self.execution = Execution()
        self.rounds = 0
        self._plan = plan
        self._directory = directory
        self._announce = announce
        self._places = {each.series.labels: each.place for each in scans}
        self._open = {each.series.labels: len(each.missing) for each in scans}
        self._lines: dict[Labels, str] = {}
        for each in scans:
            labels, kept = each.series.labels, plan.runs - len(each.missing)
            known = before.get(labels.dataset, {}).get(labels.algorithm, [])
            timings = (known + [None] * plan.runs)[: plan.runs]
            self.execution.timings.setdefault(labels.dataset, {})[labels.algorithm] = timings
            self.execution.kept += kept
            self.rounds += kept * each.series.rounds
            if each.summary is not None:
                self._note(labels, each.summary)

    def begin(self, scanned: Scanned) -> None:
        """Record what determines the runs of a series, after removing those that something else determined."""
        place = scanned.place
        for torn in place.glob(UNFINISHED):
            torn.unlink()
        record, before = record_of(self._plan, scanned.series), read_record(place)
        if record == before:
            return
        there = list(place.glob(RUNS_AND_FAILURES))
        numbers = set(range(self._plan.runs)).difference(scanned.missing) if there else ()
        kept = {run_file(number) for number in numbers}
        stale = [path for path in there if path.name not in kept and not path.is_dir()]
        if stale:
            why = "; ".join(changes(before, record))
            self._announce(f"{place.relative_to(self._directory)}: {len(stale)} runs are stale ({why})")
        for path in stale:
            path.unlink()
        write_record(place, record)

    def keep(self, series: Series, outcomes: Sequence[Outcome]) -> None:
        """Write what came of some runs of a series, and make its summary if it is complete now."""
        labels = series.labels
        timings = self.execution.timings[labels.dataset][labels.algorithm]
        for outcome in outcomes:
            path = self._places[labels] / run_file(outcome.number)
            failure = failure_of(path)
            if outcome.failed:
                write_whole(failure, failure_text(outcome.key, outcome.text))
                path.unlink(missing_ok=True)
                self.execution.failures.append(failure)
            else:
                write_whole(path, outcome.text)
                failure.unlink(missing_ok=True)
                self.execution.played += 1
                timings[outcome.number] = round(outcome.seconds, 6)
        self.rounds += len(outcomes) * series.rounds
        self._open[labels] -= len(outcomes)
        if outcomes and not self._open[labels]:
            self._note(labels, summarize(self._plan, series, self._places[labels]))

    def summary(self) -> str:
        """Return the text of ``summary.csv``; every series must be complete."""
        lines = [self._lines[series.labels] for series in self._plan.series]
        return f"{header(SUMMARY_COLUMNS)}\n{''.join(lines)}"

    def _note(self, labels: Labels, summary: SeriesSummary) -> None:
        self._lines[labels] = summary.lines
        self.execution.final[labels] = summary.final
