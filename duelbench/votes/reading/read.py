"""Read votes from files and Python objects into one table, and report all rows that are not votes."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.markup import several, unescaped
from duelbench.parameters import validated
from duelbench.preferences.matrix import is_name
from duelbench.sources.matrix_files import MAX_ARMS
from duelbench.votes.reading.columns import (
    HALF,
    MEANINGS,
    NONE,
    UNKNOWN,
    Plan,
    Undecided,
    VoteFileOptions,
    find,
    plan,
    suits,
)
from duelbench.votes.reading.formats import open_table
from duelbench.votes.reading.formats.preflib import Unlisted, ballots_table
from duelbench.votes.reading.refusals import CHOOSE, rivals, undecided, unknown_columns, unknown_outcomes, unused
from duelbench.votes.reading.tables import (
    FLAGS,
    RawTable,
    frame_table,
    key,
    number_in,
    records_table,
    same,
    shown,
    visible,
    word,
)
from duelbench.votes.vote_table import FEWEST_CLUSTERS, Report, VoteFile, Votes, VoteTable, sha256_of

LONGEST_NAME = 500
"""The largest number of characters in a name; a longer cell is probably a compared text, not the name of an arm."""

_NO_NAMES = {"none", "null", "nil", "nan", "na", "n/a", "#n/a", "<na>", "nat", "missing", "undefined", "-", "--", "?"}

_NO_NAMES |= {"\\n", "[null]", "(blank)", "#ref!", "#name?", "#value!"}


class ArmNames:
    """Map names to arms, and count the rows with each spelling.

    Names that differ only in case, blanks or hidden characters mean the same arm, unless ``arms`` or ``aliases``
    contain both.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None, arms: Iterable[str] = ()) -> None:
        self._aliases = dict(aliases or {})
        self._arms: dict[str, str] = {}
        self._alike: dict[str, set[str]] = {}
        self._rows: Counter[str] = Counter()
        self.add({arm: arm for arm in [*arms, *self._aliases.values()]} | self._aliases)

    def add(self, arms: Mapping[str, str]) -> None:
        """Add names and the arms that they mean; known names keep their arm."""
        for name, arm in arms.items():
            self._alike.setdefault(same(name), set()).add(self._arms.setdefault(name, arm))

    def arm(self, name: str) -> str:
        """Return the arm that a name means: a known arm, else a text that is the same for all spellings."""
        if name in self._arms:
            return self._arms[name]
        found = self._alike.get(same(name), {same(name)})
        return next(iter(found)) if len(found) == 1 else name  # a third spelling of two arms is an arm of its own

    def count(self, name: str, rows: int) -> None:
        """Count rows with this spelling."""
        self._rows[name] += rows

    def kept(self) -> dict[str, str]:
        """Map each spelling to the name to show: a known arm, else the most frequent spelling."""
        spellings: dict[str, list[str]] = {}
        for name in sorted(self._rows):
            spellings.setdefault(self.arm(name), []).append(name)
        fixed = {*self._arms.values()}
        found: dict[str, str] = {}
        for arm, names in spellings.items():
            seen = [name for name in names if visible(name) == name] or names
            found |= dict.fromkeys(names, arm if arm in fixed else max(seen, key=self._rows.__getitem__))
        return found

    def warnings(self, source: str) -> Iterator[str]:
        """Warn of arms with several spellings, names that may be missing values, and unused aliases."""
        spellings: dict[str, list[str]] = {}
        for name, kept in self.kept().items():
            if same(name) == same(kept):
                spellings.setdefault(kept, []).append(name)
        for kept, names in spellings.items():
            if names != [kept]:
                yield (
                    f"{self._counted(names)} {'count' if len(names) > 1 else 'counts'} as the arm {kept!r}, since only "
                    "case, blanks and the like differ; a file of aliases that lists each keeps them apart"
                )
        missing = [name for name in sorted(self._rows) if name.casefold() in _NO_NAMES and name not in self._arms]
        if missing:
            yield f"{self._counted(missing)}: read as names of arms; remove these rows if the name is missing there"
        known = {*map(same, self._rows)}
        if unused := [name for name, arm in self._aliases.items() if name != arm and same(name) not in known]:
            some = several([repr(shown(name)) for name in unused], _NAMED)
            yield f"{source}: {len(unused):,} of {len(self._aliases):,} names do not occur in the votes: {some}"

    def _counted(self, names: Sequence[str]) -> str:
        return several([f"{name!r:.80} ({self._rows[name]:,})" for name in names], _NAMED)


