"""Read and write preference matrices as CSV, .npy or .npz, and read sequences of matrices from .npz.

A CSV has one line of numbers per arm, after an optional line with the names of the arms. A sequence is an array of
matrices and an array of rounds.
"""

import csv
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelbench.errors import UserError
from duelbench.files import regular, whole
from duelbench.markup import escaped, unescaped
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix

MAX_ARMS = 5_000
"""The largest number of arms in a file: more is probably a mistake, and would use gigabytes."""
_SHARE = re.compile(r"(?P<number>\d+([.,]\d+)?|[.,]\d+)\s*(?P<of>%|/\d+)?", re.ASCII)


def _read_csv(path: Path, make: Callable[[Any, Sequence[str] | None], PreferenceMatrix]) -> PreferenceMatrix:
    """Read a table, and ``make`` a matrix of its rows and of the names of the arms (or None).

    The first line may have the names of the arms; then each other line may begin with the name of its arm. The first
    line is a line of names if it has a quotation mark, begins with an empty cell, or has no number. So names that look
    like numbers must be quoted.

    Raises UserError, with the path and the line, if this is not a preference matrix or the names do not fit, and
    OSError if the file cannot be read.
    """
    header: list[str] | None = None
    labelled = False
    rows: list[list[float]] = []
    lines: list[int] = []
    line = 0
    # Spreadsheets often begin with a byte-order mark.
    with path.open(encoding="utf-8-sig", newline="\n") as stream:
        try:
            for line, content in enumerate(stream, start=1):
                if not content.strip() or content.lstrip().startswith("#"):
                    continue
                cells = _cells(content)
                if max(len(cells), len(rows) + 1) > MAX_ARMS + 1:
                    raise UserError(f"a matrix has at most {MAX_ARMS:,} arms")
                if header is None and not rows and _is_header(content, cells):
                    header = cells
                    continue
                if header is not None:
                    if not rows:
                        labelled = len(cells) > len(header) or not header[0] or not _is_number(cells[0])
                        header = header[1:] if labelled and len(cells) == len(header) else header
                    if labelled:
                        _check_label(cells, header, len(rows))
                        cells.pop(0)
                rows.append([_number(cell, len(rows), column, labelled) for column, cell in enumerate(cells)])
                lines.append(line)
                if len(cells) != len(rows[0]):
                    raise UserError(f"this row has {len(cells)} columns, the first one has {len(rows[0])}")
        except UnicodeDecodeError:
            raise UserError("the file is not UTF-8 text", source=str(path)) from None
        except UserError as error:
            error.source, error.line = str(path), line
            raise
    if not rows:
        raise UserError("the file holds no numbers", source=str(path))
    try:
        return make(rows, header)
    except UserError as error:
        if error.key:
            error.line, error.key = lines[int(error.key[0])], ()
        raise


def _csv_text(matrix: PreferenceMatrix, comment: str) -> str:
    """Return the CSV text of ``matrix``: comment, names if any, and the shortest numbers that read back exactly.

    Only the upper triangle needs to be exact.
    """
    rows = [
        ",".join(f"{p:.15g}" if j < i else repr(float(p)) for j, p in enumerate(row)) for i, row in enumerate(matrix.P)
    ]
    head = [f"# {line}" for line in comment.splitlines()]
    if matrix.names is not None:
        out = io.StringIO()
        plain = not any(name.startswith("#") or _is_number(name) for name in matrix.names)
        writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL if plain else csv.QUOTE_ALL, lineterminator="")
        writer.writerow(map(escaped, matrix.names))
        head.append(out.getvalue())
    return "".join(f"{line}\n" for line in [*head, *rows])


def _cells(content: str) -> list[str]:
    cells = content.split(",")
    if '"' in content:
        try:
            cells = next(csv.reader([content], skipinitialspace=True))
        except csv.Error as error:
            raise UserError(f"this is not a line of CSV ({error})") from None
    return [unescaped(cell.strip()) for cell in cells]


def _is_header(content: str, cells: Sequence[str]) -> bool:
    if '"' in content:
        return len(cells) > 1
    if all(_is_number(cell) or _meant(cell) is not None for cell in cells):
        return False
    return len(cells) > 1 and all(cells[1:]) and (not cells[0] or not any(_is_number(cell) for cell in cells))


