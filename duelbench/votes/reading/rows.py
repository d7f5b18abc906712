"""The rows of a table as arrays: arms, outcomes and numbers, and what is reported about those that are no votes."""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.spreadsheets import unescaped
from duelbench.votes.reading.arm_names import LONGEST_NAME, ArmNames
from duelbench.votes.reading.layouts import Plan, Undecided
from duelbench.votes.reading.options import HALF, MEANINGS, NONE, UNKNOWN, VoteFileOptions
from duelbench.votes.reading.refusals import CHOOSE, unknown_outcomes
from duelbench.votes.reading.tables import Table
from duelbench.votes.reading.texts import FLAGS, number_in, several, shown, word
from duelbench.votes.vote_table import Report

_LEAST, _LARGEST = 1e-6, 1e12
"""The range of a weight or count that is not 0: it keeps sums and shares accurate."""
_ELSEWHERE = 5
"""The outcome is the name of an arm of other rows."""
_MISTAKES = 0.01
"""The largest share of rows whose outcome may be such a name."""
_WORDS = {1: "first", -1: "second", 0: "tie", NONE: "none"}
Singles = tuple[Ints, Ints, Floats]
"""The row, the outcome and the weight of each vote."""


@dataclass(frozen=True)
class Column:
    """The cells of a column: the place of each one in ``texts``, where each text stands once."""

    codes: Ints
    texts: list[str]

    def map(self, function: Callable[[str], Any], kind: type = np.int32) -> Any:
        """Return the values of a function of the cells."""
        return np.array([function(text) for text in self.texts or [""]], dtype=kind)[self.codes]

    def counted(self, rows: Flags) -> Counter[str]:
        """Return how many of some rows have each text."""
        found: Counter[str] = Counter()
        for text, size in zip(
            self.texts, np.bincount(self.codes[rows], minlength=len(self.texts)).tolist(), strict=True
        ):
            found[text] += size
        return +found


