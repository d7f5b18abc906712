"""Preference matrices in a user's files: CSV (see ``matrix_csv``), .npy or .npz."""

from __future__ import annotations

import io
import math
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.files import regular, whole
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.matrix_csv import MAX_ARMS, csv_text, read_csv

_Make: TypeAlias = Callable[[Any, Sequence[str] | None], PreferenceMatrix]

MATRIX_FILES = (".csv", ".npy", ".npz")
"""The suffixes of matrix files."""
NPZ_KEY = "PMat"
"""The array to read from an .npz with several: the name in the published MSLR matrices."""
NPZ_NAMES = "names"
"""The array of an .npz with the names of the arms."""
MAX_NAME = 1_000
"""The largest number of characters of a name in an .npz, where each name takes the space of the longest."""
MAX_HEADER = 1 << 16
"""The largest size of the header of an array in bytes: it may be gigabytes of compressed zeros."""


def load_matrix(path: Path) -> PreferenceMatrix:
    """Read a preference matrix from ``.csv``, ``.npy`` or ``.npz``.

    A CSV holds one row of numbers per line, separated by commas, and may begin with the names of the arms; blank lines
    and lines that start with ``#`` are skipped. An ``.npz`` holds a single array, or one called ``PMat``, and perhaps
    their ``names``. Pickled objects are rejected, and so are matrices of more than ``MAX_ARMS`` arms, before they are
    read.

    Raises:
        UserError: no such file, unknown suffix, or no preference matrix in it; ``source`` is the path and, in a CSV,
            ``line`` the line of the mistake.
    """
    return _load(Path(path), lambda values, names: PreferenceMatrix(values, source=str(path), names=names))


def load_ties(path: Path, matrix: PreferenceMatrix) -> PreferenceMatrix:
    """Return the matrix with the probabilities of ties in a file, which has the format of a preference matrix.

    Raises UserError as ``load_matrix``, and if the file has other names of the arms than the matrix.
    """

    def make(values: Any, names: Sequence[str] | None) -> PreferenceMatrix:
        if names is not None and matrix.names is not None and tuple(names) != matrix.names:
            raise UserError("these are not the arms of the matrix, in its order: use the same names", source=str(path))
        return matrix.with_ties(values, str(path))

    return _load(path, make)


def _load(path: Path, make: _Make) -> PreferenceMatrix:
    readers = {".csv": read_csv, ".npy": _numpy, ".npz": _numpy}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"unknown kind of file: a matrix is read from {', '.join(readers)}", source=str(path))
    try:
        return reader(regular(path), make)
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


def _numpy(path: Path, make: _Make) -> PreferenceMatrix:
    try:
        with path.open("rb") as stream:
            is_array = stream.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
            stream.seek(0)
            array, names = (_array(stream, path), None) if is_array else _array_in(stream, path)
    except (UserError, OSError):
        raise
    except Exception:  # the parsers raise all kinds of exceptions on invalid data
        raise UserError("this is not a NumPy file of plain numbers", source=str(path)) from None
    return make(array, names)


def _array_in(stream: IO[bytes], path: Path) -> tuple[NDArray[np.generic], list[str] | None]:
    """Return the only array of an archive, or the one called ``NPZ_KEY``, and the names of its arms if any."""
    with zipfile.ZipFile(stream) as archive:
        members = {name.removesuffix(".npy"): name for name in archive.namelist()}
        called = members.pop(NPZ_NAMES, None) if len(members) > 1 else None
        if NPZ_KEY not in members and len(members) != 1:
            some = ", ".join([*members][:5]) + (", …" if len(members) > 5 else "")
            found = f"holds {some}" if members else "is empty"
            raise UserError(f"the archive {found}: store one array, or call the matrix {NPZ_KEY}", source=str(path))
        names = None
        if called is not None:
            with archive.open(called) as member:
                names = _names(member, path)
        with archive.open(members[NPZ_KEY] if NPZ_KEY in members else next(iter(members.values()))) as member:
            return _array(member, path), names


def _names(stream: IO[bytes], path: Path) -> list[str]:
    array = read_plain(stream, path, "U", MAX_ARMS)
    return [str(name) for name in np.atleast_1d(array).tolist()]


def _array(stream: IO[bytes], path: Path) -> NDArray[np.generic]:
    with np.errstate(all="ignore"):  # too large numbers become infinite, and are rejected later
        return read_plain(stream, path, "biuf", MAX_ARMS**2).astype(np.float64)


def read_plain(
    stream: IO[bytes], path: Path, kinds: str, at_most: int, limit: str = f"a matrix has at most {MAX_ARMS:,} arms"
) -> NDArray[np.generic]:
    """Read an array of at most ``at_most`` entries, whatever its header claims, and never objects.

    Raises any kind of exception if it is not such an array.
    """
    beginning = io.BytesIO(stream.read(MAX_HEADER))
    version = np.lib.format.read_magic(beginning)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for headers written by Python 2
        shape, fortran, dtype = read_header(beginning)
    if dtype.hasobject:
        raise ValueError("pickled objects")
    if dtype.kind not in kinds:
        what = "names are text" if kinds == "U" else "a preference matrix holds real numbers only"
        raise UserError(what, source=str(path))
    if math.prod(shape) > at_most:
        raise UserError(f"{limit}; this has shape {shape}", source=str(path))
    if dtype.kind == "U" and dtype.itemsize > 4 * MAX_NAME:
        raise UserError(f"a name has at most {MAX_NAME:,} characters", source=str(path))
    size = math.prod(shape) * dtype.itemsize
    if size < 0:
        raise EOFError
    content = beginning.read(size)
    content += stream.read(size - len(content))
    if len(content) != size:
        raise EOFError
    return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran else "C")


def check_output(path: Path) -> None:
    """Check before a long computation that ``save_matrix`` can write to ``path``.

    Raises:
        UserError: unknown suffix, or no directory to write to; ``source`` is the path.
    """
    if path.suffix.lower() not in MATRIX_FILES:
        raise UserError("unknown kind of file: a matrix is written to .csv, .npy or .npz", source=str(path))
    if path.is_dir():
        raise UserError("this is a directory: name a file", source=str(path))
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None


def save_matrix(path: Path, matrix: PreferenceMatrix, comment: str) -> None:
    """Write ``matrix`` atomically as ``.csv``, ``.npy`` or ``.npz``; ``load_matrix`` reads the same matrix back.

    A CSV begins with the lines of ``comment`` and the names of the arms, if any. An ``.npy`` has no names.

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
                    if matrix.names is None:
                        np.savez(file, PMat=matrix.P)  # NPZ_KEY
                    else:
                        np.savez(file, PMat=matrix.P, names=np.array(matrix.names))  # NPZ_NAMES
                case _:
                    file.write(csv_text(matrix, comment).encode())
    except OSError as error:
        raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None
