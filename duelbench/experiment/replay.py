"""Replaying one run of each series of a user's algorithm, which must give the same bytes.

The trial rejects random numbers that do not come from ``rng``. The replay finds other hidden inputs: a clock, the order
of a set, state left by an earlier run. Workers and the process of the command, which replays, have different string
hashes. A series whose replay differs is left out of the summary; its files stay, and a file in its directory says why.
Every command repeats the replay until it passes or the code has changed.
"""

from __future__ import annotations

from collections.abc import Iterable

from duelbench.experiment.backends import Backend
from duelbench.experiment.plan import Plan
from duelbench.experiment.worker import Chunk
from duelbench.results.run_files import Outcome, RunFiles
from duelbench.results.scan import Scanned
from duelbench.results.writer import ResultWriter, note_replay, replay_differed

CAUSE = (
    "it depends on something besides rng and the duels, such as a clock, environment variables, a file, an address in "
    "memory or the order of a set"
)


def to_replay(plan: Plan, scans: Iterable[Scanned], summarised: bool) -> list[Scanned]:
    """Return the series of users' algorithms of which a run must be replayed.

    These are the series with missing runs, those whose last replay differed, and those without a summary that shows
    that they passed.
    """
    return [
        each
        for each in scans
        if plan.find(each.series.labels).algorithm.kind.source_text
        and (each.missing or not summarised or replay_differed(each.place))
    ]


def replay(plan: Plan, scans: Iterable[Scanned], writer: ResultWriter, backend: Backend, timeout: float | None) -> None:
    """Replay the first finished run of each series; the ``writer`` leaves out those that differ."""
    waiting, executor = [], backend.replays or backend.executor
    for scanned in scans:
        labels = scanned.series.labels
        found = _first_finished(scanned, writer.execution.asked[labels])
        if found is not None:
            number, body = found
            series = plan.find(labels)
            chunk = Chunk(series, (plan.run(series, number),))
            waiting.append((scanned, body, executor.submit(backend.play, chunk, timeout)))
    for scanned, body, task in waiting:
        (outcome,) = task.result()
        difference = _difference(body, outcome)
        if difference:
            sentence = f"the replay of run {outcome.number} {difference}: {CAUSE}"
            note_replay(scanned.place, f"{sentence}\n{outcome.text if outcome.failed else ''}")
            writer.leave_out(scanned.series.labels, sentence)
        else:
            note_replay(scanned.place, None)


def _first_finished(scanned: Scanned, asked: Iterable[int]) -> tuple[int, str] | None:
    """Return the number and the rows of the first finished run of a series."""
    runs = RunFiles(scanned.series, scanned.place)
    for number in runs.numbers:
        if number in asked:
            state, body = runs.examine(number)
            if state == "done":
                return number, body
    return None


def _difference(body: str, outcome: Outcome) -> str:
    if outcome.failed:
        return f"failed with {outcome.text.rstrip().rpartition(chr(10))[2]}"
    again = outcome.text.partition("\n")[2]
    for before, now in zip(body.splitlines(), again.splitlines(), strict=True):
        if before != now:
            t, _, was = before.partition(",")
            return f"differs from its file at t = {int(t):,} ({was}, now {now.partition(',')[2]})"
    return ""
