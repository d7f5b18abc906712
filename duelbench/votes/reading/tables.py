"""Streaming readers of files with rows: CSV and other delimiters, JSON, and Parquet; for games see ``pgn``.

Every reader has ``columns``, which it takes from the header or from every JSON object, and ``rows(names, refuse)``. The
latter yields for each row its line and the cells of the named columns as text, and calls ``refuse`` with a line and a
reason for an invalid row. Fields of nested JSON objects are columns too: ``a.model`` is ``model`` in ``a``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from duelbench.errors import UserError
from duelbench.files import regular
from duelbench.votes.reading.pgn import Games, is_pgn
from duelbench.votes.reading.tally import shown
from duelbench.votes.reading.text import Refuse, Row, faults, text_in

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Characters that one does not see, beside those that control the format. U+E0020 to U+E007F distinguish flags."""


class Table(Protocol):
    """A reader of the rows of a file.

    ``note`` is to be added to errors about ``columns``; ``comments`` are lines above them.
    """

    columns: tuple[str, ...]
    note: str
    comments: Sequence[str]

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the line of each row and its cells in the columns ``names``; raises UserError for a damaged file.

        A list or an object is refused, or is its JSON text in the columns ``texts``.
        """
        ...


def _as_text(value: object, any_value: bool = False) -> str | None:
    """Return the text of a cell with a plain value, empty for a missing value.

    That of a list or an object is None, or its JSON text with ``any_value``.
    """
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if math.isnan(value):  # how pandas writes a missing value
            return ""
        case list() | dict() | tuple():
            return json.dumps(value, default=str) if any_value else None
        case _:
            return str(value)


def is_hidden(character: str) -> bool:
    """Return whether one does not see a character at all, such as a soft hyphen or a byte-order mark."""
    if "\U000e0020" <= character <= "\U000e007f":
        return False
    return unicodedata.category(character) == "Cf" or _HIDDEN.match(character) is not None


def visible(text: str) -> str:
    """Return a text without the characters that one does not see."""
    return "".join(each for each in text if not is_hidden(each))


_BATCH = 1 << 16
"""The number of rows in memory at a time."""


class _Parquet:
    """A Parquet file; lines are counted as rows, from 1. Only the columns that matter are read."""

    note = ""
    comments: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self._path = path
        self.columns = tuple(self._open().schema_arrow.names)

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the rows; see ``rows.Table``."""
        import pyarrow

        line = 0
        try:
            for batch in self._open().iter_batches(batch_size=_BATCH, columns=list(names)):
                # A name requested twice is one column of the batch.
                cells = [[_as_text(value, name in texts) for value in batch.column(name).to_pylist()] for name in names]
                for row in zip(*cells, strict=True):
                    line += 1
                    if None in row:
                        refuse(line, f"{names[row.index(None)]} is a list or an object")
                    else:
                        yield line, row
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise self._damaged(error) from None

    def _open(self) -> ParquetFile:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise UserError(
                "reading Parquet needs pyarrow: pip install 'duelbench[parquet]', or save the file as CSV",
                source=str(self._path),
            ) from None
        try:
            return parquet.ParquetFile(self._path)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> UserError:
        return UserError(
            f"this Parquet file cannot be read ({str(error).partition(chr(10))[0]})", source=str(self._path)
        )


