"""Words for the outcome of a comparison: a side, a tie, or an abstention, in any usual spelling.

Case, blanks, hyphens, underscores, brackets and apostrophes do not matter. A tie is the judgement that both are equal,
be they good or bad; an abstention is no judgement, and thus not a vote.
"""

from __future__ import annotations

import re
import unicodedata

Outcome = int
"""1: the first has won; -1: the second; 0: a tie."""


def _set(text: str) -> frozenset[str]:
    return frozenset(each.strip() for each in text.replace("\n", ",").split(",") if each.strip())


SYMBOLS: dict[str, Outcome] = (
    dict.fromkeys(_set("a>b, a>>b, [[a>b]], [[a>>b]], 1-0, 1–0, 1:0"), 1)
    | dict.fromkeys(_set("b>a, b>>a, [[b>a]], [[b>>a]], 0-1, 0–1, 0:1"), -1)
    | dict.fromkeys(_set("=, a=b, [[a=b]], [[c]], ½, ½-½, 1/2, 1/2-1/2, 1/2–1/2, 1/2:1/2, 0.5-0.5"), 0)
)
"""Outcomes that are not words."""

MARKS = {1: ("a", "left", "first", "white", "home"), -1: ("b", "right", "second", "black", "away")}
NUMERALS = {1: "1", -1: "2"}
STEMS = _set("""
    model, system, assistant, player, team, option, response, output, answer, candidate, side, variant, text, choice
""")
WINS = _set(
    "is, was, win, wins, won, winner, better, best, preferred, much, slightly, clearly, strongly, significantly, the"
)
"""Words that may surround a side: ``the left is slightly better``."""
SIDES: dict[str, Outcome] = {
    name: outcome
    for outcome, marks in MARKS.items()
    for name in (
        *marks,
        *(stem + mark for stem in STEMS for mark in (*marks, NUMERALS[outcome])),
        *(mark + stem for stem in STEMS for mark in marks),
    )
}
"""The sides, without separators: ``modela``, ``leftmodel``."""

TIE_NOUNS = _set("tie, ties, tied, draw, draws, drawn")
"""An outcome that begins with one of these is a tie, whatever follows: ``tie (bothbad)``, ``draw by agreement``."""
EQUAL = _set("""
    both, neither, either, equal, equally, equals, equality, equivalent, same, similar, similarly, alike, identical
    comparable, bothequal, bothgood, bothbad, indifferent, tie, tied
""")
"""Words that alone, or with words in ``BETWEEN``, are a tie."""
BETWEEN = _set("""
    a, an, the, it, its, is, are, they, them, of, about, roughly, nearly, almost, approximately, quite
    very, just, much, all, one, ones, two, i, think, feel, seem, in, quality, good, bad, great, poor, fine, ok, okay
    well, badly, correct, incorrect, wrong, acceptable, unacceptable, helpful, unhelpful, useful, better, best, wins
    won, model, models, answer, answers, response, responses, option, options, output, outputs, side, sides
""")
CHOICE = r"(decide|choose|pick|say which|tell which|tell the difference|tell them apart|tell apart)"
TIE = re.compile(
    r"(there is |i have |i see )?no (clear |real |strong |big |significant |noticeable )?"
    r"(preference|difference|winner|favou?rite|better one)( either way| between them)?"
    rf"|(i |we )?(cannot|cant|can not|could not|couldnt|unable to) {CHOICE}( which is better| between them)?"
    r"|not different|even|toss ?up|fifty fifty"
)
ABSTENTION = re.compile(
    r"skip(ped|s)?|pass(ed)?|abstain(ed|s)?|abstentions?|unsure|uncertain|not sure|undecided|unclear"
    r"|(i |we )?(do not|dont) know|dunno|idk|no idea|(i |we )?(cannot|cant|can not|unable to) (judge|say)"
    r"|no (answer|opinion|vote|judge?ment|response|rating|comment)|not (applicable|judged|rated|answered)|n a"
    r"|declined?( to answer)?|prefer not to (say|answer)|refused?( to answer)?|unjudged|unrated|unknown"
)


def folded(text: str) -> str:
    """Return the words of a text in lower case, separated by blanks, without other characters."""
    text = re.sub(r"['’‘`´]", "", text)
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))


def is_tie(words: str) -> bool:
    """Return whether folded words say that both are equal."""
    parts = words.replace("more or less", "").split()
    return bool(parts) and (
        parts[0] in TIE_NOUNS
        or TIE.fullmatch(words) is not None
        or (not EQUAL.isdisjoint(parts) and all(part in EQUAL or part in BETWEEN for part in parts))
    )


def is_abstention(text: str) -> bool:
    """Return whether an outcome is no judgement."""
    return ABSTENTION.fullmatch(folded(text)) is not None


def meaning(text: str) -> Outcome | None:
    """Return the side or the tie that an outcome means; None if it is neither."""
    if (symbol := SYMBOLS.get(text.casefold())) is not None:
        return symbol
    words = folded(text)
    if is_tie(words):
        return 0
    side = "".join(part for part in words.split() if part not in WINS)
    return SIDES.get(side) if side else None
