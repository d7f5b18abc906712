"""Layouts of vote files: the columns of a row, and the conversion of their cells to votes on pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, Protocol

from duelbench.errors import UserError
from duelbench.votes.reading import terms
from duelbench.votes.reading.outcomes import MISSING, Vocabulary, Words, vocabulary
from duelbench.votes.reading.tally import Refusal, number_in, pair_of, quantity, shown
from duelbench.votes.reading.terms import Outcome, folded, is_plain_tie, is_tie, kind_of, sides
from duelbench.votes.vote_table import Duel

_TIES = 8
"""The largest number of words for ties to name."""
_TRUE = frozenset(("1", "1.0", "true", *terms.YES))
_FALSE = frozenset(("0", "0.0", "false", *terms.NO)) | MISSING
Cells = tuple[str, ...]
Reading = Callable[[Cells], Sequence[Duel]]
"""A function from the cells of a row, in the order of ``Layout.columns``, to its votes; raises Refusal if invalid."""
Arm = Callable[[str], str]


class Meaning(NamedTuple):
    """What the rows of a file mean: how to read them, a description, a warning if any, and whether they have counts."""

    reading: Reading
    description: str
    warning: str = ""
    counts: bool = False


class Layout(Protocol):
    """A way to write comparisons as rows."""

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        ...

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Return what the rows of a file mean.

        ``rows`` are all distinct rows with their counts: the notation of a file is recognised from all of them.
        ``arm`` returns the same for all names of an arm; ``own`` are the user's words for outcomes.
        """
        ...


class _Ties(NamedTuple):
    """Columns of flags of ties, each with its place in a row, and a warning on others that are no flags."""

    columns: tuple[tuple[int, str], ...]
    warning: str

    @classmethod
    def of(cls, rows: Mapping[Cells, int], names: Cells, begin: int) -> _Ties:
        """Return those of the columns ``names`` in which at most half of the rows have another value than a flag."""
        columns = list(enumerate(names, begin))
        wrong = {
            name: sum(count for cells, count in rows.items() if _is_set(cells[place]) is None)
            for place, name in columns
        }
        others = [name for name in names if 2 * wrong[name] > sum(rows.values())]
        warnings = [f"column {name!r} looks like ties and is not used, since it has other values" for name in others]
        return cls(tuple((place, name) for place, name in columns if name not in others), "; ".join(warnings))

    @property
    def description(self) -> str:
        """The end of the description of a layout."""
        return f", ties in {', '.join(name for _, name in self.columns)}" if self.columns else ""

    def in_row(self, cells: Cells) -> bool:
        """Return whether a flag is set; raises Refusal for a cell that is no flag."""
        flags = [_flag(cells[place], name) for place, name in self.columns]
        return any(flags)

    def stated(self, cells: Cells) -> bool:
        """Return whether a flag is set, whatever other cells are."""
        return any(_is_set(cells[place]) for place, _ in self.columns)

    def certain(self, cells: Cells) -> bool:
        """Return whether a flag is set that is called a tie, and not that both are good, say."""
        return any(_is_set(cells[place]) for place, name in self.columns if is_plain_tie(name))


class _Arms(NamedTuple):
    """The columns of two arms, the place of the first one's name in a row, and of what an outcome may name."""

    columns: tuple[str, str]
    place: int
    at: int
    words: Vocabulary

    def names(self, cells: Cells, arm: Arm) -> frozenset[str]:
        """Return the arms of a row."""
        return frozenset(arm(name.strip()) for name in cells[self.place : self.place + 2])

    def outcome(self, cells: Cells) -> Outcome:
        """Return the outcome of a row; raises Refusal if it has none."""
        return self.words.outcome(cells[self.at], cells[self.at + 1], cells[2])

    def result(self, cells: Cells, arm: Arm) -> tuple[str, str, bool] | None:
        """Return the winner, the loser and False, or two arms in order and True if they tie; None without outcome."""
        try:
            outcome = self.outcome(cells)
        except Refusal:
            return None
        one, two = (arm(name.strip()) for name in cells[self.place : self.place + 2])
        one, two = (min(one, two), max(one, two)) if outcome == 0 else (one, two)[::outcome]
        return one, two, outcome == 0


