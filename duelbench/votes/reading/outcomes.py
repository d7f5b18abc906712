"""The outcomes of rows: words, names of arms, flags of ties, and numbers of votes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.errors import UserError
from duelbench.votes.reading.layouts import Undecided
from duelbench.votes.reading.options import HALF, MEANINGS, NONE, UNKNOWN, VoteFileOptions
from duelbench.votes.reading.refusals import CHOOSE, unknown_outcomes
from duelbench.votes.reading.rows import Rows
from duelbench.votes.reading.texts import FLAGS, number_in, several, shown, word

_ELSEWHERE = 5
"""The outcome is the name of an arm of other rows."""
_MISTAKES = 0.01
"""The largest share of rows that may name an arm of other rows."""
_WORDS = {1: "first", -1: "second", 0: "tie", NONE: "none"}


def _meanings(rows: Rows, name: str, options: VoteFileOptions) -> tuple[Ints, Ints]:
    """Return the outcome in each cell of a column, read as a word and as the name of an arm of its row.

    The latter is ``_ELSEWHERE`` for an arm of other rows, and ``UNKNOWN`` for what is no arm.
    """
    given = {word(text): MEANINGS[meaning] for text, meaning in options.outcomes}
    meant = {**rows.plan.words, **given}
    as_word = rows.columns[name].map(lambda text: meant.get(word(text), UNKNOWN))

    def arm(text: str) -> int:
        is_side = rows.plan.sides_only or given.get(word(text), UNKNOWN) != UNKNOWN
        return -1 if is_side else rows.arms.get(rows.arm(text), -1)

    named = rows.columns[name].map(arm)
    here = np.isin(named, np.concatenate([rows.first[rows.used], rows.second[rows.used]]))
    ways = [named < 0, named == rows.first, named == rows.second, here]
    return as_word, np.select(ways, [UNKNOWN, 1, -1, _ELSEWHERE], UNKNOWN)


def outcomes(rows: Rows, options: VoteFileOptions) -> Ints:
    """Return the outcome of each row, NONE for an abstention; refuse rows that name an arm of other rows.

    Raises UserError or Undecided for values that are not known, or can be an arm or a side.
    """
    name = rows.plan.used[2]
    as_word, as_name = _meanings(rows, name, options)
    known, named = as_word != UNKNOWN, as_name != UNKNOWN
    found: Ints = np.where(named, as_name, as_word)
    sizes = rows.columns[name].counted(rows.used & (found == UNKNOWN))
    if sizes:
        values = sorted(sizes, key=lambda text: (-sizes[text], text))
        text = several([f"{shown(value)!r} ({sizes[value]:,} rows)" for value in values])
        if any(number_in(value) is not None for value in values):  # then a number that is an arm may be none, too
            values += [each for each in _texts(rows, known | named) if number_in(each) is not None]
        raise unknown_outcomes(rows.table, options, name, rows.plan.used[:2], values, text)
    given = {word(text) for text, _ in options.outcomes}
    if (rows.used & known & named & (as_word != as_name)).any():
        raise _arm_or_side(rows, _texts(rows, known & named), "can be the name of an arm or a side")
    numerals = [text for text in _texts(rows, named) if number_in(text) in (-1, 0, 1, 2)]
    if numerals and len(numerals) == len(_texts(rows, named)) and not given.issuperset(map(word, numerals)):
        raise _arm_or_side(rows, numerals, "can be the name of an arm or a number for a side")
    elsewhere = found == _ELSEWHERE
    mistakes = [text for text in _texts(rows, elsewhere) if word(text) not in given]
    if mistakes and (rows.used & elsewhere).sum() > _MISTAKES * rows.used.sum():
        line = int(rows.line[rows.used & elsewhere][0])
        raise _arm_or_side(rows, mistakes, f"(line {line:,}) is often the name of an arm of other rows")
    rows.refuse(elsewhere, "the outcome is the name of an arm of other rows")
    return found


def _texts(rows: Rows, which: Flags) -> list[str]:
    return sorted(rows.columns[rows.plan.used[2]].counted(rows.used & which))


def _arm_or_side(rows: Rows, texts: Sequence[str], why: str) -> Undecided:
    sides = [f"{text}={_WORDS.get(rows.plan.words.get(word(text), UNKNOWN), CHOOSE)}" for text in texts]
    choices = [{"outcomes": sides}, {"outcomes": [f"{text}=arm" for text in texts]}]
    return Undecided(f"{rows.plan.used[2]}: {several([repr(shown(text)) for text in texts])} {why}", choices)


def with_ties(rows: Rows, outcome: Ints, options: VoteFileOptions) -> Ints:
    """Return the outcomes where flags of ties count, too; count abstentions, which are used no longer.

    Raises Undecided if a flag contradicts the outcome of its row.
    """
    tie = np.zeros(len(outcome), dtype=bool)
    for name in rows.plan.ties:
        column = rows.columns[name]
        flag: Floats = column.map(lambda text: FLAGS.get(text.casefold(), math.nan))
        rows.refuse(np.isnan(flag), f"{name} is neither true nor false")
        yes, no = flag == 1.0, (flag == 0.0) & column.map(bool)
        tie |= yes
        two = rows.used & ((yes & np.isin(outcome, (1, -1))) | (no & (outcome == 0)))
        if two.any() and rows.plan.kind == "outcome" and not options.tie:
            raise Undecided(
                f"{rows.plan.used[2]} and {name} contradict each other in {int(two.sum()):,} rows, the first one in line "
                f"{int(rows.line[two][0]):,}: correct them, rename {name}, or let a row be a tie if either says so",
                [{"tie": name}],
            )
    outcome = np.where(tie, 0, outcome)
    if rows.plan.kind == "outcome":
        none = rows.used & (outcome == NONE)
        rows.report.abstentions.update(rows.columns[rows.plan.used[2]].counted(none))
        rows.used = rows.used & ~none
    return outcome


def check_rival(rows: Rows, name: str, outcome: Ints, options: VoteFileOptions) -> None:
    """Raise Undecided if another column says that other arms have won."""
    as_word, as_name = _meanings(rows, name, options)
    other = np.where(as_name != UNKNOWN, as_name, as_word)[rows.used]
    differ = int(((other != outcome[rows.used]) & (other != NONE)).sum())
    if differ and not (other >= HALF).any() and np.isin(other, (1, -1)).any():
        used = rows.plan.used[2]
        why = f"{used} and {name} can both be the outcome, and differ in {differ:,} rows"
        raise Undecided(why, [{"winner": used}, {"winner": name}])


def single_votes(rows: Rows, outcome: Ints, weight: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the row, the outcome and the weight of each vote: one of a row, or half a vote for each arm."""
    at = np.flatnonzero(rows.used)
    half = at[outcome[at] == HALF]
    whole = at[outcome[at] != HALF]
    return (
        np.concatenate([whole, half, half]),
        np.concatenate([outcome[whole], np.repeat([1, -1], len(half))]),
        np.concatenate([weight[whole], np.tile(weight[half] / 2, 2)]),
    )


def counted_votes(rows: Rows, weight: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the row, the outcome and the weight of the votes of a table with numbers of votes, or with flags."""
    names = [*rows.plan.used[2:], *rows.plan.ties]
    numbers = [rows.numbers(name, "number of votes", flags=True) for name in names]
    total = np.sum(numbers, axis=0)
    words = {text.casefold() for name in names for text in rows.columns[name].counted(rows.used)}
    if words <= FLAGS.keys() and (rows.plan.flags or words & {"true", "false", "yes", "no"}):
        twice = rows.used & (total > 1)
        if twice.any():
            why = f"{int(twice.sum()):,} rows have several outcomes in {', '.join(names)}: leave one in each"
            raise UserError(why, line=int(rows.line[twice][0]))
        rows.refuse(total == 0, f"there is no outcome in {', '.join(names)}")
    empty = int((rows.used & (total == 0)).sum())
    if empty and not rows.table.exact:
        rows.report.notes.append(f"{rows.table.source}: {empty:,} rows have no votes")
    at = np.flatnonzero(rows.used)
    outcome = np.repeat([1, -1, *[0] * len(rows.plan.ties)], len(at))
    return np.tile(at, len(names)), outcome, np.concatenate([number[at] * weight[at] for number in numbers])
