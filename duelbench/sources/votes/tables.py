"""Streaming readers of files with rows: CSV and other delimiters, JSON, and Parquet.

Every reader has ``columns`` and ``rows(names, refuse)``. The latter yields for each row its line and the cells of the
named columns as text, and calls ``refuse`` with a line and a reason for an invalid row. Fields of nested JSON objects
are columns too: ``a.model`` is ``model`` in ``a``.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

from duelbench.errors import UserError
from duelbench.reading import regular
from duelbench.sources.votes.parquet import Parquet
from duelbench.sources.votes.rows import Refuse, Row, Table, as_text

MAX_LINE = 1 << 24
"""The largest number of characters in a line or a cell: prompts and answers of a hundred pages."""
MAX_ARRAY = 200_000_000
"""The largest size in bytes of a .json file with one array, which is read at once."""
PEEKED = 100
"""The number of JSON rows to search for names of columns."""
DEPTH = 4
"""The levels of nested JSON objects to search for columns."""


def open_table(path: Path) -> Table:
    """Return the reader for a file with rows, chosen by its first bytes and its suffix; ``.gz`` is decompressed.

    Raises:
        UserError: it cannot be read, or is no such file; ``source`` is the path and ``line`` the line.
    """
    with _faults(path):
        with regular(path).open("rb") as stream:
            start = stream.read(8)
        if not start:
            raise UserError("the file is empty", source=str(path))
        if start[:4] == b"PAR1":
            return Parquet(path)
        if start[:4] == b"PK\x03\x04":
            raise UserError("this is a zip archive (or a spreadsheet): unpack it, or save it as CSV", source=str(path))
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UserError("the file is UTF-16 text: save it as UTF-8", source=str(path))
        with _text(path) as lines:
            beginning = lines.read(4096)
        if "\0" in beginning:
            raise UserError("this is not text: votes are read from CSV, TSV, JSON Lines or Parquet", source=str(path))
        head = beginning.lstrip()
        if head.startswith("{"):
            return JsonLines(path)
        if head.startswith("[") and path.suffix.lower() in (".json", ".gz"):
            return JsonArray(path)
        return Delimited(path)


class Delimited:
    """Cells separated by commas, semicolons, tabs or bars, below a header line; quoted cells may have newlines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _text(path) as stream:
            first = next((line for _, line in _lines(stream, path) if not _skipped(line)), "")
        if not first:
            raise UserError("the file holds no rows", source=str(path))
        self._delimiter = max(",;\t|", key=first.count)
        with _text(path) as stream, _long_cells():
            self.columns = tuple(name.strip() for name in next(self._records(stream, self._raise))[1])
        if len(self.columns) < 2:
            raise UserError(
                "the first line is not a header: it must name two or more columns, separated by commas",
                source=str(path),
                line=1,
            )

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the rows; see ``Table``."""
        width = len(self.columns)
        chosen = itemgetter(*(self.columns.index(name) for name in names))
        with _faults(self._path), _text(self._path) as stream, _long_cells():
            records = self._records(stream, refuse)
            next(records)
            for line, cells in records:
                if len(cells) == width:
                    yield line, chosen(cells)
                elif cells:
                    refuse(line, f"the row has {'fewer' if len(cells) < width else 'more'} cells than the header")

    def _records(self, stream: io.TextIOBase, refuse: Refuse) -> Iterator[tuple[int, list[str]]]:
        """Yield header and rows with the line at which each begins."""
        lines = _lines(stream, self._path)
        before, first = next((number - 1, line) for number, line in lines if not _skipped(line))
        source = _Resumed(first, lines)
        reader = csv.reader(source, delimiter=self._delimiter, strict=True)
        line = before + 1
        while True:
            try:
                for cells in reader:
                    yield line, cells
                    line = before + reader.line_num + 1
                return
            except csv.Error as error:
                if source.ended or "limit" in str(error):
                    raise UserError(
                        "the row that begins here does not end: a quotation mark is missing",
                        source=str(self._path),
                        line=line,
                    ) from None
                refuse(line, "a quotation mark is out of place")
                line = before + reader.line_num + 1

    def _raise(self, line: int, reason: str) -> None:
        raise UserError(f"this is not a header: {reason}", source=str(self._path), line=line)


class _Resumed:
    """The lines of a file from its header on; ``ended`` after the last one."""

    def __init__(self, first: str, rest: Iterator[tuple[int, str]]) -> None:
        self._first: str | None = first
        self._rest = rest
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._first is not None:
            line, self._first = self._first, None
            return line
        for _, line in self._rest:
            return line
        self.ended = True
        raise StopIteration


class JsonLines:
    """A JSON object on each line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.columns = _keys(found for _, found in zip(range(PEEKED), self._objects(lambda *_: None), strict=False))

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the rows; see ``Table``."""
        for line, found in self._objects(refuse):
            if (cells := _cells(found, names, line, refuse, texts)) is not None:
                yield line, cells

    def _objects(self, refuse: Refuse) -> Iterator[tuple[int, dict[str, object]]]:
        with _faults(self._path), _text(self._path) as stream:
            for line, content in _lines(stream, self._path):
                if content.isspace():
                    continue
                try:
                    found = json.loads(content)
                except (ValueError, RecursionError):
                    found = None
                if isinstance(found, dict):
                    yield line, found
                else:
                    refuse(line, "this line is not a JSON object")


class JsonArray:
    """A JSON array of objects, read at once; entries count as lines, from 1."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _faults(path), _text(path) as stream:
            text = stream.read(MAX_ARRAY)
        if len(text) == MAX_ARRAY:
            raise UserError(
                "the file is one large array: write an object on each line (jq -c '.[]' does that)", source=str(path)
            )
        try:
            self._entries = json.loads(text)
        except (ValueError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else None
            raise UserError("this is not an array of JSON objects", source=str(path), line=where) from None
        self.columns = _keys((line, found) for line, found in enumerate(self._entries[:PEEKED], 1))

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the entries; see ``Table``."""
        for line, found in enumerate(self._entries, 1):
            if not isinstance(found, dict):
                refuse(line, "this entry is not a JSON object")
            elif (cells := _cells(found, names, line, refuse, texts)) is not None:
                yield line, cells


def _keys(objects: Iterator[tuple[int, dict[str, object]]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for _, found in objects if isinstance(found, dict) for key in _paths(found)))


def _paths(found: Mapping[str, object], depth: int = DEPTH) -> Iterator[str]:
    for key, value in found.items():
        if isinstance(value, dict) and value and depth > 1:
            yield from (f"{key}.{rest}" for rest in _paths(value, depth - 1))
        else:
            yield key


def _at(found: object, path: str) -> object:
    """Return the value in an object under a name or a dotted path; None if there is none."""
    if not isinstance(found, dict):
        return None
    if path in found:
        return found[path]
    outer, point, rest = path.partition(".")
    return _at(found.get(outer), rest) if point else None


def _cells(
    found: dict[str, object], names: Sequence[str], line: int, refuse: Refuse, texts: Container[str | None]
) -> tuple[str, ...] | None:
    cells = tuple([as_text(found[name] if name in found else _at(found, name), name in texts) for name in names])
    if None in cells:
        refuse(line, f"{names[cells.index(None)]} is a list or an object")
        return None
    return cells  # type: ignore[return-value]


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    """Convert errors of reading a file into UserError."""
    try:
        yield
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(path)) from None
    except UnicodeDecodeError:
        raise UserError(
            "the file is not UTF-8 text: save it as UTF-8 (iconv -f latin1 -t utf-8 does that for old files)",
            source=str(path),
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UserError("the compressed file is damaged or cut off", source=str(path)) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOBase]:
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        with io.TextIOWrapper(gzip.open(raw) if packed else raw, encoding="utf-8-sig", newline="") as text:
            yield text


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(MAX_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _lines(stream: io.TextIOBase, path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE), ""), start=1):
        if len(line) == MAX_LINE:
            raise UserError(f"this line has more than {MAX_LINE:,} characters", source=str(path), line=number)
        yield number, line


def _skipped(line: str) -> bool:
    """Return whether a line above the header is blank or one of duelbench's comments."""
    return not line.strip() or line.startswith("# ")
