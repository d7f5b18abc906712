"""Ballots in PrefLib formats: complete or incomplete orders of alternatives, with or without ties.

A line is ``count: 8,5,{6,3},1``, best first, ties in braces, below a header of ``# KEY: value`` lines; alternatives are
numbered from 1. Files from before 2022 have no ``#``: the number of alternatives, a line ``i,name`` for each, a line
``voters,sum of counts,orders``, then ``count,8,5,{6,3},1``. In a .pwg a line has two alternatives and, behind them or
before 2022 in front of them, how many voters prefer the first. Mattei & Walsh, PrefLib: A Library for Preferences, ADT
2013.

Of two alternatives on a ballot, the higher one wins once for each voter; alternatives in braces tie. Alternatives that
are not on the ballot were either not compared or rank below all others: the format does not define this, so the user
chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np

from duelbench.arrays import Ints
from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.counts import PairCounts
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.tables import lines_in, text_in
from duelbench.votes.reading.texts import number_in
from duelbench.votes.vote_table import Source, Votes, VoteTable

Unlisted = Literal["apart", "below"]
"""The meaning of alternatives missing from a ballot: not compared, or below all others."""
_ORDERS = (".soc", ".soi", ".toc", ".toi")
_OTHERS = (".wmd", ".tog", ".mjg", ".wmg", ".cat")
PREFLIB = (*_ORDERS, ".pwg", *_OTHERS)
"""The suffixes of PrefLib's files. The last five have no votes on pairs."""
MAX_VOTES = 5_000_000
"""The largest number of votes to keep one by one."""
_ORDER = re.compile(r"(?:\d+|\{[\d,]*\})(?:,(?:\d+|\{[\d,]*\}))*", re.ASCII)


def read_preflib(
    paths: Sequence[Path | str],
    unlisted: Unlisted = "apart",
    ties: Literal["half", "drop"] = "half",
    *,
    counted: bool = False,
) -> Votes:
    """Read files of ballots; alternatives of the same name in several files are one arm.

    Votes of a voter are a group, unless they are only ``counted``.

    Raises:
        UserError: a file that does not follow the format; ``source`` and ``line`` say where.
    """
    files, sources = [], []
    for path in map(Path, paths):
        with rereadable(path) as copy:
            with text_in(copy, path) as stream:
                file = _File(str(path), [*lines_in(stream, str(path))])
            files.append(file)
            understood = f"{file.voters:,} voters" if file.ordered else "voters on each pair"
            sources.append(Source.of(copy, str(path)).read(len(file.rows), understood))
    names = sorted({name for file in files for name in file.names})
    if len(names) > MAX_ARMS:
        files[0].refuse(f"there are {len(names):,} alternatives: a matrix has at most {MAX_ARMS:,} arms")
    wins, tied = np.zeros((2, len(names), len(names)))
    rows: list[tuple[Ints, ...]] = []
    votes, group = 0, 0
    for file in files:
        arm = np.array([names.index(name) for name in file.names])
        for first, second, outcome, number in file.votes(unlisted):
            one, two = arm[first], arm[second]
            better, worse = np.where(outcome > 0, one, two), np.where(outcome > 0, two, one)
            np.add.at(wins, (better[outcome != 0], worse[outcome != 0]), number)
            np.add.at(tied, (one[outcome == 0], two[outcome == 0]), number)
            if file.ordered and not counted:
                votes += len(one) * int(number)
                if votes > MAX_VOTES:
                    file.refuse(f"these ballots are more than {MAX_VOTES:,} votes on pairs: read fewer")
                voters = np.arange(group, group + int(number))
                rows.append(
                    (*(np.tile(each, len(voters)) for each in (one, two, outcome)), np.repeat(voters, len(one)))
                )
                group += len(voters)
    if not (wins.any() or tied.any()):
        files[0].refuse("no ballot compares two alternatives")
    dropped = float(tied.sum()) if ties == "drop" else 0.0
    counts = PairCounts(tuple(names), wins, (tied + tied.T) * (ties == "half"))
    content: VoteTable | PairCounts = counts
    if rows and all(file.ordered for file in files):
        first, second, outcome, voter = map(np.concatenate, zip(*rows, strict=True))
        weight, judge = np.ones(len(first)), np.full(len(first), -1)
        content = VoteTable(counts.names, first, second, outcome, weight, judge, voter, ordered=False)
        content = content.chosen(outcome != 0) if ties == "drop" else content
    number = sum(len(file.rows) for file in files)
    return Votes(content, tuple(sources), number, dropped_ties=dropped)


