"""What reading votes gives: the counts, and what was read and refused on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from duelbench.preferences.counts import PairCounts


@dataclass(frozen=True)
class Source:
    """One file of votes: where, the SHA-256 of its bytes, how many rows it has, and how they were understood."""

    path: str
    sha256: str
    rows: int
    understood: str

    @classmethod
    def of(cls, path: Path, rows: int, understood: str) -> Source:
        """Return what is said of a file that has been read."""
        with path.open("rb") as stream:
            return cls(str(path), hashlib.file_digest(stream, "sha256").hexdigest(), rows, understood)


@dataclass(frozen=True)
class Refused:
    """Rows that count for nothing, all for one reason, and the first places where they are."""

    reason: str
    rows: int
    places: tuple[str, ...]


@dataclass(frozen=True)
class Votes:
    """What files of votes hold.

    ``counts`` are the votes on each pair, arms sorted by name. Of the ``rows`` read, ``left_out`` were not asked for
    and those in ``refused`` count for nothing. ``dropped_ties`` is the number of votes that are ties and not in
    ``counts``. ``judges`` is how many of the rows are whose, empty where nobody is named. ``warnings`` are sentences
    about what may have been meant otherwise.
    """

    counts: PairCounts
    sources: tuple[Source, ...]
    rows: int
    left_out: int
    refused: tuple[Refused, ...]
    dropped_ties: float
    judges: Mapping[str, int]
    warnings: tuple[str, ...]

    @property
    def refused_rows(self) -> int:
        """How many rows count for nothing."""
        return sum(each.rows for each in self.refused)