@dataclass(frozen=True)
class Winners:
    """Two arms and the winner, by name or by side, and columns of which one is true for a tie.

    ``others`` are more pairs of columns that can be the arms; the outcomes must say which are. ``orders`` are columns
    that can say which arm was shown first. With ``wins``, a number in the outcome says whether this side has won.
    """

    first: str
    second: str
    outcome: str
    ties: Cells = ()
    others: tuple[tuple[str, str], ...] = ()
    orders: Cells = ()
    wins: Outcome = 0

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.first, self.second, self.outcome, *self.ties, *(name for pair in self.others for name in pair))

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Determine the meaning of the outcomes; see ``Layout``."""
        ties = _Ties.of(rows, self.ties, 3)
        arms, warning = self._arms(rows, ties, arm, own)
        words = arms.words

        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[arms.place], cells[arms.place + 1], arm)
            if not ties.in_row(cells):
                return [_duel(first, second, arms.outcome(cells))]
            if not ties.certain(cells) and (result := arms.result(cells, arm)) and not result[2]:
                raise Refusal(f"{self.outcome} names a winner, and another column a tie: leave one of them empty")
            return [_duel(first, second, 0)]

        text = f"{arms.columns[0]} against {arms.columns[1]}, outcome in {self.outcome}"
        if words.numbers:
            text += f" ({words.numbers})"
        if words.ties:
            text += f" (ties: {', '.join(words.ties[:_TIES])}{', …' if len(words.ties) > _TIES else ''})"
        warnings = [each for each in (words.warning, warning, ties.warning) if each]
        if self.orders and words.by_side:
            warnings.append(
                f"{self.outcome} names sides, and column {self.orders[0]!r} is not used: if it says which arm was "
                "shown on which side, write the names of the winners instead"
            )
        return Meaning(reading, text + ties.description, "; ".join(warnings))

    def _arms(self, rows: Mapping[Cells, int], ties: _Ties, arm: Arm, own: Words | None) -> tuple[_Arms, str]:
        """Return the columns of the arms, and a warning if other columns have other arms.

        Raises:
            UserError: several pairs of columns can be the arms, and the outcomes do not say which.
        """
        pairs = [(self.first, self.second), *self.others]
        width = 3 + len(self.ties)
        untied = {cells: count for cells, count in rows.items() if not ties.stated(cells)}
        found = []
        for at, pair in zip([0, *range(width, width + 2 * len(self.others), 2)], pairs, strict=True):
            cases = [(cells[at], cells[at + 1], cells[2], count) for cells, count in untied.items()]
            try:
                words = vocabulary(cases, pair, self.outcome, arm, own, self.wins)
            except UserError:
                if self.others:
                    raise self._unclear() from None
                raise
            # Identifiers beside names are for the outcomes only.
            named = pairs[0] if kind_of(*pair) == kind_of(*pairs[0]) else pair
            found.append(_Arms(named, 0 if named == pairs[0] else at, at, words))
        results = [[each.result(cells, arm) for cells in untied] for each in found]
        read = [sum(result is not None for result in each) for each in results]
        best = [place for place, number in enumerate(read) if number == max(read)]
        if len({tuple(results[place]) for place in best}) > 1:
            # Outcomes that are called like the marks of one pair of columns are about these.
            kinds = [each for cells in untied if (each := sides(cells[2]))]
            best = [place for place in best if all(kind_of(*pairs[place]) in each for each in kinds)]
            if len(best) != 1:
                raise self._unclear()
        chosen = found[best[0]]
        for other in found:
            if any(chosen.names(cells, arm) != other.names(cells, arm) for cells in untied):
                one, two = other.columns
                return chosen, (
                    f"columns {one!r} and {two!r} have other names, and are not used; if they are the arms, name them "
                    "by --first and --second"
                )
        return chosen, ""

    def _unclear(self) -> UserError:
        pairs = " or ".join(
            f"{one} and {two} (--first {one!r} --second {two!r})"
            for one, two in ((self.first, self.second), *self.others)
        )
        return UserError(f"several columns can be the arms, and {self.outcome} does not say which: {pairs}")


@dataclass(frozen=True)
class _Sides:
    """Two arms and a column for each, and columns for ties."""

    first: str
    second: str
    won_first: str
    won_second: str
    ties: Cells = ()

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.first, self.second, self.won_first, self.won_second, *self.ties)


class Flags(_Sides):
    """Two arms and a column for each outcome, exactly one of which is 1; numbers of votes if any is larger than 1."""

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Recognise numbers of votes; see ``Layout``."""
        return self._counted(arm) if _any_count(rows) else self._flagged(arm)

    def _flagged(self, arm: Arm) -> Meaning:
        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[0], cells[1], arm)
            flags = [_flag(cell, name) for cell, name in zip(cells[2:], self.columns[2:], strict=True)]
            outcomes = (*flags[:2], any(flags[2:]))
            if sum(outcomes) != 1:
                raise Refusal("more than one of its outcomes is 1" if any(outcomes) else "none of its outcomes is 1")
            return [_duel(first, second, (1, -1, 0)[outcomes.index(True)])]

        return Meaning(reading, f"{self.first} against {self.second}, 1 in one of {', '.join(self.columns[2:])}")

    def _counted(self, arm: Arm) -> Meaning:
        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[0], cells[1], arm)
            wins_first, wins_second, *ties = (quantity(cell, "number of votes") for cell in cells[2:])
            return [Duel(first, second, wins_first, wins_second, sum(ties))]

        text = f"counts of {self.first} against {self.second}, in {', '.join(self.columns[2:])}"
        return Meaning(reading, text, counts=True)


