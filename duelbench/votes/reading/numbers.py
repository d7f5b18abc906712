"""Outcomes that are numbers, or true and false: a share, a side, or an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from duelbench.errors import UserError
from duelbench.votes.reading import terms
from duelbench.votes.reading.tally import number_in
from duelbench.votes.reading.words import Outcome, folded, kind_of, parts


class Notation(NamedTuple):
    """What numbers mean; those in ``needed`` must occur, since others would be meant without them."""

    meaning: str
    outcomes: Mapping[float, Outcome]
    needed: frozenset[float] = frozenset()


SHARE = Notation("1, 0 and 0.5 are the share that the first has won", {1.0: 1, 0.0: -1, 0.5: 0})
SHARE_OF_SECOND = Notation("1, 0 and 0.5 are the share that the second has won", {0.0: 1, 1.0: -1, 0.5: 0})
INDEX = Notation("0 is the first, 1 the second", {0.0: 1, 1.0: -1})
SIDE = Notation("1 is the first, 2 the second, 1.5 a tie", {1.0: 1, 2.0: -1, 1.5: 0})
FROM_ZERO = (INDEX, Notation("0 is the first, 1 the second, 2 a tie", {0.0: 1, 1.0: -1, 2.0: 0}, frozenset((0.0, 2.0))))
POINTS = Notation("2 is a win of the first, 1 a tie, 0 a defeat", {2.0: 1, 1.0: 0, 0.0: -1}, frozenset((0.0, 2.0)))
NOTATIONS = (
    SHARE,
    *FROM_ZERO,
    Notation("1 is the first, -1 the second, 0 a tie", {1.0: 1, -1.0: -1, 0.0: 0}, frozenset((-1.0,))),
    SIDE,
    Notation("1 is the first, 2 the second, 0 a tie", {1.0: 1, 2.0: -1, 0.0: 0}, frozenset((0.0, 2.0))),
    POINTS,
    Notation("1 is the first, 2 the second, 3 a tie", {1.0: 1, 2.0: -1, 3.0: 0}, frozenset((3.0,))),
    Notation("1 is the first, 2 a tie, 3 the second", {1.0: 1, 2.0: 0, 3.0: -1}, frozenset((3.0,))),
)
NAMES = {1: "the first", -1: "the second", 0: "a tie"}
OPTIONS = {1: "--first-word", -1: "--second-word", 0: "--tie-word"}
PLAUSIBLE = frozenset(number for notation in NOTATIONS for number in notation.outcomes)
"""Numbers that mean an outcome in some notation."""


def codes(
    texts: Iterable[str], columns: tuple[str, str], column: str, own: Mapping[str, Outcome], wins: Outcome
) -> tuple[dict[str, Outcome], str]:
    """Return the meaning of the numbers ``texts`` and its description; empty if none of them can be a code.

    ``own`` are the user's words. ``wins`` is the side of which ``column`` says whether it has won, or 0.

    Raises:
        UserError: the numbers can mean different things.
    """
    numbers = {text: found for text in texts if (found := code(text)) is not None}
    values = frozenset(numbers.values())
    if values.isdisjoint(PLAUSIBLE):
        return {}, ""
    given = {number: outcome for text, outcome in own.items() if (number := code(text)) is not None}
    fit = [each for each in _possible(columns, column, wins, values) if _fits(each, values, given)]
    fit = [each for each in fit if given.keys() <= each.outcomes.keys()] or fit
    shown = {number: text for text, number in sorted(numbers.items())}
    meanings = list(dict.fromkeys(tuple(each.outcomes[number] for number in shown) for each in fit))
    if len(meanings) == 1:
        return {text: fit[0].outcomes[number] for text, number in numbers.items()}, fit[0].meaning
    wrong = "can mean different things: " + "; ".join(
        _reading(each, meanings, tuple(shown.values())) for each in meanings
    )
    if not meanings:
        wrong = "follow no known notation: name what they mean by --first-word, --second-word and --tie-word"
    some = ", ".join(list(shown.values())[:6])
    raise UserError(
        f"the values {some} in column {column!r} {wrong} (in a spec, first_word and so on)",
        key=(column,),
    )


def _possible(columns: tuple[str, str], column: str, wins: Outcome, values: frozenset[float]) -> tuple[Notation, ...]:
    """Return the notations that the names of the columns allow."""
    kind = kind_of(*columns)
    if wins:
        return (SHARE if wins > 0 else SHARE_OF_SECOND,)
    if kind == "index":
        return (INDEX,)
    if any(word in terms.INDEXES for word in parts(column)):
        return INDEX, SIDE
    excluded: tuple[Notation, ...] = ()
    if 0.5 in values or (kind == "number" and 0.0 not in values):
        excluded = FROM_ZERO
    elif kind == "number" and 2.0 in values:  # as in the names of the columns
        excluded = FROM_ZERO if "result" in parts(column) else (*FROM_ZERO, POINTS)
    return tuple(each for each in NOTATIONS if each not in excluded)


def _fits(notation: Notation, values: frozenset[float], given: Mapping[float, Outcome]) -> bool:
    """Return whether a notation covers all values, and agrees with the numbers that the user has given."""
    return (
        values <= notation.outcomes.keys()
        and notation.needed <= values | given.keys()
        and all(notation.outcomes.get(number, outcome) == outcome for number, outcome in given.items())
    )


def _reading(meaning: tuple[Outcome, ...], others: Iterable[tuple[Outcome, ...]], shown: tuple[str, ...]) -> str:
    """Return what each number in the file can mean, and the option for one that only this reading has."""
    each_one = ", ".join(f"{text} is {NAMES[outcome]}" for text, outcome in zip(shown, meaning, strict=True))
    option = next(
        f"{option} {shown[place]}"
        for outcome, option in OPTIONS.items()
        for place, found in enumerate(meaning)
        if found == outcome and all(each is meaning or each[place] != outcome for each in others)
    )
    return f"if {each_one}, add {option}"


def key(text: str) -> str:
    """Return the same text for all spellings of a word or a number, which may have a sign; empty without either."""
    number = code(text)
    return folded(text) if number is None else repr(number)


def code(text: str) -> float | None:
    """Return the number that an outcome is, with true for 1 and false for 0; None if it is none."""
    word = text.strip().casefold()
    return {"true": 1.0, "false": 0.0}.get(word, number_in(word))
