"""Results on disk: where files lie, how they are written whole, and what a run's file says.

<directory>/<dataset>/<label>/run-00000.csv     "# duelbench run <key>", then t and one column per regret kind;
                                                    of an algorithm that declares a winner also declared_at, the duels
                                                    it took (empty before t), and per kind whether it was a best arm
<directory>/<dataset>/<label>/run-00000.failed  the same first line, then the traceback
<directory>/summary.csv, manifest.json
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.runs.plan import Series

FIRST_WORDS = "# duelbench run "


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it appears complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def series_directory(directory: Path, series: Series) -> Path:
    """Return where the runs of a series lie."""
    return directory / series.dataset.label / series.algorithm.label


def run_path(directory: Path, series: Series, number: int) -> Path:
    """Return the file of a finished run."""
    return series_directory(directory, series) / f"run-{number:05d}.csv"


@dataclass(frozen=True)
class Row:
    """The cumulative ``regret`` of each kind at round ``t``.

    ``declared``: the rounds before the algorithm declared a winner, and for each kind whether that arm has no regret.
    """

    t: int
    regret: list[float]
    declared: tuple[int, tuple[bool, ...]] | None


def run_text(key: str, series: Series, rows: list[Row]) -> str:
    """Return the text of a run's file; numbers are the shortest that read back to the same float."""
    columns = ["t", *series.regret]
    if series.algorithm.kind.declares():
        columns += ["declared_at", *(f"right_{kind}" for kind in series.regret)]
    lines = [FIRST_WORDS + key, ",".join(columns)]
    for row in rows:
        cells = [str(row.t), *map(repr, row.regret)]
        if row.declared is not None and row.declared[0] <= row.t:
            cells += [str(row.declared[0]), *(str(int(right)) for right in row.declared[1])]
        lines.append(",".join(cells + [""] * (len(columns) - len(cells))))
    return "\n".join(lines) + "\n"


def finished(path: Path, key: str) -> bool:
    """Tell whether ``path`` holds the run with this key."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline() == f"{FIRST_WORDS}{key}\n"
    except (OSError, UnicodeDecodeError):
        return False


def read_run(path: Path) -> Floats:
    """Return the (columns, rows) numbers in a run's file, without t; NaN where nothing was declared yet."""
    rows = path.read_text(encoding="utf-8").splitlines()[2:]
    return np.array([[cell or "nan" for cell in row.split(",")[1:]] for row in rows], dtype=np.float64).T


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