MAX_LINE = 1 << 24
"""The largest number of characters in a line or a cell: prompts and answers of a hundred pages."""
MAX_ARRAY = 200_000_000
"""The largest number of characters of JSON over several lines, which is read at once."""
_DEPTH = 4
"""The levels of nested JSON objects to search for columns."""
_BLANKS = re.compile(r"\s*")
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
_QUOTED = re.compile(r'(?:^|(?<=[,;\t|])) *"(?:[^"]|"")*"')
"""A cell in quotation marks, in which delimiters are text."""
_SEPARATOR = re.compile(r"sep=[^\w\s]\s*$", re.IGNORECASE)
"""The line by which some spreadsheets name the delimiter."""
_PACKED = {
    b"PK\x03\x04": "a zip archive (or a spreadsheet): unpack it, or save it as CSV",
    b"BZh": "a bzip2 file: unpack it (bunzip2)",
    b"\xfd7zXZ": "an xz file: unpack it (unxz)",
    b"(\xb5/\xfd": "a Zstandard file: unpack it (unzstd)",
    b"7z\xbc\xaf": "a 7z archive: unpack it",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save it as CSV",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}
"""The first bytes of files that are not read, and what to do with them."""


def open_table(path: Path, delimiter: str | None = None, name: str = "") -> Table:
    """Return the reader for a file with rows, chosen by its first bytes and its suffix; ``.gz`` is decompressed.

    ``delimiter`` separates the cells of a text file, by default as its ``name`` or its header suggests.

    Raises:
        UserError: it cannot be read, or is no such file; ``source`` is the path and ``line`` the line.
    """
    delimiter = None if delimiter is None else checked_delimiter(delimiter)
    with faults(path):
        with regular(path).open("rb") as stream:
            start = stream.read(8)
        if not start:
            raise UserError("the file is empty", source=str(path))
        if start[:4] == b"PAR1":
            return _Parquet(path)
        if packed := next((packed for bytes, packed in _PACKED.items() if start.startswith(bytes)), None):
            raise UserError(f"this is {packed}", source=str(path))
        with text_in(path) as lines:
            beginning = lines.read(4096)
        if "\0" in beginning:
            raise UserError(
                "this is not text: votes are read from CSV, TSV, JSON Lines, Parquet or PGN", source=str(path)
            )
        head = beginning.lstrip()
        if is_pgn(head):
            return Games(path)
        if head.startswith("{"):
            lines_alone = _JsonLines(path)
            return lines_alone if lines_alone.columns else _JsonText(path)
        if re.match(r"\[\s*[\[{\]]", head) or (head.startswith("[") and ".json" in path.suffixes):
            return _JsonText(path)
        return _Delimited(path, delimiter, name or path.name)


def checked_delimiter(text: str) -> str:
    """Return the character that an option names: a comma or any other, ``tab``, ``semicolon`` and so on.

    Raises:
        UserError: it is none that can separate cells.
    """
    character = {**_DELIMITERS, "\\t": "\t"}.get(text.strip(" ").casefold(), text)
    if len(character) != 1 or character.isalnum() or character in '"\r\n\0\ufeff':
        raise UserError(
            f"the delimiter is {text!r:.40}: write one character, or {', '.join(_DELIMITERS)}", key=("delimiter",)
        )
    return character


@contextmanager
def columns_of(table: Table) -> Iterator[None]:
    """Add to an error about the columns of a table how these were found."""
    try:
        yield
    except UserError as error:
        error.message += table.note
        raise


class _Delimited:
    """Cells separated by commas, semicolons, tabs or bars, below a header line; quoted cells may have newlines.

    ``comments`` are the lines above the header.
    """

    def __init__(self, path: Path, delimiter: str | None, name: str) -> None:
        self._path = path
        comments = []
        with text_in(path) as stream:
            first = ""
            for _, line in _lines(stream, path):
                if not _skipped(line):
                    first = line
                    break
                comments.append(line.strip())
            if not first:
                raise UserError("the file holds no rows", source=str(path))
            named = [line[4:] for line in comments if _SEPARATOR.match(line)]
            self._delimiter = delimiter or (*named, _usual_delimiter(first + stream.read(4096), name))[0]
        plural = {character: f"{word}s" for word, character in _DELIMITERS.items()}
        separated = f"separated by {plural.get(self._delimiter, repr(self._delimiter))}"
        with text_in(path) as stream, _long_cells():
            self.columns = tuple(visible(name).strip() for name in next(self._records(stream, self._raise))[1])
        if len(self.columns) < 2:
            raise UserError(
                f"the first line is not a header: it must name two or more columns, {separated} (--delimiter names "
                "another character)",
                source=str(path),
                line=1,
            )
        self.note = f"; they are {separated} (--delimiter names another character)"
        self.comments: Sequence[str] = comments
        above = [*comments[-1:], first.strip()][0]
        if above.startswith("#") and above.count(self._delimiter) == len(self.columns) - 1:
            self.note += f"; if {shown(above)} is the header, remove its '#'"

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the rows; see ``Table``."""
        width = len(self.columns)
        chosen = itemgetter(*(self.columns.index(name) for name in names))
        with faults(self._path), text_in(self._path) as stream, _long_cells():
            records = self._records(stream, refuse)
            next(records)
            for line, cells in records:
                if not any(cells):
                    continue  # an empty row of a spreadsheet
                if len(cells) == width:
                    yield line, chosen(cells)
                else:
                    refuse(line, f"the row has {'fewer' if len(cells) < width else 'more'} cells than the header")

    def _records(self, stream: io.TextIOBase, refuse: Refuse) -> Iterator[tuple[int, list[str]]]:
        """Yield header and rows with the line at which each begins."""
        lines = _lines(stream, self._path)
        before, first = next((number - 1, line) for number, line in lines if not _skipped(line))
        reader = csv.reader(chain([first], (line for _, line in lines)), delimiter=self._delimiter, strict=True)
        line = before + 1
        while True:
            try:
                for cells in reader:
                    yield line, cells
                    line = before + reader.line_num + 1
                return
            except csv.Error as error:
                if "unexpected end" in str(error) or "limit" in str(error):
                    raise UserError(
                        "the row that begins here does not end: a quotation mark is missing",
                        source=str(self._path),
                        line=line,
                    ) from None
                refuse(line, "a quotation mark is out of place")
                line = before + reader.line_num + 1

    def _raise(self, line: int, reason: str) -> None:
        raise UserError(f"this is not a header: {reason}", source=str(self._path), line=line)


class _JsonLines:
    """A JSON object on each line."""

    comments: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self._path = path
        self.columns = _keys(found for _, found in self._objects(lambda *_: None))
        self.note = _note(next((found for _, found in self._objects(lambda *_: None)), None))

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the rows; see ``Table``."""
        for line, found in self._objects(refuse):
            if (cells := _cells(found, names, line, refuse, texts)) is not None:
                yield line, cells

    def _objects(self, refuse: Refuse) -> Iterator[tuple[int, dict[str, object]]]:
        with faults(self._path), text_in(self._path) as stream:
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


class _JsonText:
    """JSON objects in an array, or one after the other, over any number of lines; read at once.

    Objects count as lines, from 1.
    """

    comments: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        with faults(path), text_in(path) as stream:
            text = stream.read(MAX_ARRAY)
        if len(text) == MAX_ARRAY:
            raise UserError(
                "the file is one large array: write an object on each line (jq -c '.[]' does that)", source=str(path)
            )
        what = "an array of JSON objects" if text.lstrip().startswith("[") else "a JSON object"
        self._entries: list[object] = []
        try:
            for found in _values(text):
                self._entries += found if isinstance(found, list) else [found]
        except (ValueError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else None
            wrong = f"this is not {what}" if what.startswith("an") else f"this line is not {what}"
            raise UserError(wrong, source=str(path), line=where) from None
        self.columns = _keys(self._entries)
        if not self.columns:
            wrong = (
                "the entries are not JSON objects, of which each is a row"
                if self._entries
                else "the file holds no rows"
            )
            raise UserError(wrong, source=str(path))
        self.note = _note(self._entries[0])

    def rows(self, names: Sequence[str], refuse: Refuse, texts: Container[str | None] = ()) -> Iterator[Row]:
        """Yield the entries; see ``Table``."""
        for line, found in enumerate(self._entries, 1):
            if not isinstance(found, dict):
                refuse(line, "this entry is not a JSON object")
            elif (cells := _cells(found, names, line, refuse, texts)) is not None:
                yield line, cells


def _values(text: str) -> Iterator[object]:
    """Yield the JSON values of a text, with blanks between them."""
    decoder, place = json.JSONDecoder(), 0
    while rest := _BLANKS.match(text, place):
        if rest.end() == len(text):
            return
        value, place = decoder.raw_decode(text, rest.end())
        yield value


def _note(found: object) -> str:
    """Return where the rows may be, if the first object of a file has a list of objects."""
    for key, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return f"; if the rows are in {shown(key)}, write them alone (jq -c '.[{json.dumps(key)}][]')"
    return ""


def _keys(objects: Iterable[object]) -> tuple[str, ...]:
    keys: dict[str, None] = {}
    for found in objects:
        if isinstance(found, dict):
            _add_paths(keys, found)
    return tuple(keys)


def _add_paths(keys: dict[str, None], found: Mapping[str, object], outer: str = "", depth: int = _DEPTH) -> None:
    for key, value in found.items():
        path = outer + key
        if isinstance(value, dict) and value and depth > 1:
            _add_paths(keys, value, f"{path}.", depth - 1)
        elif path not in keys:
            keys[path] = None


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
    cells = tuple([_as_text(found[name] if name in found else _at(found, name), name in texts) for name in names])
    if None in cells:
        refuse(line, f"{names[cells.index(None)]} is a list or an object")
        return None
    return cells  # type: ignore[return-value]


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


def _usual_delimiter(beginning: str, name: str) -> str:
    """Return the character that separates the cells of a header, at the beginning of a text."""
    if name.removesuffix(".gz").lower().endswith((".tsv", ".tab")):
        return "\t"
    header = re.split(r"[\r\n]", _QUOTED.sub("", beginning), maxsplit=1)[0]
    return max(_DELIMITERS.values(), key=header.count)


def _skipped(line: str) -> bool:
    """Return whether a line above the header is blank, one of duelbench's comments, or names the delimiter."""
    return not line.strip() or line.startswith("# ") or _SEPARATOR.match(line) is not None
