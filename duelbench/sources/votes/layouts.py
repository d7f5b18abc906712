"""Layouts of vote files: the columns of a row, and the conversion of their cells to votes on pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from duelbench.sources.votes.outcomes import vocabulary
from duelbench.sources.votes.single import Duel
from duelbench.sources.votes.tally import Refusal, pair_of, quantity, shown
from duelbench.sources.votes.words import Outcome

TIES = 8
"""The largest number of words for ties to name."""
Cells = tuple[str, ...]
Reading = Callable[[Cells], Sequence[Duel]]
"""A function from the cells of a row, in the order of ``Layout.columns``, to its votes; raises Refusal if invalid."""


Arm = Callable[[str], str]


class Layout(Protocol):
    """A way to write comparisons as rows."""

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        ...

    def read(
        self, rows: Mapping[Cells, int], arm: Arm = str, more_ties: frozenset[str] = frozenset()
    ) -> tuple[Reading, str, str]:
        """Return a function that reads rows, its description, and a warning or an empty text.

        ``rows`` are all distinct rows with their counts: the notation of a file is recognised from all of them.
        ``arm`` returns the same for all names of an arm; ``more_ties`` are further words that mean a tie, folded.
        """
        ...


@dataclass(frozen=True)
class Winners:
    """Two arms and the winner, by name or by side, and optionally a column that is true for a tie."""

    first: str
    second: str
    outcome: str
    tie: str | None

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.first, self.second, self.outcome, *([self.tie] if self.tie else []))

    def read(
        self, rows: Mapping[Cells, int], arm: Arm = str, more_ties: frozenset[str] = frozenset()
    ) -> tuple[Reading, str, str]:
        """Determine the meaning of the outcomes; see ``Layout``."""
        cases = [(cells[0], cells[1], cells[2], count) for cells, count in rows.items() if not _yes(cells[3:])]
        words = vocabulary(cases, self.first, self.second, self.outcome, arm, more_ties)

        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[0], cells[1], arm)
            return [_duel(first, second, 0 if _yes(cells[3:]) else words.outcome(first, second, cells[2]))]

        told = f"{self.first} against {self.second}, outcome in {self.outcome}"
        if words.numbers:
            told += f" ({words.numbers})"
        if words.ties:
            told += f" (ties: {', '.join(words.ties[:TIES])}{', …' if len(words.ties) > TIES else ''})"
        return reading, told + (f", ties in {self.tie}" if self.tie else ""), words.warning


@dataclass(frozen=True)
class Flags:
    """Two arms and a column for each outcome, exactly one of which is 1."""

    first: str
    second: str
    won_first: str
    won_second: str
    tie: str | None

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.first, self.second, self.won_first, self.won_second, *([self.tie] if self.tie else []))

    def read(
        self, rows: Mapping[Cells, int], arm: Arm = str, more_ties: frozenset[str] = frozenset()
    ) -> tuple[Reading, str, str]:
        """Return how to read any file of this kind; see ``Layout``."""

        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[0], cells[1], arm)
            flags = [_yes([cell]) for cell in cells[2:]]
            if sum(flags) != 1:
                raise Refusal("more than one of its outcomes is 1" if any(flags) else "none of its outcomes is 1")
            return [_duel(first, second, (1, -1, 0)[flags.index(True)])]

        return reading, f"{self.first} against {self.second}, 1 in one of {', '.join(self.columns[2:])}", ""


@dataclass(frozen=True)
class WinnerLoser:
    """The winning arm and the losing arm."""

    winner: str
    loser: str

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.winner, self.loser)

    def read(
        self, rows: Mapping[Cells, int], arm: Arm = str, more_ties: frozenset[str] = frozenset()
    ) -> tuple[Reading, str, str]:
        """Return how to read any file of this kind; see ``Layout``."""
        return (
            lambda cells: [_duel(*pair_of(cells[0], cells[1], arm), 1)],
            f"{self.winner} has won against {self.loser}",
            "",
        )


@dataclass(frozen=True)
class Ranks:
    """Several arms and the rank of each; smaller is better, equal ranks are ties, negative ones are missing."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return tuple(name for pair in self.pairs for name in pair)

    def read(
        self, rows: Mapping[Cells, int], arm: Arm = str, more_ties: frozenset[str] = frozenset()
    ) -> tuple[Reading, str, str]:
        """Return how to read any file of this kind; see ``Layout``."""

        def reading(cells: Cells) -> Sequence[Duel]:
            ranks = [(name, _rank(rank)) for name, rank in zip(cells[::2], cells[1::2], strict=True)]
            judged = [(name, rank) for name, rank in ranks if rank >= 0]
            if len(judged) < 2:
                raise Refusal("fewer than two arms have a rank")
            return [
                _duel(*pair_of(first, second, arm), (rank < other) - (rank > other))
                for (first, rank), (second, other) in combinations(judged, 2)
            ]

        return reading, f"the smaller rank wins among {', '.join(self.columns)}", ""


@dataclass(frozen=True)
class Counts:
    """Two arms, the number of votes for each and, optionally, the number of ties."""

    first: str
    second: str
    wins_first: str
    wins_second: str
    ties: str | None

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.first, self.second, self.wins_first, self.wins_second, *([self.ties] if self.ties else []))

    def read(
        self, rows: Mapping[Cells, int], arm: Arm = str, more_ties: frozenset[str] = frozenset()
    ) -> tuple[Reading, str, str]:
        """Return how to read any file of this kind; see ``Layout``."""

        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[0], cells[1], arm)
            wins_first, wins_second, ties = (quantity(cell, "number of votes") for cell in (*cells[2:], "0")[:3])
            return [Duel(first, second, wins_first, wins_second, ties)]

        return reading, f"counts of {self.first} against {self.second}, in {', '.join(self.columns[2:])}", ""


def _duel(first: str, second: str, outcome: Outcome) -> Duel:
    return Duel(first, second, float(outcome > 0), float(outcome < 0), float(outcome == 0))


def _yes(cells: Sequence[str]) -> bool:
    return any(cell.strip().casefold() in ("1", "1.0", "true", "yes", "t", "y") for cell in cells)


def _rank(text: str) -> float:
    try:
        return float(text) if text.strip() else -1.0
    except ValueError:
        raise Refusal(f"the rank is not a number: {shown(text)}") from None
