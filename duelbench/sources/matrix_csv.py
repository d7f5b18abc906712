"""Preference matrices as CSV: a line of numbers for each arm, perhaps below a line with the names of the arms."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix

MAX_ARMS = 5_000
"""The largest number of arms in a file: more is probably a mistake, and would use gigabytes."""
MAX_CSV_BYTES = 1_000_000_000
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
                        _check_label(cells.pop(0), header, len(rows), path, line)
                first_column = 2 if labelled else 1
                rows.append([_number(cell, path, line, column) for column, cell in enumerate(cells, first_column)])
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
    return len(cells) > 1 and (
        '"' in content or (all(cells[1:]) and (not cells[0] or not any(_is_number(cell) for cell in cells)))
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _check_label(label: str, header: Sequence[str], row: int, path: Path, line: int) -> None:
    if row >= len(header) or label != header[row]:
        expected = repr(header[row]) if row < len(header) else "no further arm"
        raise UserError(
            f"this row is called {label!r}, but the first line has {expected}: rows and columns must be the same arms "
            "in the same order",
            source=str(path),
            line=line,
        )


def _number(cell: str, path: Path, line: int, column: int) -> float:
    try:
        return float(cell)
    except ValueError:
        shown = cell if len(cell) <= 40 else f"{cell[:37]}…"
        what = f"{shown!r} in column {column} is not a number" if cell else f"column {column} is empty"
        raise UserError(
            f"{what}: write numbers separated by commas, optionally below a line with the names of the arms",
            source=str(path),
            line=line,
        ) from None
