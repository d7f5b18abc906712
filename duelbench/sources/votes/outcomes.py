"""The outcome of a comparison in a cell: the winner, by name or by side, or a tie.

A name may look like a side ("a" is the side of model_a, and may be an arm); numbers can mean sides (1, 2) or the share
that the first arm has won (1, 0, 0.5). A single row may be ambiguous, so the meaning is determined from all rows of a
file.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace

from duelbench.errors import UserError
from duelbench.sources.votes.tally import Abstention, Refusal, UnknownOutcome, shown
from duelbench.sources.votes.words import Outcome, folded, is_abstention, meaning

MISSING = frozenset({"", "none", "null", "nil", "nan", "na", "#n/a", "<na>", "nat", "missing", "undefined"})
"""Notations of a missing value. ``None`` is Python's, not a tie. An arm may have such a name."""

CODES = {
    "1, 0 and 0.5 are the share that the first has won": {1.0: 1, 0.0: -1, 0.5: 0},
    "1 is the first, -1 the second, 0 a tie": {1.0: 1, -1.0: -1, 0.0: 0},
    "1 is the first, 2 the second, 1.5 a tie": {1.0: 1, 2.0: -1, 1.5: 0},
}
"""Meanings of numbers; the first that fits all numbers is used. 1: the first has won, -1: the second, 0: a tie."""
PLAUSIBLE = frozenset({-1.0, 0.0, 0.5, 1.0, 1.5, 2.0})
"""Numbers that mean an outcome in some notation; any other number is a mistake in its row."""


@dataclass(frozen=True)
class Vocabulary:
    """The meaning of outcomes in a file: ``sides`` maps words to outcomes; with ``by_name`` names have precedence."""

    sides: Mapping[str, Outcome]
    by_name: bool
    arm: Callable[[str], str]
    numbers: str = ""
    warning: str = ""

    @property
    def ties(self) -> tuple[str, ...]:
        """The words for ties in the file, unless these are just ``tie`` or ``draw``."""
        ties = sorted(text for text, outcome in self.sides.items() if outcome == 0 and _number(text) is None)
        return tuple(ties) if set(ties) - {"tie", "draw"} else ()

    def outcome(self, first: str, second: str, text: str) -> Outcome:
        """Return the outcome.

        Raises:
            Abstention: the text means that the judge has not judged.
            Refusal: the text is unknown.
        """
        text = text.strip()
        folded = text.casefold()
        if not self.by_name and folded in self.sides:
            return self.sides[folded]
        if text and (arm := self.arm(text)) in (self.arm(first), self.arm(second)):
            return 1 if arm == self.arm(first) else -1
        if folded in self.sides:
            return self.sides[folded]
        if folded in MISSING:
            raise Refusal("there is no outcome" + (f": {shown(text)} is a missing value" if text else ""))
        if is_abstention(text):
            raise Abstention(text)
        raise UnknownOutcome(f"the outcome {shown(text)} is unknown")


def vocabulary(
    cases: Iterable[tuple[str, str, str, int]],
    first: str,
    second: str,
    column: str,
    arm: Callable[[str], str] = str,
    more_ties: Container[str] = (),
) -> Vocabulary:
    """Determine the meaning of the outcomes of a file.

    Args:
        cases: Names of the first and the second arm, the text of the outcome, and the number of such rows.
        first: The column of the first, which an outcome may name instead of the arm.
        second: The column of the second.
        column: The column of the outcomes, for errors.
        arm: Returns the same for all spellings of an arm.
        more_ties: Further words that mean a tie, folded.

    Raises:
        UserError: numbers that can mean different things; ``key`` is the column.
    """
    known = [(a.strip(), b.strip(), text.strip(), rows) for a, b, text, rows in cases]
    said = {text.casefold() for *_, text, _ in known}
    own = {text for text in said if folded(text) in more_ties}
    words: dict[str, Outcome] = {text: found for text in said if (found := meaning(text)) is not None}
    words |= {each: outcome for each, outcome in _columns(first, second) if each in said}
    if "h" in said and "b" not in said:
        words |= {text: {"h": 1, "d": 0, "a": -1}[text] for text in ("h", "d", "a") if text in said}
    # Arms may be called 0, 1, 2: outcomes that are names in their row are codes only if there is no other number.
    numerals = {text for a, b, text, _ in known if text not in (a, b)} - own
    codes, numbers = _codes(numerals if any(_number(text) in PLAUSIBLE for text in numerals) else said - own, column)
    words |= codes | dict.fromkeys(own, 0)
    names = {arm(name) for a, b, _, _ in known for name in (a, b)}
    both = {text for *_, text, _ in known if text.casefold() in words and arm(text) in names}
    folded_both = {text.casefold() for text in both}
    by_side = Vocabulary(words, False, arm, numbers)
    # A word that is the name of an arm is no side, also in the rows of other arms.
    by_name = Vocabulary({text: words[text] for text in words.keys() - folded_both}, True, arm, numbers)
    if not both or all(_read(by_name, *case) == _read(by_side, *case) for case in known):
        return by_name
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
    return replace(by_name if chosen else by_side, warning=warning)


def _columns(first: str, second: str) -> tuple[tuple[str, Outcome], ...]:
    return (first.strip().casefold(), 1), (second.strip().casefold(), -1)


def _read(words: Vocabulary, first: str, second: str, text: str, rows: int) -> Outcome | None:
    try:
        return words.outcome(first, second, text)
    except Refusal:
        return None


def _codes(texts: Iterable[str], column: str) -> tuple[dict[str, Outcome], str]:
    """Return the meaning of the numbers among ``texts`` and its description; empty if none can be a code."""
    numbers = {text.casefold(): number for text in texts if (number := _number(text)) in PLAUSIBLE}
    if not numbers:
        return {}, ""
    for notation, codes in CODES.items():
        if set(numbers.values()) <= codes.keys():
            return {text: codes[number] for text, number in numbers.items() if number is not None}, notation
    some = ", ".join(sorted(numbers)[:6])
    raise UserError(
        f"the numbers {some} in column {column!r} can mean different things: write 1, 0 and 0.5 (the share that the "
        "first has won), 1, -1 and 0, or 1 and 2 for the side, or the name of the winner",
        key=(column,),
    )


def _number(text: str) -> float | None:
    try:
        return float("0.5" if text == "0,5" else text)  # how some spreadsheets write 0.5
    except ValueError:
        return None
