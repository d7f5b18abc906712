"""The outcome of a comparison in a cell: the winner, by name or by side, or a tie.

A name may look like a side ("a" is the side of model_a, and may be an arm). A single row may be ambiguous, so the
meaning is determined from all rows of a file. Outcomes that are numbers, or true and false, are a share, a side, or an
index.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from duelbench.errors import UserError
from duelbench.votes.reading import terms
from duelbench.votes.reading.tally import Abstention, Refusal, UnknownOutcome, number_in, shown
from duelbench.votes.reading.terms import (
    TIE_SYMBOLS,
    Outcome,
    folded,
    is_abstention,
    is_tie,
    kind_of,
    parts,
    sides,
    symbols,
)


class _Notation(NamedTuple):
    """What numbers mean; those in ``needed`` must occur, since others would be meant without them."""

    meaning: str
    outcomes: Mapping[float, Outcome]
    needed: frozenset[float] = frozenset()


_SHARE = _Notation("1, 0 and 0.5 are the share that the first has won", {1.0: 1, 0.0: -1, 0.5: 0})
_SHARE_OF_SECOND = _Notation("1, 0 and 0.5 are the share that the second has won", {0.0: 1, 1.0: -1, 0.5: 0})
_INDEX = _Notation("0 is the first, 1 the second", {0.0: 1, 1.0: -1})
_SIDE = _Notation("1 is the first, 2 the second, 1.5 a tie", {1.0: 1, 2.0: -1, 1.5: 0})
_FROM_ZERO = (
    _INDEX,
    _Notation("0 is the first, 1 the second, 2 a tie", {0.0: 1, 1.0: -1, 2.0: 0}, frozenset((0.0, 2.0))),
)
_POINTS = _Notation("2 is a win of the first, 1 a tie, 0 a defeat", {2.0: 1, 1.0: 0, 0.0: -1}, frozenset((0.0, 2.0)))
NOTATIONS = (
    _SHARE,
    *_FROM_ZERO,
    _Notation("1 is the first, -1 the second, 0 a tie", {1.0: 1, -1.0: -1, 0.0: 0}, frozenset((-1.0,))),
    _SIDE,
    _Notation("1 is the first, 2 the second, 0 a tie", {1.0: 1, 2.0: -1, 0.0: 0}, frozenset((0.0, 2.0))),
    _POINTS,
    _Notation("1 is the first, 2 the second, 3 a tie", {1.0: 1, 2.0: -1, 3.0: 0}, frozenset((3.0,))),
    _Notation("1 is the first, 2 a tie, 3 the second", {1.0: 1, 2.0: 0, 3.0: -1}, frozenset((3.0,))),
)
_NAMES = {1: "the first", -1: "the second", 0: "a tie"}
_OPTIONS = {1: "--first-word", -1: "--second-word", 0: "--tie-word"}
_PLAUSIBLE = frozenset(number for notation in NOTATIONS for number in notation.outcomes)
"""Numbers that mean an outcome in some notation."""


def _codes(
    texts: Iterable[str], columns: tuple[str, str], column: str, own: Mapping[str, Outcome], wins: Outcome
) -> tuple[dict[str, Outcome], str]:
    """Return the meaning of the numbers ``texts`` and its description; empty if none of them can be a code.

    ``own`` are the user's words. ``wins`` is the side of which ``column`` says whether it has won, or 0.

    Raises:
        UserError: the numbers can mean different things.
    """
    numbers = {text: found for text in texts if (found := _code(text)) is not None}
    values = frozenset(numbers.values())
    if values.isdisjoint(_PLAUSIBLE):
        return {}, ""
    given = {number: outcome for text, outcome in own.items() if (number := _code(text)) is not None}
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


def _possible(columns: tuple[str, str], column: str, wins: Outcome, values: frozenset[float]) -> tuple[_Notation, ...]:
    """Return the notations that the names of the columns allow."""
    kind = kind_of(*columns)
    if wins:
        return (_SHARE if wins > 0 else _SHARE_OF_SECOND,)
    if kind == "index":
        return (_INDEX,)
    if any(word in terms.INDEXES for word in parts(column)):
        return _INDEX, _SIDE
    excluded: tuple[_Notation, ...] = ()
    if 0.5 in values or (kind == "number" and 0.0 not in values):
        excluded = _FROM_ZERO
    elif kind == "number" and 2.0 in values:  # as in the names of the columns
        excluded = _FROM_ZERO if "result" in parts(column) else (*_FROM_ZERO, _POINTS)
    return tuple(each for each in NOTATIONS if each not in excluded)


def _fits(notation: _Notation, values: frozenset[float], given: Mapping[float, Outcome]) -> bool:
    """Return whether a notation covers all values, and agrees with the numbers that the user has given."""
    return (
        values <= notation.outcomes.keys()
        and notation.needed <= values | given.keys()
        and all(notation.outcomes.get(number, outcome) == outcome for number, outcome in given.items())
    )


def _reading(meaning: tuple[Outcome, ...], others: Iterable[tuple[Outcome, ...]], shown: tuple[str, ...]) -> str:
    """Return what each number in the file can mean, and the option for one that only this reading has."""
    each_one = ", ".join(f"{text} is {_NAMES[outcome]}" for text, outcome in zip(shown, meaning, strict=True))
    option = next(
        f"{option} {shown[place]}"
        for outcome, option in _OPTIONS.items()
        for place, found in enumerate(meaning)
        if found == outcome and all(each is meaning or each[place] != outcome for each in others)
    )
    return f"if {each_one}, add {option}"


def key(text: str) -> str:
    """Return the same text for all spellings of a word or a number, which may have a sign; empty without either."""
    number = _code(text)
    return folded(text) if number is None else repr(number)


def _code(text: str) -> float | None:
    """Return the number that an outcome is, with true for 1 and false for 0; None if it is none."""
    word = text.strip().casefold()
    return {"true": 1.0, "false": 0.0}.get(word, number_in(word))


MISSING = frozenset({"", "none", "null", "nil", "nan", "na", "#n/a", "<na>", "nat", "missing", "undefined"})
"""Notations of a missing value. ``None`` is Python's, not a tie. An arm may have such a name."""
_LETTERS = frozenset("".join("".join(pair) for pair in terms.INITIALS.values()) + "d")
_FEW = 4
"""Numbers that mean nothing are mistakes if there is at most one among so many."""
Words = Mapping[str, Outcome]
"""The user's words for outcomes; see ``key``."""


