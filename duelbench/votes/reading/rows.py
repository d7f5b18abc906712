"""The rows of a table as arrays, and what is reported about those that are no votes."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.arm_names import LONGEST_NAME, ArmNames
from duelbench.votes.reading.layouts import Plan
from duelbench.votes.reading.tables import Table
from duelbench.votes.reading.texts import FLAGS, number_in, shown
from duelbench.votes.vote_table import Refused

_PLACES = 3
"""The largest number of places to record for each reason."""
_BATCH = 1 << 14
_LEAST, _LARGEST = 1e-6, 1e12
"""The range of a weight or count that is not 0: it keeps sums and shares accurate."""


@dataclass
class Report:
    """What is said about all sources so far; see ``Votes``. ``first`` is the first refused row of a source, and why."""

    rows: int = 0
    left_out: int = 0
    abstentions: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    reasons: dict[str, Refused] = field(default_factory=dict)
    first: tuple[int, str] | None = None

    def refuse(self, why: str, source: str, lines: Sequence[int]) -> None:
        """Count rows that are refused for the same reason."""
        earlier = self.reasons.get(why, Refused(why, 0, ()))
        places = [*earlier.places, *(f"{source}:{line}" for line in lines[:_PLACES])]
        self.reasons[why] = Refused(why, earlier.rows + len(lines), tuple(places[:_PLACES]))
        if self.first is None or lines[0] < self.first[0]:
            self.first = lines[0], why

    @property
    def refused(self) -> tuple[Refused, ...]:
        """The reasons, the most frequent first."""
        return tuple(sorted(self.reasons.values(), key=lambda each: -each.rows))

    @property
    def refused_rows(self) -> int:
        """The number of rows that are refused."""
        return sum(each.rows for each in self.reasons.values())


@dataclass(frozen=True)
class Column:
    """The cells of a column: the place of each one in ``texts``, where each text stands once."""

    codes: Ints
    texts: list[str]

    def map(self, function: Callable[[str], Any]) -> Any:
        """Return the values of a function of the cells."""
        return np.array([function(text) for text in self.texts or [""]])[self.codes]

    def counted(self, rows: Flags) -> dict[str, int]:
        """Return how many of some rows have each text."""
        sizes = np.bincount(self.codes[rows], minlength=len(self.texts)).tolist()
        found: Counter[str] = Counter()
        for text, size in zip(self.texts, sizes, strict=True):
            if size:
                found[text] += size
        return found


@dataclass
class Rows:
    """The rows of a table: their lines, the columns that matter, the numbers of their arms, and those still in use."""

    table: Table
    plan: Plan
    columns: dict[str, Column]
    line: Ints
    used: Flags
    report: Report
    arm: Callable[[str], str] = str
    arms: dict[str, int] = field(default_factory=dict)
    first: Ints = field(init=False)
    second: Ints = field(init=False)

    @classmethod
    def read(cls, table: Table, plan: Plan, names: Sequence[str], report: Report) -> Rows:
        """Read some columns; refuse rows with a wrong number of cells."""
        places: list[dict[str, int]] = [{} for _ in names]
        codes, lines = [array("i") for _ in names], array("q")
        rows = table.rows(names)
        while batch := [*islice(rows, _BATCH)]:
            report.rows += len(batch)
            for line, why in batch:
                if isinstance(why, str):
                    report.refuse(why, table.source, [line])
            good = [row for row in batch if not isinstance(row[1], str)]
            lines.extend([line for line, _ in good])
            for code, place, column in zip(
                codes, places, zip(*[cells for _, cells in good], strict=True), strict=False
            ):
                code.extend([place.setdefault(text, len(place)) for text in column])
            for name, place in zip(plan.used[:2], places, strict=False):
                if len(place) > 2 * MAX_ARMS:
                    raise UserError(
                        f"column {name!r} has more than {2 * MAX_ARMS:,} different values, too many for arms: name the "
                        "right columns by options"
                    )
        columns = {
            name: Column(np.array(code, np.int32), [text.strip() for text in place])
            for name, code, place in zip(names, codes, places, strict=True)
        }
        return cls(table, plan, columns, np.array(lines, np.int64), np.ones(len(lines), dtype=bool), report)

    def refuse(self, wrong: Flags, why: str) -> None:
        """Refuse those of the rows in use that are ``wrong``."""
        lines = self.line[self.used & wrong].tolist()
        if lines:
            self.report.refuse(why, self.table.source, lines)
            self.used = self.used & ~wrong

    def select(self, only: Sequence[tuple[str, str]]) -> None:
        """Leave out the rows in which some column has another value."""
        for name, value in only:
            column = self.columns[name]
            chosen = [place for place, text in enumerate(column.texts) if text.casefold() == value.casefold()]
            self.used &= np.isin(column.codes, chosen)
        self.report.left_out += int((~self.used).sum())

    def name_arms(self, names: ArmNames) -> None:
        """Number the arms, and refuse rows without two different ones."""
        ends = [self.columns[name] for name in self.plan.used[:2]]
        self.arm = names.arm
        for text in (text for column in ends for text in column.texts if text):
            self.arms.setdefault(names.arm(text), len(self.arms))

        def number(text: str) -> int:
            return self.arms[names.arm(text)] if text else -1

        def wrong(text: str) -> bool:
            listed = self.table.typed and text.startswith(("[", "{"))
            return bool(text) and (listed or len(text) > LONGEST_NAME or not is_name(text))

        self.first, self.second = (column.map(number) for column in ends)
        self.refuse((self.first < 0) | (self.second < 0), "an arm has no name")
        why = f"the name of an arm is one line of at most {LONGEST_NAME} characters, and no list or object"
        self.refuse(ends[0].map(wrong) | ends[1].map(wrong), why)
        self.refuse(self.first == self.second, "an arm is compared with itself")

    def numbers(self, name: str, what: str, *, flags: bool = False) -> Floats:
        """Return the numbers in a column, or its ``flags`` as 1 and 0; refuse rows with anything else."""

        def value(text: str) -> float:
            number = FLAGS.get(text.casefold()) if flags and text else None
            number = number_in(text) if number is None else number
            return number if number is not None and (number == 0 or _LEAST <= number <= _LARGEST) else math.nan

        column = self.columns[name]
        values: Floats = column.map(value)
        wrong = np.isnan(values)
        if (bad := np.flatnonzero(self.used & wrong)).size:
            text = column.texts[column.codes[bad[0]]]
            why = f"the {what} is not 0 or a number from {_LEAST:g} to {_LARGEST:g}: {shown(text)!r}"
            self.refuse(wrong, why + ", write decimals with a point" * ("," in text))
        return np.where(wrong, 0.0, values)
