"""The runs of a series on disk: their text, their state, what determined them, and whether they are enough.

If the variance is finite, a rule that adds runs until the standard error is small gives confidence intervals with
asymptotically correct coverage (Chow & Robbins, On the asymptotic theory of fixed-width sequential confidence intervals
for the mean, Annals of Mathematical Statistics 36, 1965, 457–462). If rare runs have a large regret, however, it stops
too early, before such a run has occurred; ``summary.heavy_tailed`` detects this.
"""

import json
import math
import os
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from duelbench.files import read_json, regular, write_whole
from duelbench.layout import (
    FAILED,
    FINISHED,
    FIRST_WORDS,
    RUNS_AND_FAILURES,
    SERIES,
    UNFINISHED,
    failure_of,
    run_file,
    run_number,
)
from duelbench.results.manifest import Seconds
from duelbench.results.summary import Runs, SeriesSummary
from duelbench.spec.resolved import Numbers, Series, digest_of
from duelbench.versions.record import EDITED


class Noticed(NamedTuple):
    """The numbers of ``detected`` and ``missed`` changes and of ``false_alarms``, and the mean ``delay``.

    A change is detected by the first alarm from its round on and before the next change. All other alarms are false: a
    second one in a segment, or one before the first change. A change is missed if there is no alarm before the next
    change or the end of the run. The delay is the number of rounds with the new matrix up to the alarm, including the
    round of the alarm, so it is at least 1; None if no change is detected.
    """

    detected: int
    missed: int
    false_alarms: int
    delay: float | None


class Recommended(NamedTuple):
    """The ``arm`` recommended after ``votes`` votes, by its number in the dataset.

    ``simple``: its simple regret of each kind, which is the regret of one duel against itself. ``judged``: the measures
    ``RANKED`` of the order that begins with it, where an order is the goal.
    """

    votes: int
    arm: int
    simple: list[float]
    judged: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Row:
    """The cumulative ``regret`` of each kind at round, or vote, ``t``.

    ``declared``: the rounds, or votes, before the declaration, and for each kind of regret whether it is right: the arm
    has no regret; the order is right, if that is the goal; or the declaration is true, if the algorithm may declare
    that there is no Condorcet winner. Declarations are judged by the preferences of the last round, recommended arms by
    those of round ``t``. ``noticed``: the detections of an algorithm that looks for changes.
    """

    t: int
    regret: list[float]
    declared: tuple[int, tuple[bool, ...]] | None
    recommended: Recommended | None = None
    noticed: Noticed | None = None


State = Literal["done", "missing", "out of date", "damaged", "failed"]


@dataclass(frozen=True)
class Outcome:
    """A finished run: the text of its file or of the record of its failure, and its duration in seconds."""

    number: int
    text: str
    failed: bool
    seconds: float


def run_text(key: str, columns: list[str], rows: list[Row]) -> str:
    """Return the text of a run's file; numbers have the shortest form that reads back as the same float."""
    lines = [",".join(columns)]
    for row in rows:
        cells = [str(row.t), *map(repr, row.regret)]
        if row.recommended is not None:
            votes, arm, simple, judged = row.recommended
            cells += [str(votes), str(arm), *map(repr, simple)]
            if judged is not None:
                cells += [*map(repr, judged[:-1]), str(int(judged[-1]))]
        if row.declared is not None and row.declared[0] <= row.t:
            cells += [str(row.declared[0]), *(str(int(right)) for right in row.declared[1])]
        if row.noticed is not None:
            *counts, delay = row.noticed
            last = [*map(str, counts), "" if delay is None else repr(delay)]
            cells += [""] * (len(columns) - len(cells) - len(last)) + last
        lines.append(",".join(cells + [""] * (len(columns) - len(cells))))
    body = "\n".join(lines) + "\n"
    return f"{FIRST_WORDS}{key} {_checksum(body)}\n{body}"


def failure_text(key: str, traceback: str) -> str:
    """Return the text of the record of a failure."""
    return f"{FIRST_WORDS}{key}\n{traceback}"


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


@dataclass(frozen=True)
class SeriesStatus:
    """The number of runs in each state; ``reasons`` say why runs are out of date, and how runs failed.

    ``beyond``: the number of runs that the spec no longer asks for, which are not counted. ``summarised``: the number
    of runs in the summary if the files of runs were not kept; ``reasons`` then say why the summary is out of date.
    """

    series: Series
    counts: dict[State, int]
    reasons: tuple[str, ...]
    beyond: int
    summarised: int = 0