def _meant(cell: str) -> str | None:
    """Return the decimal form of a share such as 60 %, 3/5 or 0,6; None for other text."""
    found = _SHARE.fullmatch(cell)
    if found is None:
        return None
    number, sign = float(found["number"].replace(",", ".")), found["of"]
    of = 100.0 if sign == "%" else float(sign.lstrip("/")) if sign else 1.0
    return f"{number / of:.10g}" if of else None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _check_label(cells: Sequence[str], header: Sequence[str], row: int) -> None:
    """Raise UserError if a row does not begin with the name of its arm in the header."""
    label = cells[0]
    if row < len(header) and label == header[row]:
        return
    if not row and not cells[1]:  # the supposed header is the first row
        raise UserError("the diagonal is empty: write 0.5")
    if not _is_number(label) and (meant := _meant(label)) is not None and all(_meant(name) for name in header):
        raise UserError(f"{label!r} is not a number: write {meant}, not {label}")
    expected = repr(header[row]) if row < len(header) else "no further arm"
    raise UserError(
        f"this row is called {label!r}, but the first line has {expected}: rows and columns must be the same arms in "
        "the same order"
    )


def _number(cell: str, row: int, column: int, labelled: bool) -> float:
    try:
        return float(cell)
    except ValueError:
        pass
    shown = cell if len(cell) <= 40 else f"{cell[:37]}…"
    which = column + 1 + labelled
    what = f"{shown!r} in column {which} is not a number" if cell else f"column {which} is empty"
    advice = "write numbers separated by commas, optionally below a line with the names of the arms"
    if (meant := _meant(cell)) is not None:
        advice = f"write {meant}, not {shown}"
    elif column == row and not any(each.isalnum() for each in cell):
        what, advice = f"the diagonal is {repr(shown) if cell else 'empty'}", "write 0.5"
    raise UserError(f"{what}: {advice}")


_Make: TypeAlias = Callable[[Any, Sequence[str] | None], PreferenceMatrix]

MATRIX_FILES = (".csv", ".npy", ".npz")
"""The suffixes of matrix files."""
_NPZ_KEY = "PMat"
"""The array to read from an .npz with several arrays; the published MSLR matrices use this name."""
_NPZ_NAMES = "names"
"""The array of an .npz with the names of the arms."""


_MOST_BYTES = 1 << 30
"""The largest size of a file, and of the uncompressed content of an archive."""


def load_matrix(path: Path) -> PreferenceMatrix:
    """Read a preference matrix from ``.csv``, ``.npy`` or ``.npz``.

    A CSV holds one row of numbers per line, separated by commas, and may begin with the names of the arms; blank lines
    and lines that start with ``#`` are skipped. An ``.npz`` holds a single array, or one called ``PMat``, and may hold
    ``names``. Pickled objects are rejected.

    Raises UserError, with the path and the line of a CSV, if the file does not exist, has another suffix, or does not
    contain a preference matrix.
    """
    return _load(Path(path), lambda values, names: PreferenceMatrix(values, source=str(path), names=names))


def load_ties(path: Path, matrix: PreferenceMatrix) -> PreferenceMatrix:
    """Return the matrix with the tie probabilities of a file in the format of a preference matrix.

    Raises UserError as ``load_matrix``, and if the names of the arms differ from those of the matrix.
    """

    def make(values: Any, names: Sequence[str] | None) -> PreferenceMatrix:
        if names is not None and matrix.names is not None and tuple(names) != matrix.names:
            raise UserError("these are not the arms of the matrix, in its order: use the same names", source=str(path))
        return matrix.with_ties(values, str(path))

    return _load(path, make)


def _load(path: Path, make: _Make) -> PreferenceMatrix:
    readers = {".csv": _read_csv, ".npy": _numpy, ".npz": _numpy}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"unknown kind of file: a matrix is read from {', '.join(readers)}", source=str(path))
    try:
        return reader(regular(path, _MOST_BYTES), make)
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


