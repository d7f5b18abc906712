"""The outcome of a comparison in a cell: the winner, by name or by side, or a tie.

A name may look like a side ("a" is the side of model_a, and may be an arm). A single row may be ambiguous, so the
meaning is determined from all rows of a file; numbers have it from ``numbers``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from duelbench.errors import UserError
from duelbench.votes.reading import terms
from duelbench.votes.reading.numbers import PLAUSIBLE, code, codes, key
from duelbench.votes.reading.tally import Abstention, Refusal, UnknownOutcome, shown
from duelbench.votes.reading.words import TIE_SYMBOLS, Outcome, folded, is_abstention, is_tie, kind_of, sides, symbols

MISSING = frozenset({"", "none", "null", "nil", "nan", "na", "#n/a", "<na>", "nat", "missing", "undefined"})
"""Notations of a missing value. ``None`` is Python's, not a tie. An arm may have such a name."""
LETTERS = frozenset("".join("".join(pair) for pair in terms.INITIALS.values()) + "d")
FEW = 4
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
        ties = sorted(text for text, outcome in self.sides.items() if outcome == 0 and code(text) is None)
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


Case = tuple[str, str, str, int]


def vocabulary(
    cases: Iterable[Case],
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
    numerals = [case for case in known if code(case[2]) is not None and case[2].casefold() not in mine]
    mostly_names = 2 * sum(case[3] for case in numerals if case[2].casefold() not in unnamed) > sum(
        case[3] for case in numerals
    )
    numbers = ""
    # If most numbers name an arm of their row, others that name none at all are mistakes.
    if not (mostly_names and any(arm(case[2]) not in names for case in numerals)):
        # So is a number that means nothing, such as 99 for a missing value, unless there are many: these are a scale.
        odd = [case for case in numerals if code(case[2]) not in PLAUSIBLE]
        scale = FEW * sum(case[3] for case in odd) > sum(case[3] for case in numerals)
        candidates = {case[2].casefold() for case in numerals if scale or case not in odd}
        try:
            found, numbers = codes(candidates, columns, column, own or {}, wins)
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
    if any(code(text) is not None for text in folded_both):
        no_sides |= {text for text in words.keys() - mine.keys() if code(text) is not None}
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
    if letters := LETTERS & unnamed:
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


def _described(words: Vocabulary, known: Iterable[Case]) -> Vocabulary:
    """Add whether some rows name a side, and leave out the description of numbers if none are read as such."""
    by_side = {text for a, b, text, _ in known if not words.named(a, b, text) and words.sides.get(text.casefold())}
    by_number = any(code(text) is not None for a, b, text, _ in known if not words.named(a, b, text))
    return replace(words, by_side=bool(by_side), numbers=words.numbers if by_number else "")


def _read(words: Vocabulary, first: str, second: str, text: str, rows: int) -> Outcome | None:
    try:
        return words.outcome(first, second, text)
    except Refusal:
        return None
