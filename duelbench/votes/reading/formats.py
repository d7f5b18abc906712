"""The formats of files with rows, by their suffixes, and what to do with others."""

import re
import shlex
from pathlib import Path

from duelbench.errors import UserError
from duelbench.files import regular
from duelbench.votes.reading.options import checked_delimiter
from duelbench.votes.reading.pgn import games_table
from duelbench.votes.reading.preflib import PREFLIB, ballots_table
from duelbench.votes.reading.tables import Suits, Table, delimited, faults, json_table, lines_in, parquet_table
from duelbench.votes.reading.texts import several

_TABS = (".tsv", ".tab")
_OBJECTS = (".jsonl", ".ndjson", ".json")
_KNOWN = (".csv", *_TABS, *_OBJECTS, ".parquet", ".pgn")
_PANDAS = {".feather": "feather", ".arrow": "feather", ".pkl": "pickle", ".xlsx": "excel", ".xls": "excel"}
"""Suffixes of files that pandas can convert."""


def open_table(path: Path, source: str = "", delimiter: str | None = None, suits: Suits = lambda _: False) -> Table:
    """Return the rows of a file.

    The suffix of ``source``, by default the path, says how to read it; without a known one, as of standard input, its
    first characters do. ``delimiter`` separates the cells of a text file; by default it is one with which the header
    ``suits``, else the one with the most columns.

    Raises:
        UserError: it cannot be read, or has another format; ``source`` is the path and ``line`` the line.
    """
    source = source or str(path)
    suffix = _format(path, source)
    if suffix == ".parquet":
        return parquet_table(path, source)
    if suffix == ".pgn":
        return games_table(path, source)
    if suffix in PREFLIB:
        return ballots_table(path, source)
    if suffix in _OBJECTS:
        return json_table(path, source, suits)
    return delimited(path, source, checked_delimiter(delimiter) if delimiter else None, suffix in _TABS, suits)


def refuse_folder(path: Path, source: str) -> None:
    """Raise UserError for a folder, with the files in it that can be read."""
    if path.is_dir():
        inside = [shlex.quote(str(each)) for each in sorted(path.rglob("*")) if each.suffix.lower() in (*_KNOWN, ".gz")]
        files = f": {several(inside)}" if inside else ""
        raise UserError(f"this is a folder: name the files in it{files}", source=source)


def _format(path: Path, source: str) -> str:
    refuse_folder(path, source)
    suffix = Path(source.lower().removesuffix(".gz")).suffix
    if suffix in _PANDAS:
        code = f"import pandas; pandas.read_{_PANDAS[suffix]}({source!r}).to_csv('votes.csv', index=False)"
        raise UserError(f"convert it: python -c {shlex.quote(code)}", source=source)
    with faults(source), regular(path).open("rb") as stream:
        start = stream.read(4)
    if not start:
        raise UserError("the file is empty", source=source)
    if start == b"PAR1" or suffix == ".parquet":
        return ".parquet"
    if start.startswith(
        (b"PK", b"BZh", b"\xfd7z", b"(\xb5/\xfd", b"7z\xbc\xaf", b"\xff\xfe", b"\xfe\xff")
    ) or b"\0" in start.removeprefix(b"\x1f\x8b\x08\0"):
        raise UserError("this is neither UTF-8 text nor Parquet: unpack it, or save it as CSV", source=source)
    if suffix in (*_KNOWN, *PREFLIB):
        return suffix
    with lines_in(path, source) as lines:
        line = next((line.strip() for line in lines if line.strip()), "")
    return ".pgn" if re.match(r'\[\w+\s+"', line) else ".json" if line.startswith(("{", "[")) else ".csv"
