"""Ballots in PrefLib formats: complete or incomplete orders of alternatives, with or without ties.

A line is ``count: 8,5,{6,3},1``, best first, ties in braces, below a header of ``# KEY: value`` lines; alternatives are
numbered from 1. Files from before 2022 have no ``#``: the number of alternatives, a line ``i,name`` for each, a line
``voters,sum of counts,orders``, then ``count,8,5,{6,3},1``; in a .pwg the count is the number of voters who prefer the
first of two alternatives. In a .wmd lines are ``i,j,weight``; before 2022 its first line is ``alternatives,edges``, no
line follows the names, and ``i`` and ``j`` begin with 0. Mattei & Walsh, PrefLib: A Library for Preferences, ADT 2013.

Of two alternatives on a ballot, the higher one wins once for each voter; alternatives in braces tie. Alternatives that
are not on the ballot were either not compared or rank below all others: the format does not define this, so the user
chooses.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np

from duelbench.errors import UserError
from duelbench.files import MOST_BYTES, regular, rereadable
from duelbench.preferences.counts import PairCounts
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.options import Ties
from duelbench.votes.reading.tally import Refusal, Tally, quantity
from duelbench.votes.reading.text import faults
from duelbench.votes.vote_table import Duel, FileRows, SingleVotes, Source, Votes

Unlisted = Literal["apart", "below"]
"""The meaning of alternatives missing from a ballot: not compared, or below all others."""
PREFLIB = (".soc", ".soi", ".toc", ".toi", ".pwg", ".wmd")
"""The suffixes of files of ballots."""
MAJORITIES = (".tog", ".mjg", ".wmg", ".cat")
"""The suffixes of PrefLib's files without votes on pairs."""
MAX_VOTES = 5_000_000
"""The largest number of votes of a file to keep one by one."""
_ORDER = re.compile(r"(?:\d+|\{[\d,]*\})(?:,(?:\d+|\{[\d,]*\}))*", re.ASCII)


def read_preflib(
    paths: Sequence[Path | str], unlisted: Unlisted = "apart", ties: Ties = "half", *, single: bool = False
) -> Votes:
    """Read files of ballots; alternatives of the same name in several files are one arm.

    With ``single`` the votes are kept one by one, too, those of a voter as a group.

    Raises:
        UserError: a file that does not follow the format; ``source`` and ``line`` say where.
    """
    tally = Tally()
    sources, rows_of = [], []
    rows = 0
    for path in map(Path, paths):
        with rereadable(path) as copy:
            content = _content(copy)
            file = _File(str(path), _suffix(path, content), unlisted)
            if single:
                file.single = FileRows(together=file.ordered)
                rows_of.append(file.single)
            file.read(content.splitlines())
            file.add_to(tally, ties == "half")
            understood = f"{file.voters:,} voters" if file.ordered else "voters on each pair"
            sources.append(Source.of(copy, file.rows, understood, str(path)))
            rows += file.rows
    try:
        counts = tally.counts()
        if not counts.votes.any():
            raise UserError("no ballot compares two alternatives")
    except UserError as error:
        error.source = error.source or str(paths[0])
        raise
    kept = SingleVotes(tuple(rows_of), (), ties == "half") if single else None
    return Votes(counts, tuple(sources), rows, 0, (), tally.dropped_ties, {}, tuple(tally.warnings()), kept)


def _suffix(path: Path, content: str) -> str:
    """Return the kind of a file: its suffix or, of a file without a suffix, the data type in its header."""
    stated = re.match(r"(?:#.*\n)*# DATA TYPE: *(\w+)", content)
    suffix = path.suffix.lower() or (f".{stated[1].lower()}" if stated else "")
    if suffix in MAJORITIES:
        raise UserError(f"a {suffix} file has no votes on pairs: take the orders or the .pwg file", source=str(path))
    if suffix not in PREFLIB:
        raise UserError(f"unknown kind of file: PrefLib's are called {', '.join(PREFLIB)}", source=str(path))
    return suffix


def _content(path: Path) -> str:
    with faults(path):
        return regular(path, MOST_BYTES).read_text(encoding="utf-8-sig")


