"""Replaying one run of each series of a user's algorithm, which must give the same bytes.

Trial runs reject random numbers that do not come from ``rng``. The replay, in a new interpreter where possible, finds
other hidden inputs: a clock, the order of a set, state left by an earlier run. A series whose replay differs is left
out of the summary; its files stay, and a file in its directory says why. Every command repeats the replay until it
passes or the code has changed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from duelbench.compiling.hidden_inputs import other_inputs
from duelbench.experiment.plan import Plan
from duelbench.experiment.series import Series
from duelbench.experiment.trial.described import Described
from duelbench.results.files import Outcome, RunFiles
from duelbench.results.identity import Labels
from duelbench.results.scan import Scanned
from duelbench.results.writer import ResultWriter, note_replay, replay_differed


def unconfirmed(plan: Plan, scans: Iterable[Scanned], summarised: bool) -> list[Scanned]:
    """Return the series of users' algorithms of which a run must be replayed.

    These are the series with missing runs, those whose last replay differed, and those without a summary that shows
    that they passed.
    """
    return [
        each
        for each in scans
        if isinstance(plan.find(each.series.labels).algorithm.kind, Described)
        and (each.missing or not summarised or replay_differed(each.place))
    ]


class Replays:
    """Replays of the first finished run of each series; differences are reported to ``keeper``.

    ``rounds`` of ``total`` rounds of the whole execution have been played.
    """

    def __init__(self, plan: Plan, scans: Iterable[Scanned], keeper: ResultWriter) -> None:
        self._plan, self._keeper = plan, keeper
        self._bodies: dict[Labels, str] = {}
        self.scans = [found for each in scans if (found := self._first_finished(each))]
        self.rounds = keeper.rounds
        self.total = keeper.total + sum(each.series.rounds for each in self.scans)
        self._places = {each.series.labels: each.place for each in self.scans}

    def _first_finished(self, scanned: Scanned) -> Scanned | None:
        asked = self._keeper.execution.asked[scanned.series.labels]
        runs = RunFiles(scanned.series, scanned.place)
        for number in runs.numbers:
            if number in asked:
                state, body = runs.examine(number)
                if state == "done":
                    self._bodies[scanned.series.labels] = body
                    return Scanned(scanned.series, scanned.place, asked, array("I", [number]), None)
        return None

    def keep(self, labels: Labels, outcomes: Sequence[Outcome]) -> list[Scanned]:
        """Compare replayed runs with their files; return no further series."""
        series = self._plan.find(labels)
        for outcome in outcomes:
            place = self._places[labels]
            difference = _difference(self._bodies[labels], outcome)
            if difference:
                sentence = f"the replay of run {outcome.number} {difference}: {_cause(series)}"
                note_replay(place, f"{sentence}\n{outcome.text if outcome.failed else ''}")
                self._keeper.leave_out(labels, sentence)
            else:
                note_replay(place, None)
        self.rounds += len(outcomes) * series.rounds
        return []


def _difference(body: str, outcome: Outcome) -> str:
    if outcome.failed:
        return f"failed with {outcome.text.rstrip().rpartition(chr(10))[2]}"
    again = outcome.text.partition("\n")[2]
    for before, now in zip(body.splitlines(), again.splitlines(), strict=True):
        if before != now:
            t, _, was = before.partition(",")
            return f"differs from its file at t = {int(t):,} ({was}, now {now.partition(',')[2]})"
    return ""


def _cause(series: Series) -> str:
    kind = series.algorithm.kind
    assert isinstance(kind, Described)
    named = other_inputs(str(kind.path), kind.source_text, kind.class_name, kind.helpers)
    usual = "such as a clock, environment variables, a file, an address in memory or the order of a set"
    return f"it depends on something besides rng and the duels, {f'perhaps {named}' if named else usual}"