class Counts(Flags):
    """Two arms, the number of votes for each and, optionally, the number of ties; flags if all of them are."""

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Recognise flags; see ``Layout``."""
        cells = [[cell.strip().casefold() for cell in row[2:]] for row in rows]
        words = any(cell in (_TRUE | _FALSE) - MISSING and number_in(cell) is None for row in cells for cell in row)
        lost = not self.ties and any(_TRUE.isdisjoint(row) for row in cells)  # perhaps a tie
        counts = any(len(_TRUE.intersection(row)) and sum(cell in _TRUE for cell in row) > 1 for row in cells)
        return self._flagged(arm) if words or (lost and not counts and not _any_count(rows)) else self._counted(arm)


@dataclass(frozen=True)
class Scores(_Sides):
    """Two arms and the score of each; the larger one wins, and equal scores are a tie."""

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Return how to read any file of this kind; see ``Layout``."""
        ties = _Ties.of(rows, self.ties, 4)

        def reading(cells: Cells) -> Sequence[Duel]:
            first, second = pair_of(cells[0], cells[1], arm)
            one, two = (_value(cell, "score") for cell in cells[2:4])
            tied = ties.in_row(cells)
            return [_duel(first, second, 0 if tied else (one > two) - (one < two))]

        text = f"{self.first} against {self.second}, the larger of {self.won_first} and {self.won_second} wins"
        return Meaning(reading, text + ties.description, ties.warning)


@dataclass(frozen=True)
class WinnerLoser:
    """The winning arm and the losing arm, and columns of which one is true for a tie."""

    winner: str
    loser: str
    ties: Cells = ()

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return (self.winner, self.loser, *self.ties)

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Return how to read any file of this kind; see ``Layout``."""
        ties = _Ties.of(rows, self.ties, 2)

        def reading(cells: Cells) -> Sequence[Duel]:
            tied = ties.in_row(cells)
            return [_duel(*pair_of(cells[0], cells[1], arm), 0 if tied else 1)]

        return Meaning(reading, f"{self.winner} has won against {self.loser}{ties.description}", ties.warning)


@dataclass(frozen=True)
class Ranks:
    """Several arms and the rank of each; smaller is better, equal ranks are ties, negative ones are missing."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> Cells:
        """The columns that matter."""
        return tuple(name for pair in self.pairs for name in pair)

    def read(self, rows: Mapping[Cells, int], arm: Arm = str, own: Words | None = None) -> Meaning:
        """Return how to read any file of this kind; see ``Layout``."""

        def reading(cells: Cells) -> Sequence[Duel]:
            ranks = [
                (name, _value(rank, "rank") if rank.strip() else -1.0)
                for name, rank in zip(cells[::2], cells[1::2], strict=True)
            ]
            judged = [(name, rank) for name, rank in ranks if rank >= 0]
            if len(judged) < 2:
                raise Refusal("fewer than two arms have a rank")
            return [
                _duel(*pair_of(first, second, arm), (rank < other) - (rank > other))
                for (first, rank), (second, other) in combinations(judged, 2)
            ]

        return Meaning(reading, f"the smaller rank wins among {', '.join(self.columns)}")


def _duel(first: str, second: str, outcome: Outcome) -> Duel:
    return Duel(first, second, float(outcome > 0), float(outcome < 0), float(outcome == 0))


def _any_count(rows: Mapping[Cells, int]) -> bool:
    """Return whether a cell is a number other than those of flags."""
    values = {cell.strip().casefold() for cells in rows for cell in cells[2:]} - _TRUE - _FALSE
    return any(number_in(value) is not None for value in values)


def _is_set(text: str) -> bool | None:
    """Return whether a flag is set; None for a cell that is no flag."""
    value = text.strip().casefold()
    return value in _TRUE if value in _TRUE | _FALSE else is_tie(folded(value)) or None


def _flag(text: str, column: str) -> bool:
    """Return whether a flag is set; raises Refusal for a cell that is no flag."""
    if (found := _is_set(text)) is None:
        raise Refusal(f"{column} is neither true nor false: {shown(text)}")
    return found


def _value(text: str, what: str) -> float:
    """Return the number in a cell; raises Refusal if there is none."""
    found = number_in(text)
    if found is None or found != found:
        raise Refusal(f"the {what} is not a number: {shown(text)}" if text.strip() else f"there is no {what}")
    return found
