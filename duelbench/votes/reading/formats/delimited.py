"""Delimited text, such as CSV and TSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path

from duelbench.errors import UserError
from duelbench.votes.reading.tables import (
    EXACT,
    LONGEST,
    Format,
    RawTable,
    ReadRow,
    Suits,
    lines_in,
    shown,
    visible,
)

_TABS = (".tsv", ".tab")
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def checked_delimiter(text: str) -> str:
    """Return the delimiter that an option names, as a character or a word such as ``tab`` or ``semicolon``.

    Raises UserError if it cannot separate cells.
    """
    character = {**_DELIMITERS, "\\t": "\t"}.get(text.strip(" ").casefold(), text)
    if len(character) != 1 or character.isalnum() or character in '"\r\n\0\ufeff':
        raise UserError(
            f"the delimiter is {text!r:.40}: write one character, or {', '.join(_DELIMITERS)}", key=("delimiter",)
        )
    return character


def _table(path: Path, source: str, delimiter: str | None, suits: Suits) -> RawTable:
    """Read rows below a header line. Comments and blank lines may precede it; quoted cells may contain newlines."""
    csv.field_size_limit(LONGEST)
    if delimiter:
        delimiter = checked_delimiter(delimiter)
    tabs = source.lower().removesuffix(".gz").endswith(_TABS)
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

    def records(delimiter: str) -> Iterator[ReadRow]:
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

    def rows(names: Sequence[str]) -> Iterator[ReadRow]:
        places, width = [header.index(name) for name in names], len(header)
        take = itemgetter(*places) if len(places) > 1 else lambda cells: (cells[places[0]],)
        for line, cells in islice(records(chosen), 1, None):
            if len(cells) == width and (cells[places[0]] or any(cells)) and not isinstance(cells, str):
                yield line, take(cells)
            elif isinstance(cells, str):
                yield line, cells
            elif any(cells):  # we skip empty rows of spreadsheets
                yield line, f"the row has {'fewer' if len(cells) < width else 'more'} cells than the header"

    hint = f"If {shown(above[-1])!r} is the header, remove its '#'." if above and above[-1].startswith("#") else ""
    return RawTable(source, header, rows, hint, exact=EXACT in above)


FORMAT = Format((".csv", *_TABS), _table)