class _File:
    """The content of a file: the names of its alternatives, and for each row its line, its count and its order."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.path = path
        self.line: int | None = None
        stated = re.match(r"# DATA TYPE: *(\w+)", next((text for text in lines if text.startswith("# DATA TYPE")), ""))
        self.suffix = Path(path).suffix.lower() or (f".{stated[1].lower()}" if stated else "")
        if self.suffix in _OTHERS or self.suffix not in PREFLIB:
            self.refuse(f"ballots are read from {', '.join(_ORDERS)} and pairs from .pwg: take one of these files")
        current = any(text.startswith("#") for text in lines[:1])
        begin, voters = self._header(lines) if current else self._old_header(lines)
        if len({*self.names}) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            self.refuse(f"two alternatives are called {twice!r}")
        self.rows: list[tuple[int, float, str]] = []
        for self.line, text in enumerate(lines[begin:], begin + 1):
            content = "".join(text.split())
            if content and not content.startswith("#"):
                self.rows.append((self.line, *self._row(content, current)))
        self.line = None
        if not self.rows:
            self.refuse("the file holds no ballots")
        self.voters = sum(int(count) for _, count, _ in self.rows)
        if self.ordered and voters is not None and self.voters != voters:
            self.refuse(f"the header says {voters:,} voters, but there are {self.voters:,} ballots")

    @property
    def ordered(self) -> bool:
        """Whether lines are ballots, not pairs."""
        return self.suffix in _ORDERS

    def refuse(self, why: str) -> NoReturn:
        raise UserError(why, source=self.path, line=self.line)

    def _header(self, lines: Sequence[str]) -> tuple[int, int | None]:
        """Read the names; return the number of lines of the header, and that of voters if it is stated."""
        begin = next((place for place, text in enumerate(lines) if not text.startswith("#")), len(lines))
        found = {
            name.strip().upper(): value.strip()
            for name, _, value in (text[1:].partition(":") for text in lines[:begin])
        }
        self.line = 1
        number = self._whole(found.get("NUMBER ALTERNATIVES", ""), 2, "the header's NUMBER ALTERNATIVES", MAX_ARMS)
        self.names = [found.get(f"ALTERNATIVE NAME {place}") or str(place) for place in range(1, number + 1)]
        voters = found.get("NUMBER VOTERS")
        return begin, None if voters is None else self._whole(voters, 1, "the header's NUMBER VOTERS")

    def _old_header(self, lines: Sequence[str]) -> tuple[int, int | None]:
        self.line = 1
        number = self._whole("".join(lines[:1]).strip(), 2, "the first line, the number of alternatives,", MAX_ARMS)
        if len(lines) < number + 2:
            self.refuse("the file ends in its header")
        self.names = []
        for self.line, text in enumerate(lines[1 : number + 1], 2):
            place, _, name = text.partition(",")
            if place.strip() != str(self.line - 1):
                self.refuse(f"line {self.line} of the header must be '{self.line - 1},<name of the alternative>'")
            self.names.append(name.strip() or place.strip())
        self.line = number + 2
        totals = lines[number + 1].split(",")
        if len(totals) != 3:
            self.refuse("the line below the names must have three numbers: voters, sum of counts and different orders")
        return number + 2, self._whole(totals[1].strip(), 1) if self.ordered else None

    def _whole(self, text: str, least: int, what: str = "a number", most: int = 10**15) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 15 and least <= int(text) <= most):
            upper = f" and at most {most:,}" if most == MAX_ARMS else ""
            self.refuse(f"{what} must be a whole number of at least {least}{upper}, not {text[:40]!r}")
        return int(text)

    def _row(self, content: str, current: bool) -> tuple[float, str]:
        """Return the count of a line and its order."""
        if self.ordered:
            count, mark, order = content.partition(":" if current else ",")
            if not mark or not _ORDER.fullmatch(order):
                how = "8: 5,{6,3},1" if current else "8,5,{6,3},1"
                self.refuse(f"a ballot is a count and an order of alternatives, with ties in braces: {how}")
            return self._whole(count, 1), order
        cells = content.split(",")
        count, order = (cells[-1], cells[:-1]) if current else (cells[0], cells[1:])
        number = number_in(count)
        if len(cells) != 3 or number is None or not (number == 0 or 1e-6 <= number <= 1e12):
            self.refuse(
                "a line is " + ("two alternatives and a number" if current else "a number and two alternatives")
            )
        return number, ",".join(order)

    def votes(self, unlisted: Unlisted) -> Iterator[tuple[Ints, Ints, Ints, float]]:
        """Yield the pairs of each row: two alternatives, from 0, the outcome, and how many voters say so."""
        for self.line, count, order in self.rows:
            rank = self._ranks(order)
            complete = len(rank) == len(self.names)
            if unlisted == "below" and self.ordered and not complete:
                rank |= {place: len(self.names) for place in range(len(self.names)) if place not in rank}
            listed, place = np.array([*rank]), np.array([*rank.values()])
            one, two = np.triu_indices(len(listed), 1)
            outcome = np.sign(place[two] - place[one])
            kept = (outcome != 0) | (place[one] < len(self.names))
            yield listed[one][kept], listed[two][kept], outcome[kept], count
        self.line = None

    def _ranks(self, order: str) -> dict[int, int]:
        """Return the alternatives of an order, from 0, each with its rank."""
        rank: dict[int, int] = {}
        for position, tied in enumerate(re.findall(r"\{[^}]*\}|\d+", order)):
            for text in filter(None, tied.strip("{}").split(",")):
                alternative = self._whole(text, 1, "an alternative") - 1
                if alternative >= len(self.names):
                    self.refuse(f"there is no alternative {text}: they are numbered from 1 to {len(self.names)}")
                if alternative in rank:
                    self.refuse(f"alternative {text} comes twice")
                rank[alternative] = position
        if "{" in order and self.suffix not in (".toc", ".toi"):
            self.refuse(f"a {self.suffix} file has no ties: braces are allowed in .toc and .toi")
        least = len(self.names) if self.suffix in (".soc", ".toc") else 2 if self.suffix == ".pwg" else 0
        if len(rank) < least:
            self.refuse(f"a {self.suffix} file has complete orders, but this has {len(rank)} of {least}")
        return rank
