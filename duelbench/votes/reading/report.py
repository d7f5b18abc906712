"""The result of reading votes: the counts, and a report of rows read and refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading.single import SingleVotes
from duelbench.votes.table import VoteTable

ABSTENTIONS = 5
"""The largest number of words for abstentions to name."""


@dataclass(frozen=True)
class Source:
    """A vote file: its path, its SHA-256, its number of rows, and how they were interpreted."""

    path: str
    sha256: str
    rows: int
    understood: str

    @classmethod
    def of(cls, path: Path, rows: int, understood: str, name: str = "") -> Source:
        """Return the description of a file that has been read, or of ``name``, whose content it has."""
        with path.open("rb") as stream:
            return cls(name or str(path), hashlib.file_digest(stream, "sha256").hexdigest(), rows, understood)


@dataclass(frozen=True)
class Refused:
    """Rows that are refused for one reason, and the places of the first ones."""

    reason: str
    rows: int
    places: tuple[str, ...]


@dataclass(frozen=True)
class Votes:
    """The votes in vote files.

    ``counts`` are the votes on each pair, arms sorted by name. Of the ``rows`` read, ``left_out`` were not selected and
    those in ``refused`` are invalid; ``abstentions`` has the number of rows with each word that says that the judge has
    not judged. ``dropped_ties`` is the number of ties that are not in ``counts``. ``judges`` has
    the number of rows of each judge, empty without names. ``warnings`` are sentences about ambiguous data. ``single``
    is None unless ``read_votes`` has kept the votes one by one.
    """

    counts: PairCounts
    sources: tuple[Source, ...]
    rows: int
    left_out: int
    refused: tuple[Refused, ...]
    dropped_ties: float
    judges: Mapping[str, int]
    warnings: tuple[str, ...]
    single: SingleVotes | None = None
    abstentions: Mapping[str, int] = field(default_factory=dict)

    def table(self) -> VoteTable | None:
        """Return the votes in ``counts`` one by one, with judges and groups; None without ``single``."""
        return self.single.table(self.counts.names) if self.single else None

    def problems(self) -> Iterator[str]:
        """Yield sentences on abstentions, on each reason why rows are refused, and the warnings."""
        if self.abstentions:
            yield self.abstained()
        for each in self.refused:
            yield f"{each.rows:,} of {self.rows:,} rows refused: {each.reason} ({each.places[0]})"
        yield from (f"note: {warning}" for warning in self.warnings)

    def abstained(self) -> str:
        """Return a sentence on the rows in which the judge has not judged."""
        words = ", ".join(f"{word!r} {rows:,}" for word, rows in list(self.abstentions.items())[:ABSTENTIONS])
        more = ", …" if len(self.abstentions) > ABSTENTIONS else ""
        total = sum(self.abstentions.values())
        return f"abstentions, which are no votes, in {total:,} of {self.rows:,} rows: {words}{more}"

    @property
    def refused_rows(self) -> int:
        """The number of refused rows."""
        return sum(each.rows for each in self.refused)