class Rows:
    """The rows of a table: their lines, the columns that matter, the numbers of their arms, and those still in use."""

    def __init__(self, table: Table, plan: Plan, names: Sequence[str], report: Report) -> None:
        """Read some columns; refuse rows with a wrong number of cells."""
        self.table, self.plan, self.report = table, plan, report
        places: list[defaultdict[str, int]] = [defaultdict(count().__next__) for _ in names]
        codes, lines, bad = [array("i") for _ in names], array("q"), 0
        columns = [(code.append, place) for code, place in zip(codes, places, strict=True)]
        for line, cells in table.rows(names):
            if isinstance(cells, str):
                report.refuse(cells, table.source, [line])
                bad += 1
                continue
            lines.append(line)
            for (append, place), cell in zip(columns, cells):  # noqa: B905, strict takes longer
                append(place[cell])
        report.rows += len(lines) + bad
        for name, place in zip(plan.used[:2], places, strict=False):
            if len(place) > 2 * MAX_ARMS:
                why = f"column {name!r} has more than {2 * MAX_ARMS:,} different values, too many for arms"
                raise UserError(f"{why}: name the right columns by options")
        name_in = unescaped if table.exact or plan.session else str
        texts = [[name_in(text.strip()) for text in place] for place in places]
        self.columns = {
            name: Column(np.frombuffer(code, np.int32), each)
            for name, code, each in zip(names, codes, texts, strict=True)
        }
        self.line = np.frombuffer(lines, np.int64)
        self.used = np.ones(len(lines), dtype=bool)
        self.words: set[str] = set()

    def refuse(self, wrong: Flags, why: str) -> None:
        """Refuse those of the rows in use that are ``wrong``."""
        if lines := self.line[self.used & wrong].tolist():
            self.report.refuse(why, self.table.source, lines)
            self.used &= ~wrong

    def select(self, column: str, value: str) -> None:
        """Leave out the rows in which a column has another value."""
        texts = [place for place, text in enumerate(self.columns[column].texts) if text.casefold() == value.casefold()]
        before = self.used.sum()
        self.used &= np.isin(self.columns[column].codes, texts)
        self.report.left_out += int(before - self.used.sum())

    def number_groups(self) -> None:
        """Number the groups, −1 for none. Their names, of which there may be as many as rows, are not kept."""
        name = self.plan.group
        if name:
            column = self.columns[name]
            self.group = np.where(column.map(bool, bool), column.codes, -1)
            if self.plan.columns.count(name) == 1:
                del self.columns[name]
        else:
            self.group = np.full(len(self.line), -1)

    def name_arms(self, names: ArmNames) -> None:
        """Number the arms, and refuse rows without two different ones."""
        self._arm = names.arm
        ends = [self.columns[name] for name in self.plan.used[:2]]
        arms = dict.fromkeys(names.arm(text) for column in ends for text in column.texts if text)
        self._arms = {arm: place for place, arm in enumerate(arms)} | {"": -1}

        def wrong(text: str) -> bool:
            listed = self.table.typed and text.startswith(("[", "{"))
            return bool(text) and (listed or len(text) > LONGEST_NAME or not is_name(text))

        self.first, self.second = (column.map(lambda text: self._arms[text and names.arm(text)]) for column in ends)
        self.refuse((self.first < 0) | (self.second < 0), "an arm has no name")
        why = f"the name of an arm is one line of at most {LONGEST_NAME} characters, and no list or object"
        self.refuse(ends[0].map(wrong, bool) | ends[1].map(wrong, bool), why)
        self.refuse(self.first == self.second, "an arm is compared with itself")

    def numbers(self, name: str, what: str, *, flags: bool = False) -> Floats:
        """Return the numbers in a column, or its ``flags`` as 1 and 0; refuse rows with anything else."""

        def value(text: str) -> float:
            number = FLAGS.get(text.casefold()) if flags and text else None
            number = number_in(text) if number is None else number
            return number if number is not None and (number == 0 or _LEAST <= number <= _LARGEST) else math.nan

        column = self.columns[name]
        values: Floats = column.map(value, float)
        wrong = np.isnan(values)
        if (bad := np.flatnonzero(self.used & wrong)).size:
            text = column.texts[column.codes[bad[0]]]
            hint = ", write decimals with a point" * ("," in text)
            self.refuse(wrong, f"the {what} is no number from {_LEAST:g} to {_LARGEST:g}, nor 0: {shown(text)!r}{hint}")
        return np.where(wrong, 0.0, values)

    def _meanings(self, name: str, options: VoteFileOptions) -> tuple[Ints, Ints]:
        """Return the outcome in each cell of a column, read as a word and as the name of an arm of its row.

        The latter is ``_ELSEWHERE`` for an arm of other rows, and ``UNKNOWN`` for what is no arm.
        """
        given = {word(text): MEANINGS[meaning] for text, meaning in options.outcomes.items()}
        meant = {**self.plan.words, **given}

        def arm(text: str) -> int:
            is_side = self.plan.sides_only or given.get(word(text), UNKNOWN) != UNKNOWN
            return -1 if is_side or not text else self._arms.get(self._arm(text), -1)

        named = self.columns[name].map(arm)
        here = np.isin(named, np.concatenate([self.first[self.used], self.second[self.used]]))
        ways = [named < 0, named == self.first, named == self.second, here]
        as_name = np.select(ways, [*np.array([UNKNOWN, 1, -1, _ELSEWHERE], np.int8)], np.int8(UNKNOWN))
        return self.columns[name].map(lambda text: meant.get(word(text), UNKNOWN), np.int8), as_name

    def outcomes(self, options: VoteFileOptions) -> Ints:
        """Return the outcome of each row, NONE for an abstention; refuse rows that name an arm of other rows.

        Raises UserError or Undecided for values that are not known, or can be an arm or a side.
        """
        if self.plan.kind == "won":
            return np.ones(len(self.line), np.int8)
        name = self.plan.used[2]
        as_word, as_name = self._meanings(name, options)
        self.words |= {*map(word, self.columns[name].texts)}
        known, named = as_word != UNKNOWN, as_name != UNKNOWN
        found: Ints = np.where(named, as_name, as_word)
        if sizes := self._texts(found == UNKNOWN):
            values = sorted(sizes, key=lambda text: (-sizes[text], text))
            text = several([f"{shown(value)!r} ({sizes[value]:,})" for value in values])
            if any(number_in(value) is not None for value in values):  # then a number that is an arm may be none, too
                values += [each for each in self._texts(known | named) if number_in(each) is not None]
            why = f"in {name!r}, these are neither known outcomes nor arms of their rows: {text}"
            raise unknown_outcomes(self.table, options, why, self.plan.used[:2], values)
        given = {word(text) for text in options.outcomes}
        if (self.used & known & named & (as_word != as_name)).any():
            raise self._arm_or_side(self._texts(known & named), "can be the name of an arm or a side")
        numerals = [text for text in self._texts(named) if number_in(text) in (-1, 0, 1, 2)]
        if numerals and len(numerals) == len(self._texts(named)) and not given.issuperset(map(word, numerals)):
            raise self._arm_or_side(numerals, "can be the name of an arm or a number for a side")
        elsewhere = found == _ELSEWHERE
        mistakes = [text for text in self._texts(elsewhere) if word(text) not in given]
        if mistakes and (self.used & elsewhere).sum() > _MISTAKES * self.used.sum():
            line = int(self.line[self.used & elsewhere][0])
            raise self._arm_or_side(mistakes, f"(line {line:,}) is often the name of an arm of other rows")
        self.refuse(elsewhere, "the outcome is the name of an arm of other rows")
        return found

    def _texts(self, rows: Flags) -> Counter[str]:
        return self.columns[self.plan.used[2]].counted(self.used & rows)

    def _arm_or_side(self, texts: Sequence[str] | Counter[str], why: str) -> Undecided:
        sides = {text: _WORDS.get(self.plan.words.get(word(text), UNKNOWN), CHOOSE) for text in sorted(texts)}
        choices = [{"outcomes": sides}, {"outcomes": dict.fromkeys(sides, "arm")}]
        return Undecided(f"{self.plan.used[2]}: {several([repr(shown(text)) for text in sides])} {why}", choices)

    def with_ties(self, outcome: Ints, options: VoteFileOptions) -> Ints:
        """Return the outcomes where flags of ties count, too; count abstentions, which are used no longer.

        Raises Undecided if a flag contradicts the outcome of its row.
        """
        tie = np.zeros(len(outcome), dtype=bool)
        for name in self.plan.ties:
            column = self.columns[name]
            flag: Floats = column.map(lambda text: FLAGS.get(text.casefold(), math.nan), float)
            self.refuse(np.isnan(flag), f"{name} is neither true nor false")
            yes, no = flag == 1.0, (flag == 0.0) & column.map(bool, bool)
            tie |= yes
            two = self.used & ((yes & np.isin(outcome, (1, -1))) | (no & (outcome == 0)))
            if two.any() and self.plan.kind == "outcome" and not options.tie:
                why = (
                    f"{self.plan.used[2]} and {name} contradict each other in {int(two.sum()):,} rows, as in line "
                    f"{int(self.line[two][0]):,}: correct them, rename {name}, or let a row be a tie if either says so"
                )
                raise Undecided(why, [{"tie": [name]}])
        outcome = np.where(tie, np.int8(0), outcome)
        if self.plan.kind == "outcome":
            self.report.abstentions += self._texts(outcome == NONE)
            self.used &= outcome != NONE
        return outcome

    def check_rival(self, name: str, outcome: Ints, options: VoteFileOptions) -> None:
        """Raise Undecided if another column says that other arms have won."""
        as_word, as_name = self._meanings(name, options)
        other = np.where(as_name != UNKNOWN, as_name, as_word)[self.used]
        differ = int(((other != outcome[self.used]) & (other != NONE)).sum())
        if differ and not (other >= HALF).any() and np.isin(other, (1, -1)).any():
            used = self.plan.used[2]
            why = f"{used} and {name} can both be the outcome, and differ in {differ:,} rows"
            raise Undecided(why, [{"winner": used}, {"winner": name}])

    def singles(self, outcome: Ints, weight: Floats) -> Singles:
        """Return the votes of a table with one in each row, or half a vote for each arm."""
        at = np.flatnonzero(self.used)
        whole, half = at[outcome[at] != HALF], at[outcome[at] == HALF]
        sides = np.concatenate([outcome[whole], np.repeat(np.array([1, -1], np.int8), len(half))])
        return np.concatenate([whole, half, half]), sides, np.concatenate([weight[whole], np.tile(weight[half] / 2, 2)])

    def counts(self, weight: Floats) -> Singles:
        """Return the votes of a table with their numbers, or with a flag for each outcome."""
        names = [*self.plan.used[2:], *self.plan.ties]
        numbers = [self.numbers(name, "number of votes", flags=True) for name in names]
        total = np.sum(numbers, axis=0)
        words = {text.casefold() for name in names for text in self.columns[name].counted(self.used)}
        if words <= FLAGS.keys() and (self.plan.flags or words & {"true", "false", "yes", "no"}):
            if (twice := self.used & (total > 1)).any():
                why = f"{int(twice.sum()):,} rows have several outcomes in {', '.join(names)}: leave one in each"
                raise UserError(why, line=int(self.line[twice][0]))
            self.refuse(total == 0, f"there is no outcome in {', '.join(names)}")
        if (empty := int((self.used & (total == 0)).sum())) and not self.table.exact:
            self.report.warnings.append(f"{self.table.source}: {empty:,} rows have no votes")
        at = np.flatnonzero(self.used)
        outcome = np.repeat([1, -1, *[0] * len(self.plan.ties)], len(at))
        return np.tile(at, len(names)), outcome, np.concatenate([number[at] * weight[at] for number in numbers])