@dataclass
class _File:
    """The content of a file so far. ``wins`` and ``ties`` are (alternatives, alternatives); ``ties`` is symmetric.

    ``begin``: the number of the first alternative.
    """

    path: str
    suffix: str
    unlisted: Unlisted
    names: list[str] = field(default_factory=list)
    stated: int | None = None
    voters: int = 0
    rows: int = 0
    line: int = 0
    single: FileRows | None = None
    votes: int = 0
    begin: int = 1
    wins: np.ndarray[tuple[int, int], np.dtype[np.float64]] = field(default_factory=lambda: np.zeros((0, 0)))
    ties: np.ndarray[tuple[int, int], np.dtype[np.float64]] = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def ordered(self) -> bool:
        """Whether lines are ballots, not pairs."""
        return self.suffix not in (".pwg", ".wmd")

    def refuse(self, why: str) -> NoReturn:
        raise UserError(why, source=self.path, line=self.line or None)

    def read(self, lines: Sequence[str]) -> None:
        """Read header and ballots, and check the numbers in the header."""
        current = any(line.startswith("#") for line in lines[:1])
        begin = self._header(lines) if current else self._old_header(lines)
        self.wins, self.ties = np.zeros((2, len(self.names), len(self.names)))
        for self.line, text in enumerate(lines[begin:], begin + 1):
            content = "".join(text.split())
            if not content or content.startswith("#"):
                continue
            self.rows += 1
            if self.ordered:
                count, colon, order = content.partition(":" if current else ",")
                if not colon:
                    self.refuse(f"a ballot must be a count, a {'colon' if current else 'comma'} and an order")
                self._ballot(self._whole(count, 1), order)
            else:
                self._edge(content, current or self.suffix == ".wmd")
        self.line = 0
        if not self.rows:
            self.refuse("the file holds no ballots")
        if self.ordered and self.stated is not None and self.voters != self.stated:
            self.refuse(f"the header says {self.stated:,} voters, but there are {self.voters:,} ballots")

    def _header(self, lines: Sequence[str]) -> int:
        found: dict[str, str] = {}
        begin = next((place for place, text in enumerate(lines) if not text.startswith("#")), len(lines))
        for text in lines[:begin]:
            key, _, value = text[1:].partition(":")
            found[key.strip().upper()] = value.strip()
        self.line = 1
        number = self._whole(found.get("NUMBER ALTERNATIVES", ""), 2, "the header's NUMBER ALTERNATIVES")
        self._check(number)
        self.names = [found.get(f"ALTERNATIVE NAME {place}") or str(place) for place in range(1, number + 1)]
        if self.ordered and "NUMBER VOTERS" in found:
            self.stated = self._whole(found["NUMBER VOTERS"], 1, "the header's NUMBER VOTERS")
        self._distinct()
        return begin

    def _old_header(self, lines: Sequence[str]) -> int:
        if not lines:
            self.refuse("the file is empty")
        self.line = 1
        graph = self.suffix == ".wmd"
        first = lines[0].partition(",")[0] if graph else lines[0]
        number = self._whole(first.strip(), 2, "the first line, the number of alternatives,")
        self._check(number)
        for self.line, text in enumerate(lines[1 : number + 1], 2):
            place, comma, name = text.partition(",")
            if not comma or self._whole(place.strip(), 1) != self.line - 1:
                self.refuse(f"line {self.line} of the header must be '{self.line - 1},<name of the alternative>'")
            self.names.append(name.strip() or str(self.line - 1))
        if len(lines) < number + 2:
            self.refuse("the file ends in its header")
        self._distinct()
        if graph:
            self.begin = 0
            return number + 1
        self.line = number + 2
        totals = lines[number + 1].split(",")
        if len(totals) != 3:
            self.refuse("the line below the names must have three numbers: voters, sum of counts and different orders")
        if self.ordered:
            self.stated = self._whole(totals[1].strip(), 1)
        return number + 2

    def _check(self, number: int) -> None:
        if number > MAX_ARMS:
            self.refuse(f"there are {number:,} alternatives: a matrix has at most {MAX_ARMS:,} arms")

    def _distinct(self) -> None:
        twice = {name for name in self.names if self.names.count(name) > 1}
        if twice:
            self.refuse(f"two alternatives are called {min(twice)!r}")

    def _whole(self, text: str, least: int, what: str = "a number") -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 15) or int(text) < least:
            self.refuse(f"{what} must be a whole number of at least {least}, not {text[:40]!r}")
        return int(text)

    def _place(self, text: str) -> int:
        number, last = self._whole(text, self.begin, "an alternative"), self.begin + len(self.names) - 1
        if number > last:
            self.refuse(f"there is no alternative {number}: they are numbered from {self.begin} to {last}")
        return number - self.begin

    def _ballot(self, count: int, order: str) -> None:
        if not _ORDER.fullmatch(order):
            self.refuse("an order must be alternatives separated by commas, with ties in braces: 8,5,{6,3},1")
        if "{" in order and self.suffix in (".soc", ".soi"):
            self.refuse(f"a {self.suffix} file has no ties: braces are allowed in .toc and .toi")
        rank: dict[int, int] = {}
        for position, group in enumerate(re.findall(r"\{[^}]*\}|\d+", order)):
            for text in filter(None, group.strip("{}").split(",")):
                alternative = self._place(text)
                if alternative in rank:
                    self.refuse(f"alternative {alternative + 1} appears twice in this ballot")
                rank[alternative] = position
        if len(rank) < len(self.names) and self.suffix in (".soc", ".toc"):
            self.refuse(f"a {self.suffix} file has complete orders, but this has {len(rank)} of {len(self.names)}")
        listed = np.array(list(rank), dtype=np.intp)
        place = np.array(list(rank.values()))
        block = np.ix_(listed, listed)
        self.wins[block] += count * (place[:, None] < place[None, :])
        self.ties[block] += count * ((place[:, None] == place[None, :]) & ~np.eye(len(place), dtype=bool))
        if self.unlisted == "below":
            others = np.setdiff1d(np.arange(len(self.names)), listed)
            self.wins[np.ix_(listed, others)] += count
        self.voters += count
        if self.single is not None:
            self._keep(self.single, rank, count)

    def _keep(self, single: FileRows, rank: dict[int, int], count: int) -> None:
        """Keep the votes of a ballot one by one."""
        below = set(range(len(self.names))) - rank.keys() if self.unlisted == "below" else set()
        self.votes += count * (len(rank) * (len(rank) - 1) // 2 + len(rank) * len(below))
        if self.votes > MAX_VOTES:
            self.refuse(
                f"these ballots are more than {MAX_VOTES:,} votes on pairs, too many to keep one by one: read fewer"
            )
        single.add(
            [
                *(
                    Duel(self.names[a], self.names[b], rank[a] < rank[b], rank[a] > rank[b], rank[a] == rank[b])
                    for a, b in combinations(rank, 2)
                ),
                *(Duel(self.names[a], self.names[b], 1.0, 0.0, 0.0) for a in rank for b in sorted(below)),
            ],
            count,
        )

    def _edge(self, content: str, last: bool) -> None:
        """Count the votes on a pair, whose weight is the last number in its line or the first."""
        cells = content.split(",")
        if len(cells) != 3:
            self.refuse("a line is " + ("two alternatives and a weight" if last else "a count and two alternatives"))
        first, second = (self._place(cell) for cell in (cells[:2] if last else cells[1:]))
        if first == second:
            self.refuse("an alternative is compared with itself")
        try:
            weight = quantity(cells[2] if last else cells[0], "count")
        except Refusal as refusal:
            self.refuse(str(refusal))
        self.wins[first, second] += weight
        if self.single is not None:
            self.single.add([Duel(self.names[first], self.names[second], weight, 0.0, 0.0)])

    def add_to(self, tally: Tally, keep_ties: bool) -> None:
        """Add the votes of the file to a tally."""
        counts = PairCounts(tuple(self.names), self.wins, self.ties)
        tally.enter(counts.names)
        for i, j in np.argwhere(np.triu(counts.votes > 0, 1)):
            duel = Duel(self.names[i], self.names[j], self.wins[i, j], self.wins[j, i], self.ties[i, j])
            tally.add(duel, 1.0, keep_ties)
