"""Rows of a Parquet file, read with pyarrow."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.errors import UserError
from duelbench.votes.reading.rows import Refuse, Row, as_text

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

BATCH = 1 << 16
"""The number of rows in memory at a time."""


class Parquet:
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
            for batch in self._open().iter_batches(batch_size=BATCH, columns=list(names)):
                # A name requested twice is one column of the batch.
                cells = [[as_text(value, name in texts) for value in batch.column(name).to_pylist()] for name in names]
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
