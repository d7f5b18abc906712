"""JSON Lines files, or files with one JSON array of objects."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from duelbench.errors import UserError
from duelbench.votes.reading.tables import Format, RawTable, Suits, lines_in, objects_table

_MOST = 200_000_000
"""The largest number of characters of a JSON array over several lines, since it is read at once."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in a JSON object")
    return found


def _parsed(line: str) -> Any:
    """Parse a line; return its JSON value, or a text that says why it is not valid."""
    try:
        return json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return "this is no JSON object" if isinstance(error, json.JSONDecodeError) else str(error)


def _table(path: Path, source: str, delimiter: str | None, suits: Suits) -> RawTable:
    """Read JSON Lines, or one array of objects over any number of lines."""

    def objects() -> Iterator[tuple[int, Any]]:
        with lines_in(path, source) as lines:
            yield from ((number, _parsed(line)) for number, line in enumerate(lines, start=1) if line.strip())

    first = [*islice(objects(), 2)]
    if any(isinstance(record, dict) for _, record in first):
        if len(first) == 1:
            _refuse_wrapped(first[0][1], source, suits)
        return objects_table(source, objects)
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
    return objects_table(source, lambda: enumerate(entries, start=1))


def _refuse_wrapped(record: Mapping[str, Any], source: str, suits: Suits) -> None:
    """Raise UserError if a file has a single object that holds columns or a list of rows."""
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


FORMAT = Format((".jsonl", ".ndjson", ".json"), _table, begins=r"[{\[]")
