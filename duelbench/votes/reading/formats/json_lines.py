"""JSON Lines, or one JSON array of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duelbench.errors import UserError
from duelbench.votes.reading.tables import Format, RawTable, Suits, lines_in, objects_table

_MOST = 200_000_000
"""The largest number of characters of JSON over several lines, which is read at once."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in a JSON object")
    return found


def _parsed(line: str) -> Any:
    """Return the JSON value of a line, or a text that says why it has none."""
    try:
        return json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return "this is no JSON object" if isinstance(error, json.JSONDecodeError) else str(error)


def _table(path: Path, source: str, delimiter: str | None, suits: Suits) -> RawTable:
    """Return a table of JSON Lines, or of one array of objects over any number of lines."""

    def objects() -> Iterator[tuple[int, Any]]:
        with lines_in(path, source) as lines:
            yield from ((number, _parsed(line)) for number, line in enumerate(lines, start=1) if line.strip())

    if isinstance(next(objects(), (1, None))[1], dict):
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
    entries = found if isinstance(found, list) else [found]
    return objects_table(source, lambda: enumerate(entries, start=1))


FORMAT = Format((".jsonl", ".ndjson", ".json"), _table, begins=r"[{\[]")
