"""Preference matrices as CSV: a line of numbers for each arm, perhaps below a line with the names of the arms."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix

MAX_ARMS = 5_000
"""The largest number of arms in a file: more is probably a mistake, and would use gigabytes."""
MAX_CSV_BYTES = 1_000_000_000
_SHARE = re.compile(r"(?P<number>\d+([.,]\d+)?|[.,]\d+)\s*(?P<of>%|/\d+)?", re.ASCII)
MAX_LINE = 1_000_000
"""The largest number of characters in a line of CSV: about a hundred for each of ``MAX_ARMS`` numbers."""


def read_csv(path: Path, make: Callable[[Any, Sequence[str] | None], PreferenceMatrix]) -> PreferenceMatrix:
    """Read a table, and ``make`` a matrix of its rows and of the names of the arms, None if it has none.

    The first line may have the names of the arms; then the other lines may begin with their names.
    The first line is a line of names if it has a quotation mark, begins with an empty cell, or has no number. So names
    that look like numbers must be quoted.

    Raises:
        UserError: no preference matrix, or names that do not fit; ``source`` is the path, ``line`` the line.
        OSError: the file cannot be read.
    """
    if path.stat().st_size > MAX_CSV_BYTES:
        raise UserError("the file is larger than 1 GB: is it a matrix?", source=str(path))
    header: list[str] | None = None
    labelled = False
    rows: list[list[float]] = []
    lines: list[int] = []
    # Spreadsheets often begin with a byte-order mark.
    with path.open(encoding="utf-8-sig", newline="\n") as stream:
        try:
            for line, content in enumerate(iter(lambda: stream.readline(MAX_LINE), ""), start=1):
                if len(content) == MAX_LINE:
                    raise UserError("this line is too long for a row of a matrix", source=str(path), line=line)
                if not content.strip() or content.lstrip().startswith("#"):
                    continue
                cells = _cells(content, path, line)
                if max(len(cells), len(rows) + 1) > MAX_ARMS + 1:
                    raise UserError(f"a matrix has at most {MAX_ARMS:,} arms", source=str(path), line=line)
                if header is None and not rows and _is_header(content, cells):
                    header = cells
                    continue
                if header is not None:
                    if not rows:
                        labelled = len(cells) > len(header) or not header[0] or not _is_number(cells[0])
                        header = header[1:] if labelled and len(cells) == len(header) else header
                    if labelled:
                        _check_label(cells, header, len(rows), path, line)
                        cells.pop(0)
                place = _Place(path, line, len(rows), labelled)
                rows.append([_number(cell, place, column) for column, cell in enumerate(cells)])
                lines.append(line)
                if len(cells) != len(rows[0]):
                    fault = f"this row has {len(cells)} columns, the first one has {len(rows[0])}"
                    raise UserError(fault, source=str(path), line=line)
        except UnicodeDecodeError:
            raise UserError("the file is not UTF-8 text", source=str(path)) from None
    if not rows:
        raise UserError("the file holds no numbers", source=str(path))
    try:
        return make(rows, header)
    except UserError as error:
        if error.key:
            error.line, error.key = lines[int(error.key[0])], ()
        raise


def csv_text(matrix: PreferenceMatrix, comment: str) -> str:
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
        csv.writer(out, quoting=csv.QUOTE_MINIMAL if plain else csv.QUOTE_ALL, lineterminator="").writerow(matrix.names)
        head.append(out.getvalue())
    return "".join(f"{line}\n" for line in [*head, *rows])


def _cells(content: str, path: Path, line: int) -> list[str]:
    cells = content.split(",")
    if '"' in content:
        try:
            cells = next(csv.reader([content], skipinitialspace=True))
        except csv.Error as error:
            raise UserError(f"this is not a line of CSV ({error})", source=str(path), line=line) from None
    return [cell.strip() for cell in cells]


def _is_header(content: str, cells: Sequence[str]) -> bool:
    if '"' in content:
        return len(cells) > 1
    if all(_is_number(cell) or _meant(cell) is not None for cell in cells):
        return False
    return len(cells) > 1 and all(cells[1:]) and (not cells[0] or not any(_is_number(cell) for cell in cells))


def _meant(cell: str) -> str | None:
    """Return the number that a share such as 60 %, 3/5 or 0,6 means, as it should be written; None for other text."""
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


def _check_label(cells: Sequence[str], header: Sequence[str], row: int, path: Path, line: int) -> None:
    """Raise UserError if a row does not begin with the name of its arm in the header."""
    label = cells[0]
    if row < len(header) and label == header[row]:
        return
    if not row and not cells[1]:  # the line taken for a header is the first row
        raise UserError("the diagonal is empty: write 0.5", source=str(path), line=line)
    if not _is_number(label) and (meant := _meant(label)) is not None and all(_meant(name) for name in header):
        raise UserError(f"{label!r} is not a number: write {meant}, not {label}", source=str(path), line=line)
    expected = repr(header[row]) if row < len(header) else "no further arm"
    raise UserError(
        f"this row is called {label!r}, but the first line has {expected}: rows and columns must be the same arms in "
        "the same order",
        source=str(path),
        line=line,
    )


class _Place(NamedTuple):
    path: Path
    line: int
    row: int
    labelled: bool


def _number(cell: str, place: _Place, column: int) -> float:
    try:
        return float(cell)
    except ValueError:
        pass
    shown = cell if len(cell) <= 40 else f"{cell[:37]}…"
    which = column + 1 + place.labelled
    what = f"{shown!r} in column {which} is not a number" if cell else f"column {which} is empty"
    advice = "write numbers separated by commas, optionally below a line with the names of the arms"
    if (meant := _meant(cell)) is not None:
        advice = f"write {meant}, not {shown}"
    elif column == place.row and not any(each.isalnum() for each in cell):
        what, advice = f"the diagonal is {repr(shown) if cell else 'empty'}", "write 0.5"
    raise UserError(f"{what}: {advice}", source=str(place.path), line=place.line)
