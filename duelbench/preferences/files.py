"""Preference matrices from a user's file: CSV, .npy or .npz."""

from __future__ import annotations

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