class SeriesRuns:
    """The runs of a series in its directory ``place``, which need not exist, and their progress in an execution.

    ``scan`` finds out what is ``asked`` for and ``missing``, and summarises complete series. An execution that plays
    the missing runs adds the numbers of those that failed to ``failures``, and the seconds of the others to ``took``.
    ``open`` counts runs that have not ended, ``reused`` runs that existed before and took the ``earlier`` seconds.
    """

    def __init__(self, series: Series, place: Path) -> None:
        self.series, self.place = series, place
        self.asked: Numbers = series.numbers
        self.missing: Sequence[int] = ()
        self.summary: SeriesSummary | None = None
        self.open = self.reused = 0
        self.failures: set[int] = set()
        self.took: list[float] = []
        self.earlier = Seconds()

    def path(self, number: int) -> Path:
        """Return the path of the file of a run."""
        return self.place / run_file(number)

    def failure(self, number: int) -> Path:
        """Return the path of the record of a run's failure."""
        return failure_of(self.path(number))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the runs that have a file, in order."""
        return _numbers_there(self.place, FINISHED)

    @property
    def record(self) -> dict[str, Any] | None:
        """The record of what determined the runs on disk; None if it is missing or unreadable."""
        try:
            record = read_json(self.place / SERIES)
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) else None

    @cached_property
    def _wider(self) -> str | None:
        """The digest of the runs on disk if they have all rows of this series and others, else None."""
        record = self.record
        if record is None or record == self.series.record or not self.series.is_part_of(record):
            return None
        return digest_of(record)

    def examine(self, number: int) -> tuple[State, str]:
        """Return the state of a run and, if it is done, the text after the first line of its file.

        The text has only the rows of this series, even if the file has others. ``out of date``: the run in the file has
        another key. ``damaged``: the content is not what was written, for example after a power failure. ``failed``:
        there is a record of a failure with this key.
        """
        path, key = self.path(number), self.series.key(number)
        try:
            text = regular(path).read_bytes().decode()
        except FileNotFoundError:
            return ("failed" if _begins_with(failure_of(path), f"{FIRST_WORDS}{key}\n") else "missing"), ""
        except (OSError, UnicodeDecodeError):
            return "damaged", ""
        header, _, body = text.partition("\n")
        if header == f"{FIRST_WORDS}{key} {_checksum(body)}":
            return "done", body
        if self._wider and header == f"{FIRST_WORDS}{self.series.key(number, self._wider)} {_checksum(body)}":
            asked, (columns, *lines) = {*map(str, self.series.rows)}, body.splitlines(keepends=True)
            return "done", columns + "".join(line for line in lines if line.partition(",")[0] in asked)
        other = header.startswith(FIRST_WORDS) and not header.startswith(f"{FIRST_WORDS}{key}")
        return ("out of date" if other else "damaged"), ""

    def done(self, numbers: Numbers) -> Iterator[tuple[int, str]]:
        """Yield the number and the text, after the first line of the file, of each of these runs that is done."""
        for number in self.numbers:
            if number in numbers:
                state, body = self.examine(number)
                if state == "done":
                    yield number, body

    def scan(self) -> None:
        """Find out which runs are asked for, and which of them lack an intact file with their key.

        With ``until``, more runs are asked for while those so far are complete but not precise enough. Runs that failed
        in this execution are not missing. Raises UserError if a file with the right key and checksum does not contain
        the numbers of a run.
        """
        for asked in self.series.spec.batches:
            self.asked = asked
            self._look()
            if self.summary is None or not self.lacks_precision:
                break

    def _look(self) -> None:
        there = [number for number in self.numbers if number in self.asked and number not in self.failures]
        if not there and not self.failures:  # avoids a loop over up to a million runs
            self.missing, self.summary = self.asked, None
            return
        complete = len(there) == len(self.asked) - sum(number in self.asked for number in self.failures)
        summed, done = Runs(self.series, self.series.columns, len(there)) if complete else None, set[int]()
        for number in there:
            state, body = self.examine(number)
            if state != "done":
                summed = None
                continue
            done.add(number)
            if summed is not None:  # each file is parsed once: here, or when the series is complete
                summed.add(self.path(number), body)
        self.missing = array("I", (each for each in self.asked if each not in done))
        self.summary = summed.summary() if summed is not None else None

    @property
    def lacks_precision(self) -> bool:
        """Whether the standard error of the mean exceeds its target. False if all runs failed: more would fail, too."""
        until = self.series.spec.until
        if until is None or self.summary is None or not self.summary.final.runs:
            return False
        final = self.summary.final
        return not (final.runs > 1 and final.std / math.sqrt(final.runs) <= until.until * abs(final.mean))

    def share(self, mine: Callable[[int], bool]) -> None:
        """Ask for the runs of a shard only; other jobs play the others."""
        if self.series.spec.until:
            self.scan()
        self.asked, self.summary = tuple(filter(mine, self.asked)), None
        self.missing = array("I", (number for number in self.asked if self.examine(number)[0] != "done"))

    @property
    def seconds(self) -> Seconds:
        """How long the runs took."""
        return self.earlier + Seconds.of(self.took)

    def begin(self, announce: Callable[[str], None] | None) -> None:
        """Write the record of the series, after removing runs that do not match it.

        ``announce`` receives a line about removed runs. It is None for a shard, which replaces its runs one by one.
        """
        before, now = self.record, self.series.record
        if announce is not None:
            for torn in self.place.glob(UNFINISHED):
                torn.unlink()
        if before == now or (self._wider and self.reused):
            return
        if announce is not None:
            kept = {*self.asked} - {*self.missing}
            outdated = [path for path in self.place.glob(RUNS_AND_FAILURES)
                        if run_number(path.name) not in kept and not path.is_dir()]  # fmt: skip
            if outdated:
                why = "; ".join(changes(before, now))
                announce(f"{'/'.join(self.series.labels)}: {len(outdated)} runs are out of date ({why})")
            for path in outdated:
                path.unlink()
        write_whole(self.place / SERIES, json.dumps(now, indent=1, ensure_ascii=False) + "\n")

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Write the outcomes of some runs."""
        for outcome in outcomes:
            path, failure = self.path(outcome.number), self.failure(outcome.number)
            if outcome.failed:
                write_whole(failure, outcome.text)
                path.unlink(missing_ok=True)
                self.failures.add(outcome.number)
            else:
                write_whole(path, outcome.text)
                failure.unlink(missing_ok=True)
                self.took.append(outcome.seconds)
        self.open -= len(outcomes)

    def status(self) -> SeriesStatus:
        """Return how many runs are in each state, and why."""
        counts: Counter[State] = Counter()
        failures: Counter[str] = Counter()
        if self.series.spec.until:
            self.scan()
        numbers = self.numbers
        known = {number for number in [*numbers, *_numbers_there(self.place, FAILED)] if number in self.asked}
        counts["missing"] = len(self.asked) - len(known)  # avoids a loop over up to a million runs
        for number in sorted(known):
            state, _ = self.examine(number)
            counts[state] += 1
            if state == "failed":
                failures[_last_line(self.failure(number))] += 1
        beyond = sum(number not in self.asked for number in numbers)
        reasons = changes(self.record, self.series.record) if counts["out of date"] else []
        found = {state: count for state, count in counts.items() if count}
        return SeriesStatus(self.series, found, (*reasons, *(line for line, _ in failures.most_common(3))), beyond)