@dataclass(frozen=True)
class Vocabulary:
    """The meaning of outcomes in a file: ``sides`` maps words to outcomes; with ``by_name`` names have precedence.

    ``numbers`` describes the meaning of numbers if there are any; ``by_side``: some rows name a side, not an arm.
    """

    sides: Mapping[str, Outcome]
    by_name: bool
    arm: Callable[[str], str]
    numbers: str = ""
    warning: str = ""
    by_side: bool = False

    @property
    def ties(self) -> tuple[str, ...]:
        """The words for ties in the file, unless these are just ``tie`` or ``draw``."""
        ties = sorted(text for text, outcome in self.sides.items() if outcome == 0 and _code(text) is None)
        return tuple(ties) if set(ties) - {"tie", "draw"} else ()

    def named(self, first: str, second: str, text: str) -> Outcome | None:
        """Return the outcome if it is read as the name of one of the two arms."""
        if not text or (not self.by_name and text.casefold() in self.sides):
            return None
        arm = self.arm(text)
        return 1 if arm == self.arm(first) else -1 if arm == self.arm(second) else None

    def outcome(self, first: str, second: str, text: str) -> Outcome:
        """Return the outcome.

        Raises:
            Abstention: the text means that the judge has not judged.
            Refusal: the text is unknown.
        """
        text = text.strip()
        if named := self.named(first, second, text):
            return named
        if (outcome := self.sides.get(text.casefold())) is not None:
            return outcome
        if text.casefold() in MISSING:
            raise Refusal("there is no outcome" + (f": {shown(text)} is a missing value" if text else ""))
        if is_abstention(text):
            raise Abstention(text)
        raise UnknownOutcome(f"the outcome {shown(text)} is unknown")


_Case = tuple[str, str, str, int]


