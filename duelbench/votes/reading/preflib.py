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
from typing import Literal

import numpy as np

from duelbench.arrays import Ints
from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.counts import PairCounts
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.tables import lines_in
from duelbench.votes.reading.texts import number_in
from duelbench.votes.vote_table import Source, Votes, VoteTable

Unlisted = Literal["apart", "below"]
"""The meaning of alternatives missing from a ballot: not compared, or below all others."""
_ORDERS = (".soc", ".soi", ".toc", ".toi")
PREFLIB = (*_ORDERS, ".pwg", ".wmd", ".tog", ".mjg", ".wmg", ".cat")
"""The suffixes of PrefLib's files; those after .pwg have no votes on pairs."""
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
    files = [_File(path) for path in map(Path, paths)]
    names = sorted({name for file in files for name in file.names})
    wins, tied = np.zeros((2, len(names), len(names)))
    parts: list[tuple[Ints, ...]] = []
    votes = voters = 0
    for file in files:
        arm = np.array([names.index(name) for name in file.names])
        for line, first, second, outcome, number in file.votes(unlisted):
            one, two = arm[first], arm[second]
            np.add.at(wins, (np.where(outcome > 0, one, two), np.where(outcome > 0, two, one)), number * (outcome != 0))
            np.add.at(tied, (one, two), number * (outcome == 0))
            if file.ordered and not counted:
                votes += len(one) * int(number)
                if votes > MAX_VOTES:
                    why = f"these ballots are more than {MAX_VOTES:,} votes on pairs: read fewer"
                    raise UserError(why, source=file.path, line=line)
                again = np.arange(voters, voters + int(number))
                parts.append((*(np.tile(each, len(again)) for each in (one, two, outcome)), again.repeat(len(one))))
                voters += len(again)
    if not (wins.any() or tied.any()):
        raise UserError("no ballot compares two alternatives", source=files[0].path)
    dropped = float(tied.sum()) if ties == "drop" else 0.0
    counts = PairCounts(tuple(names), wins, (tied + tied.T) * (ties == "half"))
    rows = sum(file.source.rows for file in files)
    content: VoteTable | PairCounts = counts
    if parts and all(file.ordered for file in files):
        first, second, outcome, voter = map(np.concatenate, zip(*parts, strict=True))
        weight, judge = np.ones(len(first)), np.full(len(first), -1)
        table = VoteTable(counts.names, first, second, outcome, weight, judge, voter, ordered=False)
        content = table.chosen(outcome != 0) if ties == "drop" else table
    return Votes(content, tuple(file.source for file in files), rows, dropped_ties=dropped)


