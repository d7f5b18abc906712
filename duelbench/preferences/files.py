"""Preference matrices in a user's files: CSV, .npy or .npz."""

from __future__ import annotations

import os
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix

NPZ_KEY = "PMat"
"""The array taken from an .npz with several: the name under which the MSLR matrices are published."""


def load_matrix(path: Path) -> PreferenceMatrix:
    """Read a preference matrix from ``.csv``, ``.npy`` or ``.npz``.

    A CSV holds one row of numbers per line, separated by commas, without a header; blank lines and lines that start
    with ``#`` are skipped. An ``.npz`` holds a single array, or one called ``PMat``. Pickled objects are refused.

    Raises:
        UserError: no such file, unknown suffix, or no preference matrix in it; ``source`` is the path and, in a CSV,
            ``line`` the line of the mistake.
    """
    path = Path(path)
    readers = {".csv": _csv, ".npy": _numpy, ".npz": _numpy}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"unknown kind of file: a matrix is read from {', '.join(readers)}", source=str(path))
    try:
        return reader(path)
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


def _csv(path: Path) -> PreferenceMatrix:
    try:
        text = path.read_text(encoding="utf-8-sig")  # spreadsheets like to begin with a byte-order mark
    except UnicodeDecodeError:
        raise UserError("the file is not UTF-8 text", source=str(path)) from None
    rows: list[list[float]] = []
    lines: list[int] = []
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip() or content.lstrip().startswith("#"):
            continue
        cells = content.split(",")
        rows.append([_number(cell.strip(), path, line, column) for column, cell in enumerate(cells, start=1)])
        lines.append(line)
        if len(cells) != len(rows[0]):
            raise UserError(
                f"this row has {len(cells)} columns, the first one has {len(rows[0])}", source=str(path), line=line
            )
    if not rows:
        raise UserError("the file holds no numbers", source=str(path))
    try:
        return PreferenceMatrix(rows, source=str(path))
    except UserError as error:
        if error.key:
            error.line, error.key = lines[int(error.key[0])], ()
        raise


def _number(cell: str, path: Path, line: int, column: int) -> float:
    try:
        return float(cell)
    except ValueError:
        what = f"{cell!r} in column {column} is not a number" if cell else f"column {column} is empty"
        raise UserError(
            f"{what}: write numbers separated by commas, without a header", source=str(path), line=line
        ) from None


def _numpy(path: Path) -> PreferenceMatrix:
    try:
        with path.open("rb") as stream:
            content = np.load(stream, allow_pickle=False)
            array = _array_in(content, path) if isinstance(content, np.lib.npyio.NpzFile) else content
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise UserError("this is no NumPy file of plain numbers", source=str(path)) from None
    return PreferenceMatrix(array, source=str(path))


def _array_in(archive: np.lib.npyio.NpzFile, path: Path) -> NDArray[np.generic]:
    names = archive.files
    if NPZ_KEY not in names and len(names) != 1:
        found = f"holds {', '.join(names)}" if names else "is empty"
        raise UserError(f"the archive {found}: store one array, or call the matrix {NPZ_KEY}", source=str(path))
    array: NDArray[np.generic] = archive[NPZ_KEY if NPZ_KEY in names else names[0]]
    return array


def check_output(path: Path) -> None:
    """Find out before a long computation whether ``save_matrix`` can write to ``path``.

    Raises:
        UserError: unknown suffix, or no directory to write to; ``source`` is the path.
    """
    if path.suffix.lower() not in (".csv", ".npy", ".npz"):
        raise UserError("unknown kind of file: a matrix is written to .csv, .npy or .npz", source=str(path))
    if path.is_dir():
        raise UserError("this is a directory: name a file", source=str(path))
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None


def save_matrix(path: Path, matrix: PreferenceMatrix, comment: str) -> None:
    """Write ``matrix`` as ``.csv``, ``.npy`` or ``.npz``, whole or not at all; ``load_matrix`` reads the same back.

    ``comment`` heads a CSV, line by line.

    Raises:
        UserError: unknown suffix, or the file cannot be written; ``source`` is the path.
    """
    check_output(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            match path.suffix.lower():
                case ".npy":
                    np.save(file, matrix.P)
                case ".npz":
                    np.savez(file, PMat=matrix.P)  # NPZ_KEY
                case _:
                    file.write(_csv_text(matrix, comment).encode())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None
        raise


def _csv_text(matrix: PreferenceMatrix, comment: str) -> str:
    """Return the shortest numbers that read back: only the upper triangle has to be exact for that."""
    rows = [
        ",".join(f"{p:.15g}" if j < i else repr(float(p)) for j, p in enumerate(row)) for i, row in enumerate(matrix.P)
    ]
    return "".join(f"{line}\n" for line in [*(f"# {line}" for line in comment.splitlines()), *rows])
