"""Results on disk: where files lie, how they are written whole, and what a run's file says.

<directory>/<dataset>/<label>/run-00000.csv     "# duelbench run <key> <CRC-32 of what follows, hexadecimal>",
                                                    then t and one column per regret kind;
                                                    of an algorithm that declares a winner also declared_at, the duels
                                                    it took (empty before t), and per kind whether it was a best arm
<directory>/<dataset>/<label>/run-00000.failed  "# duelbench run <key>", then the traceback
<directory>/<dataset>/<label>/series.json       what determined these runs
<directory>/summary.csv, manifest.json          summary.csv is there only when the experiment is complete
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any, Literal

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.reading import regular
from duelbench.runs.plan import Series
from duelbench.runs.run import Row

FIRST_WORDS = "# duelbench run "


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it appears complete or not at all, even if the process is killed.

    Nothing is forced to the disk: what a power failure tears shows in a run's checksum. Raises UserError when it
    cannot be written, as when the disk is full.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    # What is no text (half a surrogate pair in a name or an error message) becomes an escape, in JSON the same string.
    how: Any = {"mode": "x", "encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    try:
        temporary.unlink(missing_ok=True)  # it would be followed if it were a link
        try:
            file = temporary.open(**how)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = temporary.open(**how)
        with file:
            file.write(text)
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise UserError(
            f"cannot write {path} ({error.strerror}): what is finished is kept; see to it and repeat the command"
        ) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def series_directory(directory: Path, series: Series) -> Path:
    """Return where the runs of a series lie. Raises UserError when a link leads out of the experiment's directory."""
    path = directory / series.dataset.label / series.algorithm.label
    if not path.resolve().is_relative_to(directory.resolve()):
        raise UserError(f"{path} leads out of {directory}: remove the link or choose another place with -o")
    return path


def run_file(number: int) -> str:
    """Return the name of the file of a finished run."""
    return f"run-{number:05d}.csv"


def run_text(key: str, series: Series, rows: list[Row]) -> str:
    """Return the text of a run's file; numbers are the shortest that read back to the same float."""
    columns = _columns(series)
    lines = [",".join(columns)]
    for row in rows:
        cells = [str(row.t), *map(repr, row.regret)]
        if row.declared is not None and row.declared[0] <= row.t:
            cells += [str(row.declared[0]), *(str(int(right)) for right in row.declared[1])]
        lines.append(",".join(cells + [""] * (len(columns) - len(cells))))
    body = "\n".join(lines) + "\n"
    return f"{FIRST_WORDS}{key} {_checksum(body)}\n{body}"


def _columns(series: Series) -> list[str]:
    columns = ["t", *series.regret]
    if series.algorithm.kind.declares():
        columns += ["declared_at", *(f"right_{kind}" for kind in series.regret)]
    return columns


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


State = Literal["done", "missing", "stale", "damaged", "failed"]


def examine(path: Path, key: str) -> tuple[State, str]:
    """Return how the run with this key stands, and what follows the first line of its file if it is done.

    ``stale``: the file is that of a run with another key. ``damaged``: it is not what was once written, as
    after a power failure. ``failed``: there is the record of a failure under this key.
    """
    try:
        text = regular(path).read_bytes().decode()
    except FileNotFoundError:
        return ("failed" if _failed(path.with_suffix(".failed"), key) else "missing"), ""
    except (OSError, UnicodeDecodeError):
        return "damaged", ""
    header, _, body = text.partition("\n")
    if header == f"{FIRST_WORDS}{key} {_checksum(body)}":
        return "done", body
    other = header.startswith(FIRST_WORDS) and not header.startswith(f"{FIRST_WORDS}{key}")
    return ("stale" if other else "damaged"), ""


def sound_body(path: Path) -> str | None:
    """Return what follows the first line of the file of whatever run; None if it is damaged."""
    try:
        header, _, body = regular(path).read_bytes().decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return body if header.startswith(FIRST_WORDS) and header.endswith(f" {_checksum(body)}") else None


def _failed(path: Path, key: str) -> bool:
    try:
        with regular(path).open(encoding="utf-8") as file:
            return file.readline() == f"{FIRST_WORDS}{key}\n"
    except (OSError, UnicodeDecodeError):
        return False


def numbers(body: str) -> Floats:
    """Return the (columns, rows) numbers of a run, without t; NaN where nothing was declared yet."""
    rows = body.splitlines()[1:]
    return np.array([[float(cell or "nan") for cell in row.split(",")[1:]] for row in rows]).T


def numbers_of(path: Path, body: str, series: Series) -> Floats:
    """Return the numbers of a run of a series; UserError if somebody has written others, with a checksum to match."""
    try:
        values = numbers(body)
        if values.shape == (len(_columns(series)) - 1, len(series.rows)) and not np.isinf(values).any():
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