def _numbers_there(place: Path, suffix: str) -> list[int]:
    try:
        with os.scandir(place) as entries:
            run_numbers = [run_number(entry.name, suffix) for entry in entries]
    except OSError:  # missing or unreadable; if it cannot be written either, writing reports that
        return []
    return sorted(number for number in run_numbers if number is not None)


def _begins_with(path: Path, words: str) -> bool:
    try:
        with regular(path).open("rb") as file:
            return file.read(len(words)) == words.encode()
    except OSError:
        return False


def changes(before: dict[str, Any] | None, now: dict[str, Any]) -> list[str]:
    """Return the differences between two records as text: ``alpha 0.51 → 0.6``, ``code of kernels.ucb``."""
    if before is None:
        return ["their record is missing"]
    differences = []
    for name in dict.fromkeys([*now, *before]):
        old, new = before.get(name), now.get(name)
        if old == new or name == "checkpoints":  # equal, or implied by the rows
            continue
        if name == "rows":
            differences.append(_change_of_rounds(before, now))
        elif name == "code":
            differences += _code_changes(old if isinstance(old, dict) else {}, new or {})
        elif isinstance(old, dict) and isinstance(new, dict):
            differences += [_change(each, old.get(each), new.get(each)) for each in dict.fromkeys([*new, *old])
                            if old.get(each) != new.get(each)]  # fmt: skip
        else:
            differences.append(_change(name, old, new))
    return differences


def _change_of_rounds(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Describe a difference in the rounds t of rows by the spec key that sets them."""
    (*_, old), (*_, new) = (each.get("rows") or [None] for each in (before, now))
    if not (before.get("checkpoints") and now.get("checkpoints")):
        return _change("horizons", before.get("rows"), now.get("rows"))
    return _change("budget" if now.get("count") == "votes" else "horizon", old, new) if old != new else "checkpoints"


def _code_changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [_code_change(name, old.get(name), new.get(name)) for name in sorted({*old, *new})
            if old.get(name) != new.get(name)]  # fmt: skip


def _code_change(name: str, old: Any, new: Any) -> str:
    if EDITED in str(new):
        return f"{name} edited: it may play other paths"
    if EDITED in str(old):
        return f"{name} was edited when they were played"
    if name.startswith("its "):
        return f"code of {name}"
    return _change(f"version of {name}" if str(old or new).isdecimal() else name, old, new)


def _change(name: str, old: Any, new: Any) -> str:
    shown = [json.dumps(each, ensure_ascii=False) if each is not None else "none" for each in (old, new)]
    return f"{name} {' → '.join(shown)}" if len("".join(shown)) <= 60 and name != "matrix" else name


_LAST_BYTES = 1 << 14
"""Size of the end of a failure record in which its last line is searched."""


def _last_line(path: Path) -> str:
    with path.open("rb") as file:  # only the end, as a traceback may be long
        file.seek(max(0, path.stat().st_size - _LAST_BYTES))
        lines = file.read(_LAST_BYTES).decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip() and not line.startswith(FIRST_WORDS)), "no traceback")
