"""File formats of tables. Each module of this package defines one, called ``FORMAT``."""

import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from duelbench.errors import UserError
from duelbench.files import regular
from duelbench.markup import several
from duelbench.votes.reading.tables import Format, RawTable, Suits, faults, lines_in

_PANDAS = {".feather": "feather", ".arrow": "feather", ".pkl": "pickle", ".xlsx": "excel", ".xls": "excel"}
"""Suffixes of files that pandas can convert."""
_BINARY = (b"PK", b"BZh", b"\xfd7z", b"(\xb5/\xfd", b"7z\xbc\xaf", b"\xff\xfe", b"\xfe\xff")


@cache
def formats() -> dict[str, Format]:
    """Return the formats by their suffixes."""
    found: list[Format] = [import_module(f"{__name__}.{each.name}").FORMAT for each in iter_modules(__path__)]
    return {suffix: each for each in found for suffix in each.suffixes}


def open_table(path: Path, source: str = "", delimiter: str | None = None, suits: Suits = lambda _: False) -> RawTable:
    """Open a file as a table.

    The suffix of ``source``, by default the path, determines the format; without a known suffix, as for standard
    input, the first line does. ``delimiter`` separates the cells of a text file; by default we choose one for which the
    header ``suits``, else the one that gives the most columns.

    Raises UserError, with ``source`` and ``line``, if the file cannot be read or has another format.
    """
    source = source or str(path)
    return _format(path, source).read(path, source, delimiter, suits)


def refuse_folder(path: Path, source: str) -> None:
    """Raise UserError if the path is a folder, and list the files in it that can be read."""
    if path.is_dir():
        suffixes = {*formats(), ".gz"}
        inside = [shlex.quote(str(each)) for each in sorted(path.rglob("*")) if each.suffix.lower() in suffixes]
        files = f": {several(inside)}" if inside else ""
        raise UserError(f"this is a folder: name the files in it{files}", source=source)


def _format(path: Path, source: str) -> Format:
    refuse_folder(path, source)
    suffix = Path(source.lower().removesuffix(".gz")).suffix
    if suffix in _PANDAS:
        code = f"import pandas; pandas.read_{_PANDAS[suffix]}({source!r}).to_csv('votes.csv', index=False)"
        raise UserError(f"convert it: python -c {shlex.quote(code)}", source=source)
    with faults(source), regular(path).open("rb") as stream:
        start = stream.read(4)
    if not start:
        raise UserError("the file is empty", source=source)
    chosen = next((each for each in formats().values() if each.magic == start), formats().get(suffix))
    if chosen is not None and chosen.magic:
        return chosen
    if start.startswith(_BINARY) or b"\0" in start.removeprefix(b"\x1f\x8b\x08\0"):
        raise UserError("this is neither UTF-8 text nor Parquet: unpack it, or save it as CSV", source=source)
    if chosen is not None:
        return chosen
    with lines_in(path, source) as lines:
        line = next((line.strip() for line in lines if line.strip()), "")
    by_line = (each for each in formats().values() if each.begins and re.match(each.begins, line))
    return next(by_line, formats()[".csv"])
