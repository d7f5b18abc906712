"""Rows of files and of Python objects: CSV and other delimiters, JSON, Parquet, data frames, dictionaries and tuples.

Every reader returns a ``Table``. Fields of nested JSON objects are columns too: ``a.model`` is ``model`` in ``a``.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.errors import UserError
from duelbench.votes.reading.texts import shown, visible

if TYPE_CHECKING:
    import pandas as pd

Row = tuple[int, "Sequence[str] | str"]
"""The line of a row and its cells, or why it cannot be used."""
Suits = Callable[[Sequence[str]], object]
"""Whether a header is recognised."""
EXACT = "# duelbench: names are exact"
"""The comment in files of counts that duelbench writes: each name is an arm of its own."""
_SAMPLE = 1_000
_LONGEST = 1 << 24
"""The largest number of characters in a line or a cell: prompts and answers of a hundred pages."""
_MOST = 200_000_000
"""The largest number of characters of JSON over several lines, which is read at once."""
_DEPTH = 8
"""The levels of nested JSON objects that are columns."""


@dataclass(frozen=True)
class Table:
    """Rows with named columns.

    ``rows`` yields the cells of some columns, in the order in which they are named, and may be called again. ``hint``
    is for errors about the columns, and ``notes`` are sentences about the content. ``group`` is the column of groups
    that the format defines. ``exact``: names are exact; ``typed``: cells have types; ``in_python``: it is no file;
    ``tags``: columns are tags of games, which need not be named where they are not used; ``any_words``: outcomes may be
    the words for the two sides of any layout.
    """

    source: str
    columns: tuple[str, ...]
    rows: Callable[[Sequence[str]], Iterator[Row]]
    hint: str = ""
    notes: tuple[str, ...] = ()
    group: str | None = None
    exact: bool = False
    typed: bool = False
    in_python: bool = False
    tags: bool = False
    any_words: bool = False

    def sample(self) -> list[Sequence[str]]:
        """Return the first rows that can be used, without the ends of long texts."""
        rows = (cells for _, cells in islice(self.rows(self.columns), _SAMPLE) if not isinstance(cells, str))
        return [[cell[:500] for cell in cells] for cells in rows]


@contextmanager
def faults(source: object) -> Iterator[None]:
    """Convert errors of reading a file into UserError."""
    try:
        yield
    except FileNotFoundError:
        raise UserError("there is no such file", source=str(source)) from None
    except UnicodeDecodeError:
        why = "the file is not UTF-8 text: save it as UTF-8 (iconv -f latin1 -t utf-8 does that for old files)"
        raise UserError(why, source=str(source)) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UserError("the compressed file is damaged or cut off", source=str(source)) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise UserError(f"the file cannot be read: {why}", source=str(source)) from None


@contextmanager
def lines_in(path: Path, source: str) -> Iterator[Iterator[str]]:
    """Open a file of UTF-8 text, which may be compressed by gzip; return its lines."""
    with faults(source), path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        with io.TextIOWrapper(gzip.open(raw) if packed else raw, encoding="utf-8-sig", newline="") as text:
            yield iter(partial(text.readline, _LONGEST), "")


def delimited(path: Path, source: str, delimiter: str | None, tabs: bool, suits: Suits) -> Table:
    """Return cells below a header line; quoted cells may have newlines. Comments and blank lines may come above it."""
    csv.field_size_limit(_LONGEST)
    above: list[str] = []
    with lines_in(path, source) as lines:
        for line in lines:
            separator = re.fullmatch(r"\ufeff?sep=(.)\s*", line, re.IGNORECASE)
            delimiter = delimiter or (separator and separator[1])
            if not separator and not line.startswith("#") and line.strip("\ufeff \r\n"):
                break
            above.append(line.strip())
        else:
            raise UserError("the file holds no rows", source=source)

    def records(delimiter: str) -> Iterator[Row]:
        with lines_in(path, source) as lines:
            reader = csv.reader(islice(lines, len(above), None), delimiter=delimiter, strict=True)
            line = len(above) + 1
            while True:
                try:
                    for cells in reader:
                        yield line, cells
                        line = len(above) + reader.line_num + 1
                    return
                except csv.Error as error:
                    if "unexpected end" in str(error) or "limit" in str(error):
                        why = "the row that begins here does not end: a quotation mark is missing"
                        raise UserError(why, source=source, line=line) from None
                    yield line, "a quotation mark is out of place"
                    line = len(above) + reader.line_num + 1

    headers: dict[str, tuple[str, ...]] = {}
    for each in delimiter or ("\t" if tabs else ",;\t|"):
        cells = next(records(each))[1]
        if not isinstance(cells, str):
            headers[each] = tuple(" ".join(visible(cell).split()) for cell in cells)
    chosen = max(headers, key=lambda each: (bool(suits(headers[each])), len(headers[each])), default="")
    header = headers.get(chosen, ())
    if len(header) < 2:
        why = "the first line is no header of two or more columns (--delimiter names what is between them)"
        raise UserError(why, source=source, line=len(above) + 1)

    def rows(names: Sequence[str]) -> Iterator[Row]:
        places, width = [header.index(name) for name in names], len(header)
        take = itemgetter(*places) if len(places) > 1 else lambda cells: (cells[places[0]],)
        for line, cells in islice(records(chosen), 1, None):
            if len(cells) == width and (cells[places[0]] or any(cells)) and not isinstance(cells, str):
                yield line, take(cells)
            elif isinstance(cells, str):
                yield line, cells
            elif any(cells):  # else it is an empty row of a spreadsheet
                yield line, f"the row has {'fewer' if len(cells) < width else 'more'} cells than the header"

    hint = f"If {shown(above[-1])!r} is the header, remove its '#'." if above and above[-1].startswith("#") else ""
    return Table(source, header, rows, hint, exact=EXACT in above)


def _text(value: Any) -> str:
    """Return a value of JSON, Parquet or Python as a cell; missing values are empty, lists and objects JSON."""
    if isinstance(value, str):
        return value
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # a scalar of NumPy
        value = value.item()
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return (
        json.dumps(value if isinstance(value, dict) else [*value], default=str)
        if hasattr(value, "__iter__")
        else str(value)
    )


def _flat(record: Mapping[Any, Any], before: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        if isinstance(value, dict) and value and depth > 1:
            yield from _flat(value, f"{before}{name}.", depth - 1)
        else:
            yield f"{before}{name}", _text(value)


def _objects(source: str, records: Callable[[], Iterable[tuple[int, Any]]], *, in_python: bool = False) -> Table:
    """Return a table of mappings, each with its line; others cannot be used, and text says why."""
    names: dict[str, None] = {}
    for _, record in records():
        if isinstance(record, Mapping):
            names.update((name, None) for name, _ in _flat(record))
    if not names:
        raise UserError("there are no rows: each must be an object with the names of columns", source=source)

    def rows(chosen: Sequence[str]) -> Iterator[Row]:
        for line, record in records():
            if isinstance(record, Mapping):
                fields = [*_flat(record)]
                cells = dict(fields)
                twice = len(cells) < len(fields)
                yield line, "a name comes twice in a JSON object" if twice else [cells.get(name, "") for name in chosen]
            else:
                yield line, record if isinstance(record, str) else "this is no JSON object"

    return Table(source, tuple(names), rows, typed=True, in_python=in_python)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in a JSON object")
    return found


def _parsed(line: str) -> Any:
    """Return a JSON value, or why the line is none."""
    try:
        return json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return "this is no JSON object" if isinstance(error, json.JSONDecodeError) else str(error)


def json_table(path: Path, source: str, suits: Suits) -> Table:
    """Return a table of JSON Lines, or of one array of objects over any number of lines."""

    def objects() -> Iterator[tuple[int, Any]]:
        with lines_in(path, source) as lines:
            yield from ((number, _parsed(line)) for number, line in enumerate(lines, start=1) if line.strip())

    first = [*islice(objects(), 2)]
    if any(isinstance(record, dict) for _, record in first):
        if len(first) == 1:
            _refuse_wrapped(first[0][1], source, suits)
        return _objects(source, objects)
    with lines_in(path, source) as lines:
        size, kept = 0, []
        for line in lines:
            size += len(line)
            if size > _MOST:
                why = "the file is one large array: write an object on each line (jq -c '.[]' does that)"
                raise UserError(why, source=source)
            kept.append(line)
    try:
        found = json.loads("".join(kept), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        why = "this is neither JSON Lines nor one array of JSON objects"
        raise UserError(why, source=source, line=getattr(error, "lineno", None)) from None
    if isinstance(found, dict):
        _refuse_wrapped(found, source, suits)
    entries = found if isinstance(found, list) else [found]
    return _objects(source, lambda: enumerate(entries, start=1))


def _refuse_wrapped(record: Mapping[str, Any], source: str, suits: Suits) -> None:
    """Raise UserError if the only object of a file holds columns, or a list of rows."""
    values = [*record.values()]
    if len(values) > 1 and all(isinstance(each, dict) and each.keys() == values[0].keys() for each in values):
        code = f"import pandas; pandas.read_json({source!r}).to_json('votes.jsonl', orient='records', lines=True)"
        raise UserError(f"this holds columns, not rows; convert it: python -c {shlex.quote(code)}", source=source)
    paths: dict[str, list[str]] = {}
    for name, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            within = {f"[{json.dumps(each)}]": row for each, row in value[0].items() if isinstance(row, dict) and row}
            paths |= {f".[{json.dumps(name)}][]{inner}": [*row] for inner, row in {"": value[0], **within}.items()}
    if chosen := [path for path, header in paths.items() if suits(header)] or [*paths]:
        commands = " or ".join(f"jq -c {shlex.quote(each)} {shlex.quote(source)} > votes.jsonl" for each in chosen)
        raise UserError(f"this is one object; if it holds the rows, take them out: {commands}", source=source)


def parquet_table(path: Path, source: str) -> Table:
    """Return a table of which only the columns that matter are read; lines are counted as rows, from 1."""
    try:
        from pyarrow import parquet
    except ImportError:
        why = "reading Parquet needs pyarrow: pip install 'duelbench[parquet]', or save the file as CSV"
        raise UserError(why, source=source) from None

    def rows(names: Sequence[str]) -> Iterator[Row]:
        with faults(source), parquet.ParquetFile(path) as file:
            batches = file.iter_batches(batch_size=1 << 16, columns=list(names))
            cells = ([map(_text, batch.column(name).to_pylist()) for name in names] for batch in batches)
            yield from enumerate(chain.from_iterable(zip(*each, strict=True) for each in cells), start=1)

    with faults(source), parquet.ParquetFile(path) as file:
        return Table(source, tuple(file.schema_arrow.names), rows, typed=True)


def frame_table(frame: pd.DataFrame) -> Table:
    """Return the rows of a data frame, counted from 0."""
    columns = [*map(str, frame.columns)]

    def rows(names: Sequence[str]) -> Iterator[Row]:
        chosen = [frame.iloc[:, columns.index(name)] for name in names]
        cells = [map(_text, each.astype(object).where(each.notna(), None).tolist()) for each in chosen]
        return enumerate(zip(*cells, strict=True))

    return Table("the data frame", tuple(columns), rows, typed=True, in_python=True)


def records_table(records: Sequence[Any]) -> Table:
    """Return the rows of dictionaries, or of tuples (first, second, outcome), counted from 0."""
    rows = [each._asdict() if hasattr(each, "_asdict") else each for each in records]
    if all(isinstance(each, Mapping) for each in rows):
        return _objects("the records", lambda: enumerate(rows), in_python=True)
    if not all(isinstance(each, (tuple, list)) and len(each) == 3 for each in rows):
        why = "votes are files, a data frame, or a list of dictionaries or of tuples (first, second, outcome)"
        raise UserError(why)

    def tuples(names: Sequence[str]) -> Iterator[Row]:
        return enumerate([_text(each[columns.index(name)]) for name in names] for each in rows)

    columns = ("first", "second", "winner")
    return Table("the tuples", columns, tuples, any_words=True, typed=True, in_python=True)
