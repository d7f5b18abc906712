"""Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from duelbench.errors import UserError
from duelbench.votes.reading.tables import Format, RawTable, ReadRow, Suits, cell_text, faults


def _table(path: Path, source: str, delimiter: str | None, suits: Suits) -> RawTable:
    """Make a table that reads only the requested columns. Line numbers are row numbers, from 1."""
    try:
        from pyarrow import parquet
    except ImportError:
        why = "reading Parquet needs pyarrow: pip install 'duelbench[parquet]', or save the file as CSV"
        raise UserError(why, source=source) from None

    def rows(names: Sequence[str]) -> Iterator[ReadRow]:
        with faults(source), parquet.ParquetFile(path) as file:
            batches = file.iter_batches(batch_size=1 << 16, columns=list(names))
            cells = ([map(cell_text, batch.column(name).to_pylist()) for name in names] for batch in batches)
            yield from enumerate(chain.from_iterable(zip(*each, strict=True) for each in cells), start=1)

    with faults(source), parquet.ParquetFile(path) as file:
        return RawTable(source, tuple(file.schema_arrow.names), rows, typed=True)


FORMAT = Format((".parquet",), _table, magic=b"PAR1")