_NAMED = 5
"""The largest number of spellings or of aliases to name in a warning."""


def read_aliases(path: Path) -> dict[str, str]:
    """Read other names of arms from a table with the columns ``name`` and ``arm``.

    Raises UserError for other columns, a name with two arms, or an arm that is itself an alias of another arm.
    """
    found: dict[str, str] = {}
    with rereadable(path) as file:
        table = open_table(file, str(path), suits=lambda header: sorted(map(key, header)) == ["arm", "name"])
        columns = {key(name): name for name in table.columns}
        if columns.keys() != {"name", "arm"}:
            why = (
                f"aliases are a table with the columns name and arm, named in its first line, not {', '.join(columns)}"
            )
            raise UserError(why, source=str(path), line=1)
        for line, cells in table.rows([columns["name"], columns["arm"]]):
            name, arm = ("", "") if isinstance(cells, str) else (cell.strip() for cell in cells)
            known = found.setdefault(name, arm)
            if len(name) > LONGEST_NAME or len(arm) > LONGEST_NAME or not is_name(name) or not is_name(arm):
                why = f"write a name and the arm that it means, each one line of 1 to {LONGEST_NAME} characters"
            elif known != arm:
                why = f"{name!r} is already another name of {known!r}: write a name of one arm"
            else:
                continue
            raise UserError(why, source=str(path), line=line)
    for name, arm in found.items():
        if found.get(arm, arm) != arm:
            why = f"{arm!r} is itself a name of {found[arm]!r}: write that arm for {name!r}"
            raise UserError(why, source=str(path))
    return found


_LEAST, _LARGEST = 1e-6, 1e12
"""The range of weights and counts other than 0, for which sums and shares are accurate."""

_ELSEWHERE = 5
"""Code of an outcome that is the name of an arm, but of other rows."""

_MISTAKES = 0.01
"""The largest share of rows with such an outcome; above it, the file is ambiguous."""

_WORDS = {1: "first", -1: "second", 0: "tie", NONE: "none"}

Singles = tuple[Ints, Ints, Floats]
"""The row, the outcome and the weight of each vote."""


@dataclass(frozen=True)
class CodedColumn:
    """The cells of a column, as indices (``codes``) into the distinct ``texts``."""

    codes: Ints
    texts: list[str]

    def map(self, function: Callable[[str], Any], kind: type = np.int32) -> Any:
        """Apply a function to each cell."""
        return np.array([function(text) for text in self.texts or [""]], dtype=kind)[self.codes]

    def counted(self, rows: Flags) -> Counter[str]:
        """Count the texts among some rows."""
        found: Counter[str] = Counter()
        for text, size in zip(
            self.texts, np.bincount(self.codes[rows], minlength=len(self.texts)).tolist(), strict=True
        ):
            found[text] += size
        return +found