@contextmanager
def _loaded(path: Path) -> Iterator[Any]:
    """Yield the array, or the archive of arrays, in a file. Raises UserError for any error of NumPy on invalid data."""
    try:
        with path.open("rb") as stream, np.errstate(all="ignore"):  # infinite numbers are rejected later
            found = np.load(stream)
            if not isinstance(found, np.ndarray) and sum(each.file_size for each in found.zip.infolist()) > _MOST_BYTES:
                raise UserError("the archive holds more than 1 GiB: is it a matrix?", source=str(path))
            yield found
    except (UserError, OSError):
        raise
    except Exception:
        raise UserError("this is not a NumPy file of plain numbers", source=str(path)) from None


def _numpy(path: Path, make: _Make) -> PreferenceMatrix:
    with _loaded(path) as loaded:
        array, names = (_numbers(loaded, path), None) if isinstance(loaded, np.ndarray) else _array_in(loaded, path)
    return make(array, names)


def _array_in(archive: Any, path: Path) -> tuple[NDArray[np.generic], list[str] | None]:
    """Return the only array of an archive, or the one called ``_NPZ_KEY``, and the names of its arms if any."""
    names = None
    members = [*archive.files]
    if len(members) > 1 and _NPZ_NAMES in members:
        members.remove(_NPZ_NAMES)
        names = [str(name) for name in np.atleast_1d(archive[_NPZ_NAMES]).tolist()]
    if _NPZ_KEY not in members and len(members) != 1:
        some = ", ".join(members[:5]) + (", …" if len(members) > 5 else "")
        found = f"holds {some}" if members else "is empty"
        raise UserError(f"the archive {found}: store one array, or call the matrix {_NPZ_KEY}", source=str(path))
    return _numbers(archive[_NPZ_KEY if _NPZ_KEY in members else members[0]], path), names


def _numbers(array: NDArray[Any], path: Path) -> NDArray[np.float64]:
    if array.dtype.kind not in "biuf":
        raise UserError("a preference matrix holds real numbers only", source=str(path))
    return array.astype(np.float64)


def check_output(path: Path) -> None:
    """Raise UserError if ``save_matrix`` cannot write to ``path``; for use before a long computation."""
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

    Raises UserError for another suffix, or if the file cannot be written.
    """
    check_output(path)
    try:
        with whole(path) as file:
            match path.suffix.lower():
                case ".npy":
                    np.save(file, matrix.P)
                case ".npz":
                    if matrix.names is None:
                        np.savez(file, PMat=matrix.P)  # _NPZ_KEY
                    else:
                        np.savez(file, PMat=matrix.P, names=np.array(matrix.names))  # _NPZ_NAMES
                case _:
                    file.write(_csv_text(matrix, comment).encode())
    except OSError as error:
        raise UserError(f"cannot write here: {error.strerror or error}", source=str(path)) from None


_ROUNDS = "rounds"
"""The array of the first rounds of the matrices, (blocks,), increasing from 1."""


def is_sequence(path: Path) -> bool:
    """Return whether a file is an ``.npz`` with ``rounds``; False if it cannot be read."""
    try:
        with _loaded(regular(path)) as archive:
            return _ROUNDS in archive.files
    except (UserError, OSError):
        return False


def load_sequence(path: Path) -> Changing:
    """Read the (blocks, K, K) matrices ``PMat`` of an ``.npz`` and their first rounds, ``rounds``.

    Raises UserError if an array is missing or has another shape, or a matrix is not a preference matrix.
    """
    with _loaded(path) as archive:
        if _NPZ_KEY not in archive.files:
            raise UserError(f"the array {_NPZ_KEY} with the matrices is missing", source=str(path))
        rounds, matrices = (_numbers(archive[name], path) for name in (_ROUNDS, _NPZ_KEY))
    if matrices.ndim != 3 or rounds.shape != matrices.shape[:1]:
        raise UserError(
            f"{_NPZ_KEY} must have one (K, K) matrix for each of the {_ROUNDS}, not {matrices.shape} and "
            f"{rounds.shape}",
            source=str(path),
        )
    segments = []
    for begin, matrix in zip(rounds.tolist(), matrices, strict=True):
        if not float(begin).is_integer():
            raise UserError(f"the first round of a matrix must be a whole number, not {begin}", source=str(path))
        segments.append((int(begin), np.asarray(matrix, np.float64)))
    try:
        return Changing(segments)
    except UserError as error:
        where = f"matrix {error.key[0]} (counted from 0): " if error.key else ""
        raise UserError(f"{where}{error.message}", source=str(path)) from None
