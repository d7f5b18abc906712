"""The files of runs: their rows, their text and their state. ``duelbench.layout`` defines their paths."""

import os
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.files import MOST_BYTES, regular
from duelbench.layout import FAILED, FINISHED, FIRST_WORDS, failure_of, run_file, run_number
from duelbench.results.identity import Labels, SeriesIdentity


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

    ``declared``: the rounds, or votes, before the algorithm declared a winner, and for each kind of regret whether that
    arm has none; for an algorithm that may declare that there is no Condorcet winner, whether its declaration is true.
    A declaration is judged by the preferences of the last round, and a recommended arm, if there is one, by those of
    round ``t``. ``noticed``: the detections of an algorithm that looks for changes.
    """

    t: int
    regret: list[float]
    declared: tuple[int, tuple[bool, ...]] | None
    recommended: Recommended | None = None
    noticed: Noticed | None = None


State = Literal["done", "missing", "out of date", "damaged", "failed"]


@dataclass(frozen=True)
class Outcome:
    """A finished run: the text of its file or the traceback of its failure, and its duration in seconds."""

    number: int
    key: str
    text: str
    failed: bool
    seconds: float


def series_directory(directory: Path, labels: Labels) -> Path:
    """Return the directory of the runs of a series."""
    return directory.joinpath(*labels)


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
class RunFiles:
    """The files of the runs of a series in its directory ``place``, which need not exist."""

    series: SeriesIdentity
    place: Path

    def path(self, number: int) -> Path:
        """Return the path of the file of a run."""
        return self.place / run_file(number)

    def failure(self, number: int) -> Path:
        """Return the path of the record of a run's failure."""
        return failure_of(self.path(number))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the runs that have a file, in order."""
        return numbers_there(self.place)

    @property
    def failed(self) -> list[int]:
        """The numbers of the runs whose failure is recorded, in order."""
        return numbers_there(self.place, FAILED)

    def examine(self, number: int) -> tuple[State, str]:
        """Return the state of a run and, if it is done, the text after the first line of its file.

        ``out of date``: the file is of a run with another key. ``damaged``: its content is not what was written, for
        example after a power failure. ``failed``: there is a record of a failure with this key.
        """
        path, key = self.path(number), self.series.key(number)
        try:
            text = regular(path, MOST_BYTES).read_bytes().decode()
        except FileNotFoundError:
            return ("failed" if _begins_with(failure_of(path), f"{FIRST_WORDS}{key}\n") else "missing"), ""
        except (OSError, UnicodeDecodeError):
            return "damaged", ""
        header, _, body = text.partition("\n")
        if header == f"{FIRST_WORDS}{key} {_checksum(body)}":
            return "done", body
        other = header.startswith(FIRST_WORDS) and not header.startswith(f"{FIRST_WORDS}{key}")
        return ("out of date" if other else "damaged"), ""


def numbers_there(place: Path, suffix: str = FINISHED) -> list[int]:
    """Return the numbers of the runs with a file in a directory, or with the ``suffix`` FAILED of the failed runs."""
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


def numbers(body: str) -> Floats:
    """Return the numbers of a run without t, shape (columns, rows); NaN for empty cells."""
    rows = body.splitlines()[1:]
    return np.array([[float(cell or "nan") for cell in row.split(",")[1:]] for row in rows]).T


def prepare(directory: Path) -> None:
    """Create the directory of an experiment. Raises UserError if it cannot be created or written to."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{directory} is not a directory: choose another place with -o") from None
    except OSError as error:
        raise UserError(f"cannot write to {directory} ({error.strerror}): choose another place with -o") from None