class Rows:
    """The rows of a table: their lines, the relevant columns, their arms as numbers, and which rows are in use."""

    def __init__(self, table: RawTable, plan: Plan, names: Sequence[str], report: Report) -> None:
        """Read the columns ``names``; refuse rows with a wrong number of cells."""
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
            name: CodedColumn(np.frombuffer(code, np.int32), each)
            for name, code, each in zip(names, codes, texts, strict=True)
        }
        self.line = np.frombuffer(lines, np.int64)
        self.used = np.ones(len(lines), dtype=bool)
        self.words: set[str] = set()

    def refuse(self, wrong: Flags, why: str) -> None:
        """Refuse the rows in use that are ``wrong``."""
        if lines := self.line[self.used & wrong].tolist():
            self.report.refuse(why, self.table.source, lines)
            self.used &= ~wrong

    def select(self, column: str, value: str) -> None:
        """Leave out the rows where a column has another value."""
        texts = [place for place, text in enumerate(self.columns[column].texts) if text.casefold() == value.casefold()]
        before = self.used.sum()
        self.used &= np.isin(self.columns[column].codes, texts)
        self.report.left_out += int(before - self.used.sum())

    def number_groups(self) -> None:
        """Number the groups; −1 means no group. Names of groups are dropped, as each row may have its own."""
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
        """Convert a column to numbers (``flags`` to 1 and 0), and refuse rows with anything else."""

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
        """Return the outcome in each cell of a column, read as a word and as the name of an arm.

        Read as a name, it is ``_ELSEWHERE`` for an arm of other rows only, and ``UNKNOWN`` if it is no arm.
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
        """Return the outcome of each row (NONE for an abstention), and refuse rows that name an arm of other rows.

        Raises UserError for unknown values, and Undecided for values that may be an arm or a side.
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
        """Add ties from flags to the outcomes; count the abstentions and stop using their rows.

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
        """Raise Undecided if another column may be the outcome and contradicts it."""
        as_word, as_name = self._meanings(name, options)
        other = np.where(as_name != UNKNOWN, as_name, as_word)[self.used]
        differ = int(((other != outcome[self.used]) & (other != NONE)).sum())
        if differ and not (other >= HALF).any() and np.isin(other, (1, -1)).any():
            used = self.plan.used[2]
            why = f"{used} and {name} can both be the outcome, and differ in {differ:,} rows"
            raise Undecided(why, [{"winner": used}, {"winner": name}])

    def singles(self, outcome: Ints, weight: Floats) -> Singles:
        """Return one vote for each row in use, or half a vote for each arm if the outcome is HALF."""
        at = np.flatnonzero(self.used)
        whole, half = at[outcome[at] != HALF], at[outcome[at] == HALF]
        sides = np.concatenate([outcome[whole], np.repeat(np.array([1, -1], np.int8), len(half))])
        return np.concatenate([whole, half, half]), sides, np.concatenate([weight[whole], np.tile(weight[half] / 2, 2)])

    def counts(self, weight: Floats) -> Singles:
        """Return the votes of a table that has counts, or one flag for each outcome."""
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


def read_votes(
    votes: Any, options: VoteFileOptions | None = None, *, arms: Sequence[str] = (), **reading: Any
) -> Votes:
    """Read comparisons of two arms each.

    The tables in ``datasets/README.md`` list the recognised columns, outcomes and formats. Nothing is guessed: any
    other column or outcome must be named.

    Parameters
    ----------
    votes : str, Path, DataFrame or sequence
        One or several files, whose votes are pooled; a data frame; a list of dictionaries; or a list of tuples (first,
        second, outcome).
    options : VoteFileOptions, optional
        How to read them.
    arms : sequence of str
        Known arms. Names that differ only in case or blanks are one arm, unless they are among these.
    **reading
        Instead of ``options``, the options of the command: the columns ``first``, ``second``, ``winner``, ``loser``,
        ``tie``, ``judge``, ``group`` and ``weight``; ``outcomes``, a dictionary from values to first, second, tie,
        none or arm; ``only``, a dictionary from columns to the value that a row must have; ``ties``, ``alias``, etc.

    Returns
    -------
    Votes
        The votes as a table (``to_frame``), their ``counts`` on each pair, and ``warnings``.

    Raises
    ------
    UserError
        If a file does not exist, columns or outcomes are not recognised, there are no votes, or more than half of the
        rows are refused; ``source`` and ``line`` say where.

    Examples
    --------
    >>> from duelbench import read_votes
    >>> votes = read_votes([("x", "y", "first"), ("y", "x", "tie")])
    >>> votes.to_frame()[["first", "second", "outcome"]].values.tolist()
    [['x', 'y', 'first'], ['y', 'x', 'tie']]
    """
    options = options or validated(VoteFileOptions, reading)
    reader = _VoteReader(options, ArmNames(read_aliases(Path(options.alias)) if options.alias else {}, arms))
    if hasattr(votes, "iloc"):
        reader.table(frame_table(votes))
        return reader.votes()
    one = isinstance(votes, (str, Path, Mapping)) or not isinstance(votes, Iterable)
    sources = [votes] if one else [*votes]
    if not all(isinstance(each, (str, Path)) for each in sources):
        reader.table(records_table(sources))
        return reader.votes()
    for path in map(Path, sources):
        with rereadable(path) as file:
            table = open_table(file, str(path), options.delimiter, lambda header: suits(header, options))
            reader.table(table, sha256_of(file))
    return reader.votes()


def read_ballots(paths: Sequence[Path], unlisted: Unlisted, ties: Literal["half", "drop"]) -> Votes:
    """Read files in PrefLib formats; ``unlisted`` is the meaning of alternatives that are not on a ballot."""
    reader = _VoteReader(VoteFileOptions(ties=ties), ArmNames())
    for path in paths:
        with rereadable(path) as file:
            reader.table(ballots_table(file, str(path), unlisted), sha256_of(file))
    return reader.votes()


class _VoteReader:
    """Collect the votes and the report of all sources."""

    def __init__(self, options: VoteFileOptions, names: ArmNames) -> None:
        self._options, self._names, self._report = options, names, Report()
        self._files: list[VoteFile] = []
        self._spellings: dict[str, int] = {}
        self._judges: dict[str, int] = {}
        self._parts: list[tuple[NDArray[Any], ...]] = []
        self._ordered = True
        self._group = 0
        self._words: set[str] = set()

    def table(self, table: RawTable, sha256: str = "") -> None:
        """Read a table; ``sha256`` is that of its file, empty for Python objects."""
        before = self._report.sizes()
        try:
            chosen = plan(table, self._options)
            if chosen is None:
                raise unknown_columns(table, self._options)
            self._read(table, chosen)
        except Undecided as error:
            raise undecided(table, self._options, error) from None
        except UserError as error:
            error.source = error.source or table.source
            raise
        number = self._report.read_since(before, chosen.understood, table.source)
        self._files.append(VoteFile(table.source, sha256, number, chosen.understood))

    def _read(self, table: RawTable, chosen: Plan) -> None:
        options, report = self._options, self._report
        only = {find(name, table.columns): value for name, value in options.only.items()}
        used = [*dict.fromkeys([*chosen.columns, *only])]
        asked = options.winner or chosen.session or chosen.kind != "outcome"
        others = [] if asked else rivals(table, chosen, used)
        rows = Rows(table, chosen, [*used, *others], report)
        if table.exact or chosen.session:
            self._names.add({text: text for name in chosen.used[:2] for text in rows.columns[name].texts})
        for name, value in only.items():
            rows.select(name, value)
        rows.number_groups()
        rows.name_arms(self._names)
        weight = rows.numbers(chosen.weight, "weight") if chosen.weight else np.ones(len(rows.line))
        if chosen.kind == "counts":
            votes = rows.counts(weight)
        else:
            outcome = rows.with_ties(rows.outcomes(options), options)
            for name in others:
                rows.check_rival(name, outcome, options)
            votes = rows.singles(outcome, weight)
        if options.strict and report.reasons:
            worst = report.refused[0]
            raise UserError(f"{worst.reason} ({worst.places[0]}): correct it, or leave out --strict")
        self._keep(rows, *votes)
        self._ordered &= (chosen.kind == "outcome" or chosen.flags) and not table.exact
        note = "" if chosen.session or table.tags else unused(table, chosen, used)
        self._words |= rows.words
        report.warnings += [f"{table.source}: {note}" for note in [*table.notes, note] if note]

    def _keep(self, rows: Rows, at: Ints, outcome: Ints, weight: Floats) -> None:
        """Add the votes of a table, given the row, the outcome and the weight of each vote."""
        at, outcome = at[weight > 0], outcome[weight > 0]
        ends = [rows.columns[name] for name in rows.plan.used[:2]]
        for text, number in (item for column in ends for item in column.counted(rows.used).items()):
            self._names.count(text, number)
            self._spellings.setdefault(text, len(self._spellings))
        first, second = (column.map(lambda text: self._spellings.get(text, -1))[at] for column in ends)
        judge = np.full(len(at), -1, np.int32)
        if rows.plan.judge:
            column = rows.columns[rows.plan.judge]
            for text in filter(None, column.counted(rows.used)):
                self._judges.setdefault(text, len(self._judges))
            judge = column.map(lambda text: self._judges.get(text, -1))[at]
        group = self._groups(rows, at) + self._group
        self._group = group.max(initial=self._group - 1) + 1
        self._parts.append((first, second, outcome, weight[weight > 0], judge, group))

    def _groups(self, rows: Rows, at: Ints) -> Ints:
        """Return the group of each vote. A vote without a group is a group of its own."""
        alone, listed, name = np.arange(len(at)), rows.group[at], rows.plan.group
        known = listed >= 0
        number, votes = np.count_nonzero(np.bincount(listed[known])), int(known.sum())
        if not self._options.group and 0 < number < votes:
            arms = len(np.unique(np.concatenate([rows.first[rows.used], rows.second[rows.used]])))
            if number < FEWEST_CLUSTERS * arms:
                why = f"{number:,} different {name!r} are too few to be groups: votes are taken as independent"
                self._report.warnings.append(f"{rows.table.source}: {why}")
                return alone
            why = f"rows with the same {name!r} are a group of dependent votes"
            self._report.grouped.append(f"{rows.table.source}: {why}; --clusters none takes them as independent")
        return np.where(known, listed, len(rows.group) + alone)

    def votes(self) -> Votes:
        """Return the votes of all sources."""
        report, source = self._report, self._files[0].path
        rows, refused, abstained = report.sizes()
        if rows == report.left_out + refused + abstained:
            why = ", none of them selected by --only" if report.left_out else ""
            why = f", {abstained:,} of them abstentions" if abstained else why
            raise UserError(f"there are no votes in {rows:,} rows{why}", source=source)
        kept = self._names.kept()
        names = sorted({*kept.values()})
        if not 2 <= len(names) <= MAX_ARMS:
            raise UserError(f"there are {len(names):,} arms: a matrix has from 2 to {MAX_ARMS:,}", source=source)
        arm = np.array([names.index(kept[name]) for name in self._spellings])
        first, second, outcome, weight, judge, group = map(np.concatenate, zip(*self._parts, strict=True))
        columns = arm[first], arm[second], outcome, weight, judge, group
        table = VoteTable(tuple(names), *columns, tuple(self._judges), self._ordered)
        for at, each in enumerate(self._files):
            same = next((one for one in self._files[:at] if one.sha256 and one.sha256 == each.sha256), None)
            report.warnings += [f"{each.path} is the same file as {same.path}: its votes count twice"] if same else []
        report.warnings += self._names.warnings(self._options.alias or "")
        if missing := [repr(text) for text in self._options.outcomes if word(text) not in self._words]:
            report.warnings.append(f"--outcome has no effect for {several(missing)}: no row has this outcome")
        dropped = 0.0
        if self._options.ties == "drop":
            table, dropped = table.chosen(outcome != 0), float(weight[outcome == 0].sum())
        return Votes(**vars(report), table=table, files=tuple(self._files), dropped_ties=dropped)
