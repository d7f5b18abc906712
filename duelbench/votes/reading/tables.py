"""Represent files and Python objects as tables with named columns; compare and display the text of cells.

Fields of nested JSON objects are columns, too: ``a.model`` is ``model`` in ``a``.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duelbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

_HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Invisible characters besides control and format characters. U+E0020 to U+E007F distinguish flags, so they stay."""
FLAGS = {"true": 1.0, "1": 1.0, "yes": 1.0, "false": 0.0, "0": 0.0, "no": 0.0, "": 0.0}
"""The values allowed in a column of flags."""
_SHOWN = 40


def is_hidden(character: str) -> bool:
    """Return whether a character is invisible, such as a soft hyphen or a byte-order mark."""
    if "\U000e0020" <= character <= "\U000e007f":
        return False
    return unicodedata.category(character) in ("Cf", "Cc") or _HIDDEN.match(character) is not None


def visible(text: str) -> str:
    """Remove invisible characters from a text, and replace tabs and line breaks by blanks."""
    if text.isprintable() and text.isascii():
        return text
    return "".join(" " if each.isspace() else each for each in text if each.isspace() or not is_hidden(each))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text)).casefold().strip()


def key(name: str) -> str:
    """Normalise a column name for comparison: ignore case, blanks, ``_``, ``-`` and invisible characters."""
    return re.sub(r"[\s_-]+", "", _plain(name))


def word(text: str) -> str:
    """Normalise an outcome like ``key``, but keep the signs of numbers and of results such as 1-0."""
    plain = _plain(text).replace("–", "-")
    return key(plain) if re.search("[a-z]", plain) else "".join(plain.split())


def same(name: str) -> str:
    """Normalise the name of an arm: ignore case, blanks and invisible characters.

    The whole numbers 7 and 7.0 are the same arm. Blanks between digits matter: ``v1 10`` is not ``v11 0``.
    """
    plain = re.sub(r"(?<=\d)\s+(?=\d)", "_", _plain(name) or name)
    return "".join(re.sub(r"^(-?\d+)\.0$", r"\1", plain).split())


def number_in(text: str) -> float | None:
    """Convert a text to a finite number; None if it is not one."""
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def shown(text: str) -> str:
    """Return a cell on one line, shortened for messages."""
    line = " ".join(visible(text).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


ReadRow = tuple[int, "Sequence[str] | str"]
"""The line number of a row, and its cells or the reason why it cannot be used."""
Suits = Callable[[Sequence[str]], object]
"""Returns a true value if a header is recognised."""
EXACT = "# duelbench: names are exact"
"""The comment in files of counts that duelbench writes: each name is an arm of its own."""
_SAMPLE = 1_000
LONGEST = 1 << 24
"""The largest number of characters in a line or a cell; enough for prompts and answers of a hundred pages."""
_DEPTH = 8
"""The number of levels of nested JSON objects that become columns."""


@dataclass(frozen=True)
class RawTable:
    """Rows with named columns.

    ``rows`` yields the cells of the given columns, in the given order, and may be called again. ``hint`` is added to
    errors about the columns, and ``notes`` are sentences about the content. ``group`` is the column of groups that the
    format defines. ``exact``: each spelling is an arm of its own; ``typed``: cells have types; ``in_python``: the rows
    come from Python, not from a file; ``tags``: columns are tags of games, so unused ones are not reported;
    ``any_words``: outcomes may be words for the two sides from any layout.
    """

    source: str
    columns: tuple[str, ...]
    rows: Callable[[Sequence[str]], Iterator[ReadRow]]
    hint: str = ""
    notes: tuple[str, ...] = ()
    group: str | None = None
    exact: bool = False
    typed: bool = False
    in_python: bool = False
    tags: bool = False
    any_words: bool = False

    def sample(self) -> list[Sequence[str]]:
        """Return the first usable rows, with long texts cut off."""
        rows = (cells for _, cells in islice(self.rows(self.columns), _SAMPLE) if not isinstance(cells, str))
        return [[cell[:500] for cell in cells] for cells in rows]


class Format(NamedTuple):
    """A format of files.

    ``read`` takes the path, its name in errors, the delimiter that the user has named, and a test of headers.
    ``magic`` is the first four bytes of a binary file. A file without a known suffix has the format if its first line
    matches ``begins``.
    """

    suffixes: tuple[str, ...]
    read: Callable[[Path, str, str | None, Suits], RawTable]
    magic: bytes = b""
    begins: str = ""


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
    """Open a file of UTF-8 text, possibly compressed with gzip, and yield an iterator over its lines."""
    with faults(source), path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        with io.TextIOWrapper(gzip.open(raw) if packed else raw, encoding="utf-8-sig", newline="") as text:
            yield iter(partial(text.readline, LONGEST), "")


def cell_text(value: Any) -> str:
    """Convert a value to the text of a cell: missing values are empty, lists and objects become JSON."""
    if isinstance(value, str):
        return value
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # a NumPy scalar
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
            yield f"{before}{name}", cell_text(value)


def objects_table(
    source: str, records: Callable[[], Iterable[tuple[int, Any]]], *, in_python: bool = False
) -> RawTable:
    """Make a table from (line, mapping) pairs. A text in place of a mapping says why the row cannot be used."""
    names: dict[str, None] = {}
    for _, record in records():
        if isinstance(record, Mapping):
            names.update((name, None) for name, _ in _flat(record))
    if not names:
        raise UserError("there are no rows: each must be an object with the names of columns", source=source)

    def rows(chosen: Sequence[str]) -> Iterator[ReadRow]:
        for line, record in records():
            if isinstance(record, Mapping):
                fields = [*_flat(record)]
                cells = dict(fields)
                twice = len(cells) < len(fields)
                yield line, "a name comes twice in a JSON object" if twice else [cells.get(name, "") for name in chosen]
            else:
                yield line, record if isinstance(record, str) else "this is no JSON object"

    return RawTable(source, tuple(names), rows, typed=True, in_python=in_python)


def frame_table(frame: pd.DataFrame) -> RawTable:
    """Make a table from a data frame, with rows counted from 0."""
    columns = [*map(str, frame.columns)]

    def rows(names: Sequence[str]) -> Iterator[ReadRow]:
        chosen = [frame.iloc[:, columns.index(name)] for name in names]
        cells = [map(cell_text, each.astype(object).where(each.notna(), None).tolist()) for each in chosen]
        return enumerate(zip(*cells, strict=True))

    return RawTable("the data frame", tuple(columns), rows, typed=True, in_python=True)


def records_table(records: Sequence[Any]) -> RawTable:
    """Make a table from dictionaries or from tuples (first, second, outcome), with rows counted from 0."""
    rows = [each._asdict() if hasattr(each, "_asdict") else each for each in records]
    if all(isinstance(each, Mapping) for each in rows):
        return objects_table("the records", lambda: enumerate(rows), in_python=True)
    if not all(isinstance(each, (tuple, list)) and len(each) == 3 for each in rows):
        why = "votes are files, a data frame, or a list of dictionaries or of tuples (first, second, outcome)"
        raise UserError(why)

    def tuples(names: Sequence[str]) -> Iterator[ReadRow]:
        return enumerate([cell_text(each[columns.index(name)]) for name in names] for each in rows)

    columns = ("first", "second", "winner")
    return RawTable("the tuples", columns, tuples, any_words=True, typed=True, in_python=True)