class _File:
    """The content of a file: the names of its alternatives, and the line, the count and the order of each row."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        with rereadable(path) as copy, lines_in(copy, self.path) as lines:
            content = [line.strip() for line in lines]
            self.source = Source.of(copy, self.path)
        stated = [re.match(r"# DATA TYPE: *(\w+)", line) for line in content]
        suffix = path.suffix.lower() or next((f".{each[1].lower()}" for each in stated if each), "")
        if suffix not in PREFLIB[:5]:
            why = f"ballots are read from {', '.join(_ORDERS)}, and pairs from .pwg: take one of these files"
            raise UserError(why, source=self.path)
        self.ordered = suffix in _ORDERS
        self.tied = suffix in (".toc", ".toi")
        current = content[0].startswith("#") if content else False
        begin, voters = self._header(content) if current else self._old_header(content)
        if not 2 <= len({*self.names}) == len(self.names) <= MAX_ARMS:
            self._refuse(begin, f"the header must name 2 to {MAX_ARMS:,} different alternatives")
        self.least = len(self.names) if suffix in (".soc", ".toc") else 0 if self.ordered else 2
        self.rows = [
            (line, *self._row(line, "".join(text.split()), current))
            for line, text in enumerate(content[begin:], begin + 1)
            if text and not text.startswith("#")
        ]
        number = round(sum(count for _, count, _ in self.rows))
        if not self.rows:
            self._refuse(begin, "the file holds no ballots")
        if self.ordered and voters not in (number, None):
            self._refuse(begin, f"the header says {voters:g} voters, but there are {number:,} ballots")
        understood = f"{number:,} voters" if self.ordered else "voters on each pair"
        self.source = self.source.read(len(self.rows), understood)

    def _refuse(self, line: int, why: str) -> None:
        raise UserError(why, source=self.path, line=line or 1)

    def _header(self, content: Sequence[str]) -> tuple[int, float | None]:
        """Read the names; return the number of lines of the header, and that of voters."""
        begin = next((place for place, text in enumerate(content) if not text.startswith("#")), len(content))
        pairs = (text[1:].partition(":") for text in content[:begin])
        found = {name.strip().upper(): value.strip() for name, _, value in pairs}
        number = number_in(found.get("NUMBER ALTERNATIVES", "")) or 0
        self.names = [
            found.get(f"ALTERNATIVE NAME {place}") or str(place) for place in range(1, int(min(number, 10**6)) + 1)
        ]
        return begin, number_in(found.get("NUMBER VOTERS", ""))

    def _old_header(self, content: Sequence[str]) -> tuple[int, float | None]:
        number = int(min(number_in("".join(content[:1])) or 0, len(content)))
        cells = [text.partition(",") for text in content[1 : number + 1]]
        self.names = [name.strip() or place.strip() for place, _, name in cells]
        totals = "".join(content[number + 1 : number + 2]).split(",")
        if [place.strip() for place, _, _ in cells] != [*map(str, range(1, number + 1))] or len(totals) != 3:
            why = "the header must have the number of alternatives, a line 'number,name' for each, and a line of totals"
            self._refuse(1, why)
        return number + 2, number_in(totals[1])

    def _row(self, line: int, content: str, current: bool) -> tuple[float, str]:
        """Return the count of a line and its order."""
        if self.ordered:
            count, _, order = content.partition(":" if current else ",")
            if not re.fullmatch("[1-9][0-9]{0,14}", count) or not _ORDER.fullmatch(order):
                example = "8: 5,{6,3},1" if current else "8,5,{6,3},1"
                self._refuse(line, f"a ballot is a count and an order of alternatives, with ties in braces: {example}")
            return int(count), order
        cells = content.split(",")
        number = number_in(cells[-1] if current else cells[0])
        if len(cells) != 3 or number is None or not (number == 0 or 1e-6 <= number <= 1e12):
            self._refuse(
                line, f"a line is {'two alternatives and a count' if current else 'a count and two alternatives'}"
            )
        return number or 0.0, ",".join(cells[:2] if current else cells[1:])

    def votes(self, unlisted: Unlisted) -> Iterator[tuple[int, Ints, Ints, Ints, float]]:
        """Yield the line of each row, pairs of alternatives, from 0, their outcomes, and how many voters say so."""
        size = len(self.names)
        for line, count, order in self.rows:
            places = [
                (text, position)
                for position, tied in enumerate(re.findall(r"\{[^}]*\}|\d+", order))
                for text in tied.strip("{}").split(",")
                if text
            ]
            listed = [int(text) - 1 if len(text) < 9 else size for text, _ in places]
            if len({*listed}) < len(listed) or not {*listed} <= {*range(size)}:
                self._refuse(line, f"a ballot has each alternative once, by a number from 1 to {size}")
            if len(listed) < self.least or ("{" in order and not self.tied):
                self._refuse(line, "this kind of file has complete orders, or orders without ties: see its suffix")
            rank = np.full(size, size if unlisted == "below" else -1)
            rank[listed] = [position for _, position in places]
            one, two = np.triu_indices(size, 1)
            kept = (rank[one] >= 0) & (rank[two] >= 0) & ~((rank[one] == size) & (rank[two] == size))
            one, two = one[kept], two[kept]
            yield line, one, two, np.sign(rank[two] - rank[one]), count
