"""Counting votes on pairs of names, and refusing invalid rows."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.vote_table import Duel, Refused

LONGEST_NAME = 500
"""The largest number of characters in a name; a longer cell is probably a compared text, not the name of an arm."""
PLACES = 3
"""The largest number of places to record for each reason."""
_LEAST, _LARGEST = 1e-6, 1e12
"""The range of a weight or count that is not 0."""
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d\d?")
"""A number as German and French spreadsheets write it; with three digits behind, the comma may separate thousands."""
REASONS = 200
"""The largest number of different reasons to record: each row of a wrong column may have a different one."""


class Refusal(Exception):
    """A row is refused; the message says why."""


class Abstention(Refusal):
    """A row is no vote, because its judge has not judged; the message is the word for it."""


class UnknownOutcome(Refusal):
    """A row is refused, because its outcome is in no vocabulary."""


@dataclass
class Tally:
    """The counts of votes, by pairs of names."""

    dropped_ties: float = 0.0
    _wins: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    _ties: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    _names: set[str] = field(default_factory=set)

    def add(self, duel: Duel, times: float, keep_ties: bool) -> None:
        """Count ``duel`` ``times`` times."""
        first, second, wins_first, wins_second, ties = duel
        self._names.update((first, second))
        self._wins[first, second] += times * wins_first
        self._wins[second, first] += times * wins_second
        if keep_ties:
            self._ties[first, second] += times * ties
        else:
            self.dropped_ties += times * ties

    def enter(self, names: Iterable[str]) -> None:
        """Add arms with these names, with or without votes."""
        self._names.update(names)

    def counts(self, renamed: Mapping[str, str] | None = None) -> PairCounts:
        """Return the votes on each pair, arms sorted by name; ``renamed`` has the names to use in place of others.

        Raises:
            UserError: fewer than two arms, or more than a matrix may have.
        """
        kept = {name: name for name in self._names} | dict(renamed or {})
        names = sorted(set(kept.values()))
        if len(names) < 2:
            raise UserError("the votes are about fewer than two arms")
        if len(names) > MAX_ARMS:
            raise UserError(
                f"there are {len(names):,} different names and a matrix has at most {MAX_ARMS:,} arms: do the columns "
                "hold the names of what was compared?"
            )
        arms = {name: arm for arm, name in enumerate(names)}
        place = {name: arms[each] for name, each in kept.items()}
        wins, ties = np.zeros((2, len(names), len(names)))
        for (first, second), count in self._wins.items():
            wins[place[first], place[second]] += count
        for (first, second), count in self._ties.items():
            ties[place[first], place[second]] += count
            ties[place[second], place[first]] += count
        return PairCounts(tuple(names), wins, ties)

    def warnings(self) -> list[str]:
        """Return a sentence for each group of names that differ only in case or blanks."""
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(self._names):
            alike["".join(name.split()).casefold()].append(name)
        return [
            f"these names differ only in case or blanks and are different arms: {', '.join(map(repr, group))}"
            for group in alike.values()
            if len(group) > 1
        ]


@dataclass
class Refusals:
    """Refused rows, by reason."""

    _found: dict[str, list[str]] = field(default_factory=dict)
    _rows: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    first: tuple[int, str] | None = None

    def add(self, reason: str, path: str, line: int, rows: int = 1) -> None:
        """Count rows refused for ``reason``, the first of which is at ``line`` of ``path``."""
        if reason not in self._found and len(self._found) >= REASONS:
            reason = "other reasons"
        self._rows[reason] += rows
        places = self._found.setdefault(reason, [])
        if len(places) < PLACES:
            places.append(f"{path}:{line}")
        if self.first is None or line < self.first[0]:
            self.first = line, reason

    def forget_first(self) -> None:
        """Begin a new file."""
        self.first = None

    @property
    def rows(self) -> int:
        """The number of refused rows."""
        return sum(self._rows.values())

    def check(self, refused: int, rows: int, understood: str, source: str) -> None:
        """Raise UserError if more than half of the rows of a file are ``refused``: its layout was probably misread."""
        if refused > rows / 2:
            worst = self.reasons()[0]
            raise UserError(
                f"{refused:,} of {rows:,} rows cannot be used, most of them because {worst.reason} (as in "
                f"{worst.places[0]}): if they do not mean {understood}, name the columns, or the "
                "words for outcomes, by options",
                source=source,
            )

    def reasons(self) -> tuple[Refused, ...]:
        """Return the reasons, the most frequent first."""
        ordered = sorted(self._found, key=lambda reason: -self._rows[reason])
        return tuple(Refused(reason, self._rows[reason], tuple(self._found[reason])) for reason in ordered)


def pair_of(first: str, second: str, arm: Callable[[str], str] = str) -> tuple[str, str]:
    """Return the names of two arms without blanks at their ends; ``arm`` returns the same for all names of an arm.

    Raises:
        Refusal: a name is empty or not a valid name, or both are the same.
    """
    first, second = first.strip(), second.strip()
    if not first or not second:
        raise Refusal("an arm has no name")
    if arm(first) == arm(second):
        raise Refusal("an arm is compared with itself")
    for name in (first, second):
        if len(name) > LONGEST_NAME or not is_name(name):
            raise Refusal(f"a name is one line of at most {LONGEST_NAME} characters")
    return first, second


def quantity(text: str, what: str) -> float:
    """Return a count or a weight: 0, or a number in the range that keeps sums and shares accurate.

    Raises:
        Refusal: the text is not such a number.
    """
    number = number_in(text)
    if number is None:
        raise Refusal(f"the {what} is not a number: {shown(text)}{comma(text)}")
    if number != 0 and not _LEAST <= number <= _LARGEST:
        raise Refusal(f"the {what} is not 0 and not from {_LEAST:g} to {_LARGEST:g}: {shown(text)}")
    return number


def number_in(text: str) -> float | None:
    """Return the number that a text is; None if it is none."""
    text = text.strip()
    try:
        return float(text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text)
    except ValueError:
        return None


def comma(text: str) -> str:
    """Return a hint for a number with a comma that may separate thousands; empty for other text."""
    return ", write decimals with a point" if text.strip().replace(",", "", 1).isdigit() else ""


def shown(text: str) -> str:
    """Return the text of a cell, shortened for a sentence."""
    return repr(text if len(text) <= 40 else f"{text[:37]}…")