def vocabulary(
    cases: Iterable[_Case],
    columns: tuple[str, str],
    column: str,
    arm: Callable[[str], str] = str,
    own: Words | None = None,
    wins: Outcome = 0,
) -> Vocabulary:
    """Determine the meaning of the outcomes of a file.

    Args:
        cases: Names of the first and the second arm, the text of the outcome, and the number of such rows.
        columns: The columns of the two arms, which an outcome may name instead of the arm.
        column: The column of the outcomes.
        arm: Returns the same for all spellings of an arm.
        own: The user's words for outcomes.
        wins: The side of which ``column`` says whether it has won; 0 if it may have any outcome.

    Raises:
        UserError: outcomes that can mean different things; ``key`` is the column.
    """
    known = [(a.strip(), b.strip(), text.strip(), rows) for a, b, text, rows in cases]
    texts = {text.casefold() for *_, text, _ in known}
    mine = {text: own[key(text)] for text in texts if key(text) in own} if own else {}
    unnamed = {text.casefold() for a, b, text, _ in known if arm(text) not in (arm(a), arm(b))}
    words = _words(texts - mine.keys(), unnamed - mine.keys(), columns, column)
    if wins:
        words |= {text: wins if text in terms.YES else -wins for text in texts if text in (*terms.YES, *terms.NO)}
    names = {arm(name) for a, b, _, _ in known for name in (a, b)}
    numerals = [case for case in known if _code(case[2]) is not None and case[2].casefold() not in mine]
    mostly_names = 2 * sum(case[3] for case in numerals if case[2].casefold() not in unnamed) > sum(
        case[3] for case in numerals
    )
    numbers = ""
    # If most numbers name an arm of their row, others that name none at all are mistakes.
    if not (mostly_names and any(arm(case[2]) not in names for case in numerals)):
        # So is a number that means nothing, such as 99 for a missing value, unless there are many: these are a scale.
        odd = [case for case in numerals if _code(case[2]) not in _PLAUSIBLE]
        scale = _FEW * sum(case[3] for case in odd) > sum(case[3] for case in numerals)
        candidates = {case[2].casefold() for case in numerals if scale or case not in odd}
        try:
            found, numbers = _codes(candidates, columns, column, own or {}, wins)
            words |= found
        except UserError:
            if not mostly_names:
                raise
    words |= mine
    both = {text for *_, text, _ in known if text.casefold() in words and arm(text) in names}
    folded_both = {text.casefold() for text in both}
    by_side = Vocabulary(words, False, arm, numbers)
    # A word that is the name of an arm is no side, also in the rows of other arms; nor are then other numbers.
    no_sides = folded_both.copy()
    if any(_code(text) is not None for text in folded_both):
        no_sides |= {text for text in words.keys() - mine.keys() if _code(text) is not None}
    by_name = Vocabulary({text: words[text] for text in words.keys() - no_sides}, True, arm, numbers)
    if not both or all(_read(by_name, *case) == _read(by_side, *case) for case in known):
        return _described(by_name, known)
    # A row that is invalid if outcomes are names is evidence for sides, and vice versa.
    as_names = sum(case[3] for case in known if _read(by_name, *case) is not None)
    as_sides = sum(case[3] for case in known if case[2].casefold() in words)
    chosen = as_names >= as_sides
    fits, other = max(as_names, as_sides), min(as_names, as_sides)
    total = sum(case[3] for case in known)
    warning = (
        ""
        if fits == total > other
        else (
            f"{column}: {', '.join(sorted(folded_both)[:5])} can be an arm or a side; taken for the "
            f"{'name of the arm' if chosen else 'side'}, which fits {fits:,} rows of {total:,} (the other {other:,})"
        )
    )
    return _described(replace(by_name if chosen else by_side, warning=warning), known)


def _words(texts: set[str], unnamed: set[str], columns: tuple[str, str], column: str) -> dict[str, Outcome]:
    """Return the sides and ties among texts other than numbers, of which some are ``unnamed``: no arm of their row."""
    kind = kind_of(*columns)
    found: dict[str, Outcome] = {}
    named = {text: sides(text) for text in texts}
    # Sides are numbered from 0 if the columns are, or if one of them is 0.
    from_zero = kind == "index" or {"index": 1} in named.values()
    for text, meant in named.items():
        if symbols(text) in TIE_SYMBOLS or is_tie(folded(text)):
            found[text] = 0
        elif "index" in meant:
            if (side := meant.get("index" if from_zero else "number")) is not None:
                found[text] = side
        elif meant:
            found[text] = next(iter(meant.values()))
    if letters := _LETTERS & unnamed:
        found |= _initials(letters, kind, column)
    places = zip(columns, (1, -1), strict=True)
    return found | {each: side for name, side in places if (each := name.strip().casefold()) in texts}


def _initials(letters: frozenset[str], kind: str, column: str) -> dict[str, Outcome]:
    """Return the meaning of single letters: H, D and A, L and R, W and B, or A and B.

    Raises:
        UserError: A is the side of A and B, or the guest.
    """
    marks = letters - {"d"}
    fits = [each for each, initials in terms.INITIALS.items() if marks <= set(initials)]
    if "venue" in fits and (kind == "venue" or folded(column) == "ftr"):
        fits = ["venue"]
    elif marks == {"a"} < letters:
        raise UserError(
            f"A in column {column!r} can be the guest, as in H, D and A (add --second-word A --tie-word D), or the "
            "side of A and B (add --first-word A --tie-word D)",
            key=(column,),
        )
    elif kind in fits:
        fits = [kind]
    if not fits:
        return {}
    first, second = terms.INITIALS[fits[0]]
    meant = {first: 1, second: -1} | ({"d": 0} if fits[0] in terms.DRAWN else {})
    return {text: meant[text] for text in letters if text in meant}


def _described(words: Vocabulary, known: Iterable[_Case]) -> Vocabulary:
    """Add whether some rows name a side, and leave out the description of numbers if none are read as such."""
    by_side = {text for a, b, text, _ in known if not words.named(a, b, text) and words.sides.get(text.casefold())}
    by_number = any(_code(text) is not None for a, b, text, _ in known if not words.named(a, b, text))
    return replace(words, by_side=bool(by_side), numbers=words.numbers if by_number else "")


def _read(words: Vocabulary, first: str, second: str, text: str, rows: int) -> Outcome | None:
    try:
        return words.outcome(first, second, text)
    except Refusal:
        return None
