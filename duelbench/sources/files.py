"""Preference matrices in a user's files: CSV, .npy or .npz."""

from __future__ import annotations

import io
import math
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.reading import regular
from duelbench.writing import whole

NPZ_KEY = "PMat"
"""The array taken from an .npz with several: the name under which the MSLR matrices are published."""
MAX_ARMS = 5_000
"""Of a matrix in a file: beyond, it is not what was meant, and takes gigabytes before anybody notices."""
MAX_CSV_BYTES = 1_000_000_000
MAX_LINE = 1_000_000
"""Characters of a line of CSV: some hundred for each of ``MAX_ARMS`` numbers."""
MAX_HEADER = 1 << 16
"""Bytes in which the header of an array must end: it may claim to have gigabytes, of compressed nothing."""


def load_matrix(path: Path) -> PreferenceMatrix:
    """Read a preference matrix from ``.csv``, ``.npy`` or ``.npz``.

    A CSV holds one row of numbers per line, separated by commas, without a header; blank lines and lines that start
    with ``#`` are skipped. An ``.npz`` holds a single array, or one called ``PMat``. Pickled objects are refused,
    and before anything is read so are more than ``MAX_ARMS`` arms.

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
        return reader(regular(path))
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


def _csv(path: Path) -> PreferenceMatrix:
    if path.stat().st_size > MAX_CSV_BYTES:
        raise UserError("the file is larger than 1 GB: is it a matrix?", source=str(path))
    rows: list[list[float]] = []
    lines: list[int] = []
    # Spreadsheets like to begin with a byte-order mark.
    with path.open(encoding="utf-8-sig", newline="\n") as stream:
        try:
            for line, content in enumerate(iter(lambda: stream.readline(MAX_LINE), ""), start=1):
                if len(content) == MAX_LINE:
                    raise UserError("this line is too long for a row of a matrix", source=str(path), line=line)
                if not content.strip() or content.lstrip().startswith("#"):
                    continue
                cells = content.split(",")
                if max(len(cells), len(rows) + 1) > MAX_ARMS:
                    raise UserError(f"a matrix has at most {MAX_ARMS:,} arms", source=str(path), line=line)
                rows.append([_number(cell.strip(), path, line, column) for column, cell in enumerate(cells, start=1)])
                lines.append(line)
                if len(cells) != len(rows[0]):
                    fault = f"this row has {len(cells)} columns, the first one has {len(rows[0])}"
                    raise UserError(fault, source=str(path), line=line)
        except UnicodeDecodeError:
            raise UserError("the file is not UTF-8 text", source=str(path)) from None
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
        shown = cell if len(cell) <= 40 else f"{cell[:37]}…"
        what = f"{shown!r} in column {column} is not a number" if cell else f"column {column} is empty"
        raise UserError(
            f"{what}: write numbers separated by commas, without a header", source=str(path), line=line
        ) from None


def _numpy(path: Path) -> PreferenceMatrix:
    try:
        with path.open("rb") as stream:
            is_array = stream.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
            stream.seek(0)
            array = _array(stream, path) if is_array else _array_in(stream, path)
    except (UserError, OSError):
        raise
    except Exception:  # what the parsers of headers and of compressed data raise on nonsense has no end
        raise UserError("this is no NumPy file of plain numbers", source=str(path)) from None
    return PreferenceMatrix(array, source=str(path))


def _array_in(stream: IO[bytes], path: Path) -> NDArray[np.generic]:
    """Return the one array of an archive, or that called ``NPZ_KEY``."""
    with zipfile.ZipFile(stream) as archive:
        members = {name.removesuffix(".npy"): name for name in archive.namelist()}
        if NPZ_KEY not in members and len(members) != 1:
            some = ", ".join([*members][:5]) + (", …" if len(members) > 5 else "")
            found = f"holds {some}" if members else "is empty"
            raise UserError(f"the archive {found}: store one array, or call the matrix {NPZ_KEY}", source=str(path))
        with archive.open(members[NPZ_KEY] if NPZ_KEY in members else next(iter(members.values()))) as member:
            return _array(member, path)


def _array(stream: IO[bytes], path: Path) -> NDArray[np.generic]:
    """Read an array, but no more bytes than a matrix has, whatever its header promises; and no objects.

    Raises anything at all when it is no such array.
    """
    beginning = io.BytesIO(stream.read(MAX_HEADER))
    version = np.lib.format.read_magic(beginning)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a header as Python 2 wrote it
        shape, fortran, dtype = read_header(beginning)
    if dtype.hasobject:
        raise ValueError("pickled objects")
    if dtype.kind not in "biuf":
        raise UserError("a preference matrix holds real numbers only", source=str(path))
    if math.prod(shape) > MAX_ARMS**2:
        raise UserError(f"a matrix has at most {MAX_ARMS:,} arms; this has shape {shape}", source=str(path))
    size = math.prod(shape) * dtype.itemsize
    if size < 0:
        raise EOFError
    content = beginning.read(size)
    content += stream.read(size - len(content))
    if len(content) != size:
        raise EOFError
    with np.errstate(all="ignore"):  # what is too large becomes infinite, and is refused as such
        numbers = np.frombuffer(content, dtype).astype(np.float64)
    return numbers.reshape(shape, order="F" if fortran else "C")


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
    try:
        with whole(path) as file:
            match path.suffix.lower():
                case ".npy":
                    np.save(file, matrix.P)
                case ".npz":
                    np.savez(file, PMat=matrix.P)  # NPZ_KEY
                case _:
                    file.write(_csv_text(matrix, comment).encode())
    except OSError as error:
        raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None


def _csv_text(matrix: PreferenceMatrix, comment: str) -> str:
    """Return the shortest numbers that read back: only the upper triangle has to be exact for that."""
    rows = [
        ",".join(f"{p:.15g}" if j < i else repr(float(p)) for j, p in enumerate(row)) for i, row in enumerate(matrix.P)
    ]
    return "".join(f"{line}\n" for line in [*(f"# {line}" for line in comment.splitlines()), *rows])
