"""The files of runs: their text, and how what lies in the place of one stands. Their layout is that of ``layout``."""

from __future__ import annotations

import os
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.layout import FINISHED, FIRST_WORDS, MOST_BYTES_OF_A_RUN, failure_of, run_number
from duelbench.reading import regular
from duelbench.results.identity import Labels, SeriesIdentity
from duelbench.results.rows import Row


@dataclass(frozen=True)
class Outcome:
    """A finished run: the text of its file, or the traceback of its failure; and the seconds that it took."""

    number: int
    key: str
    text: str
    failed: bool
    seconds: float


def series_directory(directory: Path, labels: Labels) -> Path:
    """Return where the runs of a series lie. Raises UserError when a link leads out of the experiment's directory."""
    path = directory.joinpath(*labels)
    # Not Path.resolve, which in some Pythons raises where a link leads to itself; to write there fails soon enough.
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(directory)):
        raise UserError(f"{path} leads out of {directory}: remove the link or choose another place with -o")
    return path


def run_text(key: str, columns: list[str], rows: list[Row]) -> str:
    """Return the text of a run's file; numbers are the shortest that read back to the same float."""
    lines = [",".join(columns)]
    for row in rows:
        cells = [str(row.t), *map(repr, row.regret)]
        if row.recommended is not None:
            votes, arm, simple = row.recommended
            cells += [str(votes), str(arm), *map(repr, simple)]
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


State = Literal["done", "missing", "stale", "damaged", "failed"]


def examine(path: Path, key: str) -> tuple[State, str]:
    """Return how the run with this key stands, and what follows the first line of its file if it is done.

    ``stale``: the file is that of a run with another key. ``damaged``: it is not what was once written, as
    after a power failure. ``failed``: there is the record of a failure under this key.
    """
    try:
        text = _text(path)
    except FileNotFoundError:
        return ("failed" if _failed(failure_of(path), key) else "missing"), ""
    except (OSError, UnicodeDecodeError):
        return "damaged", ""
    header, _, body = text.partition("\n")
    if header == f"{FIRST_WORDS}{key} {_checksum(body)}":
        return "done", body
    other = header.startswith(FIRST_WORDS) and not header.startswith(f"{FIRST_WORDS}{key}")
    return ("stale" if other else "damaged"), ""


def numbers_there(place: Path, suffix: str = FINISHED) -> list[int]:
    """Return the numbers of the runs that have a file in the directory of a series, which need not exist, in order.

    It is the file of a finished run, or with the ``suffix`` FAILED the record of a failure.
    """
    try:
        with os.scandir(place) as entries:
            found = [run_number(entry.name, suffix) for entry in entries]
    except OSError:  # there is nothing, or nothing that can be read; whether it can be written will show
        return []
    return sorted(number for number in found if number is not None)


def _text(path: Path) -> str:
    return regular(path, MOST_BYTES_OF_A_RUN).read_bytes().decode()


def _failed(path: Path, key: str) -> bool:
    first = f"{FIRST_WORDS}{key}\n".encode()
    try:
        with regular(path).open("rb") as file:
            return file.read(len(first)) == first
    except OSError:
        return False


def numbers(body: str) -> Floats:
    """Return the (columns, rows) numbers of a run, without t; NaN where nothing was declared yet."""
    rows = body.splitlines()[1:]
    return np.array([[float(cell or "nan") for cell in row.split(",")[1:]] for row in rows]).T


def numbers_of(path: Path, body: str, series: SeriesIdentity) -> Floats:
    """Return the numbers of a run of a series; UserError if somebody has written others, with a checksum to match."""
    try:
        values = numbers(body)
        header, *rows = body.splitlines()
        sound = (
            values.shape == (len(series.columns) - 1, len(series.rows))
            and not np.isinf(values).any()
            and header == ",".join(series.columns)
            and tuple(int(row.partition(",")[0]) for row in rows) == series.rows
        )
        if sound:
            return values
    except ValueError:
        pass
    raise UserError("these are not the numbers of a run: remove it and repeat the command", source=str(path))


def prepare(directory: Path) -> None:
    """Make the directory of an experiment, or say in one sentence why that cannot be."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{directory} is not a directory: choose another place with -o") from None
    except OSError as error:
        raise UserError(f"cannot write to {directory} ({error.strerror}): choose another place with -o") from None
