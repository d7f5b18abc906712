"""The outcome of a comparison in a cell: the winner, by name or by side, or a tie.

A name may look like a side ("a" is the side of model_a, and may be an arm); numbers can mean sides (1, 2) or the share
that the first arm has won (1, 0, 0.5). A single row may be ambiguous, so the meaning is determined from all rows of a
file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from duelbench.errors import UserError
from duelbench.sources.votes.tally import Refusal, shown


def _words(text: str) -> frozenset[str]:
    return frozenset(each.strip() for each in text.replace("\n", ",").split(",") if each.strip())


FIRST = _words("""
    a, left, first, white, home, model_a, model_1, model1, system_a, system_1, system1, assistant_a, player_1
    player1, team_1, team1, option_a, option_1, response_a, response_1, output_1, answer_a, candidate_a, [[a]]
    a>b, a>>b, [[a>b]], [[a>>b]], 1-0, 1–0, 1:0, a_wins
    model a, assistant a, side a, a wins, first wins, left wins, white wins
""")
SECOND = _words("""
    b, right, second, black, away, model_b, model_2, model2, system_b, system_2, system2, assistant_b, player_2
    player2, team_2, team2, option_b, option_2, response_b, response_2, output_2, answer_b, candidate_b, [[b]]
    b>a, b>>a, [[b>a]], [[b>>a]], 0-1, 0–1, 0:1, b_wins
    model b, assistant b, side b, b wins, second wins, right wins, black wins
""")
TIE = _words("""
    tie, tied, ties, draw, drawn, equal, same, both, both_equal, both_good, both_bad, bothbad, both bad, both good
    neither, no preference, =, a=b, [[a=b]], [[c]], ½, ½-½, 1/2, 1/2-1/2, 1/2–1/2, 1/2:1/2, 0.5-0.5
""")

MISSING = _words("none, null, nil, nan, n/a, na, #n/a, <na>, nat, missing, undefined") | {""}
"""Notations of a missing value. ``None`` is Python's, not a tie. An arm may have such a name."""

CODES = {
    "1, 0 and 0.5 are the share that the first has won": {1.0: 1, 0.0: -1, 0.5: 0},
    "1 is the first, -1 the second, 0 a tie": {1.0: 1, -1.0: -1, 0.0: 0},
    "1 is the first, 2 the second, 1.5 a tie": {1.0: 1, 2.0: -1, 1.5: 0},
}
"""Meanings of numbers; the first that fits all numbers is used. 1: the first has won, -1: the second, 0: a tie."""
PLAUSIBLE = frozenset({-1.0, 0.0, 0.5, 1.0, 1.5, 2.0})
"""Numbers that mean an outcome in some notation; any other number is a mistake in its row."""

Outcome = int
"""1: the first has won; -1: the second; 0: a tie."""


@dataclass(frozen=True)
class Vocabulary:
    """The meaning of outcomes in a file: ``sides`` maps words to outcomes; with ``by_name`` names have precedence."""

    sides: Mapping[str, Outcome]
    by_name: bool
    numbers: str
    warning: str

    def outcome(self, first: str, second: str, text: str) -> Outcome:
        """Return the outcome. Raises Refusal if the text is unknown."""
        text = text.strip()
        if self.by_name and text in (first, second):
            return 1 if text == first else -1
        folded = text.casefold()
        if folded in self.sides:
            return self.sides[folded]
        if not self.by_name and text in (first, second):
            return 1 if text == first else -1
        if folded in MISSING:
            raise Refusal("there is no outcome" + (f": {shown(text)} is a missing value" if text else ""))
        if folded.startswith("tie"):  # tie (bothbad), tie (inconsistent), …
            return 0
        raise Refusal(f"the outcome {shown(text)} is unknown")


def vocabulary(cases: Iterable[tuple[str, str, str, int]], first: str, second: str, column: str) -> Vocabulary:
    """Determine the meaning of the outcomes of a file.

    Args:
        cases: Names of the first and the second arm, the text of the outcome, and the number of such rows.
        first: The column of the first, which an outcome may name instead of the arm.
        second: The column of the second.
        column: The column of the outcomes, for errors.

    Raises:
        UserError: numbers that can mean different things; ``key`` is the column.
    """
    known = [(a.strip(), b.strip(), text.strip(), rows) for a, b, text, rows in cases]
    words: dict[str, Outcome] = dict.fromkeys(TIE, 0) | dict.fromkeys(FIRST, 1) | dict.fromkeys(SECOND, -1)
    words |= {first.strip().casefold(): 1, second.strip().casefold(): -1}
    if "h" in (said := {text.casefold() for *_, text, _ in known}) and "b" not in said:
        words |= {"h": 1, "d": 0, "a": -1}  # home, draw and away
    # Arms may be called 0, 1, 2: outcomes that are names in their row are codes only if there is no other number.
    numerals = {text for a, b, text, _ in known if text not in (a, b)}
    meaning, numbers = _codes(numerals if any(_number(text) in PLAUSIBLE for text in numerals) else said, column)
    words |= meaning
    names = {name.casefold() for a, b, _, _ in known for name in (a, b)}
    both = names & words.keys() & {text.casefold() for *_, text, _ in known}
    by_name = Vocabulary(words, True, numbers, "")
    by_side = Vocabulary(words, False, numbers, "")
    if not both or all(_read(by_name, *case) == _read(by_side, *case) for case in known):
        return by_name
    # A row that is invalid if outcomes are names is evidence for sides, and vice versa.
    as_names = sum(case[3] for case in known if case[2] in case[:2] or words.get(case[2].casefold()) == 0)
    as_sides = sum(case[3] for case in known if case[2].casefold() in words)
    chosen = as_names >= as_sides
    fits, other = max(as_names, as_sides), min(as_names, as_sides)
    total = sum(case[3] for case in known)
    warning = (
        ""
        if fits == total > other
        else (
            f"{column}: {', '.join(sorted(both)[:5])} can be an arm or a side; taken for the "
            f"{'name of the arm' if chosen else 'side'}, which fits {fits:,} rows of {total:,} (the other {other:,})"
        )
    )
    return Vocabulary(words, chosen, numbers, warning)


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
    for meaning, codes in CODES.items():
        if set(numbers.values()) <= codes.keys():
            return {text: codes[number] for text, number in numbers.items() if number is not None}, meaning
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
