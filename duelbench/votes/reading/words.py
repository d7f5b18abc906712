"""The meaning of words in files of votes: those in names of columns, and outcomes in any usual spelling.

Case, blanks, hyphens, underscores, brackets and apostrophes do not matter. A tie is the judgement that both are equal,
be they good or bad; an abstention is no judgement, and thus not a vote.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from duelbench.votes.reading import terms

Outcome = int
"""1: the first has won; -1: the second; 0: a tie."""

SYMBOLS: dict[str, tuple[str, Outcome]] = (
    dict.fromkeys(("a>b", "a>>b", "[[a>b]]", "[[a>>b]]"), ("letter", 1))
    | dict.fromkeys(("b>a", "b>>a", "[[b>a]]", "[[b>>a]]"), ("letter", -1))
    | dict.fromkeys(("1-0", "1–0", "1:0"), ("colour", 1))
    | dict.fromkeys(("0-1", "0–1", "0:1"), ("colour", -1))
)
"""Outcomes that are not words, and the kind of sides that they name."""
TIE_SYMBOLS = frozenset(("=", "a=b", "[[a=b]]", "[[c]]", "½", "½-½", "1/2", "1/2-1/2", "1/2–1/2", "1/2:1/2", "0.5-0.5"))

MARK_OF = {
    mark: {kind: 1 - 2 * place for kind, marks in terms.MARKS.items() for place in (0, 1) if marks[place] == mark}
    for marks in terms.MARKS.values()
    for mark in marks
}
"""The kinds of sides that a mark has, each with the side."""
_PARTS = frozenset(
    (*terms.ARMS, *terms.LABELS, *terms.CONTENTS, *terms.SIDES, *terms.WINS, *terms.SCORES, *terms.OUTCOMES)
)
"""Words that may be written together with a mark: ``modela``, ``hometeam``."""
_MARKS = frozenset((*MARK_OF, *(mark for pair in terms.WON for mark in pair)))

PREFIX = re.compile(r"(Input|Answer)\.|(INPUT|OUTPUT|ASSIGNMENT):")
"""What Mechanical Turk and Toloka put before the names of columns."""
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


@lru_cache(maxsize=4096)
def parts(name: str) -> tuple[str, ...]:
    """Return the words of the name of a column or of a side: ``modelA`` and ``FTHG`` have two."""
    name = PREFIX.sub("", name)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", name)
    return tuple(part for word in folded(spaced).split() for part in _split(word))


def _split(word: str) -> tuple[str, ...]:
    if word in terms.SHORT:
        return tuple(terms.SHORT[word].split())
    if word not in _PARTS and word not in _MARKS:
        for mark in _MARKS:
            if word.startswith(mark) and word[len(mark) :] in _PARTS:
                return mark, word[len(mark) :]
            if word.endswith(mark) and word[: -len(mark)] in _PARTS:
                return word[: -len(mark)], mark
    return (word,)


def symbols(text: str) -> str:
    """Return a text in lower case, without blanks."""
    return "".join(text.casefold().split())


def is_tie(words: str) -> bool:
    """Return whether folded words say that both are equal."""
    kept = re.sub(r"\ban? (?=(tie|draw|toss)\b)", "", words.replace("more or less", "")).split()
    tied = not set(terms.TIES).isdisjoint(kept)
    return TIE.fullmatch(words) is not None or (
        (tied or not set(terms.EQUAL).isdisjoint(kept))
        and set(kept) <= {*terms.TIES, *terms.EQUAL, *terms.BETWEEN, *(terms.HOW_TIED if tied else ())}
    )


def is_abstention(text: str) -> bool:
    """Return whether an outcome is no judgement."""
    return ABSTENTION.fullmatch(folded(text)) is not None


def sides(text: str) -> dict[str, Outcome]:
    """Return the side that an outcome names, by kind; none if it names no side, several if a number can be of two."""
    if symbol := SYMBOLS.get(symbols(text)):
        return dict([symbol])
    kept = [part for part in parts(text) if part not in terms.FOR_A_SIDE]
    marks = [part for part in kept if part in MARK_OF]
    rest = [part for part in kept if part not in MARK_OF]
    if len(marks) != 1 or not set(rest) <= set(terms.SIDES) or (marks[0].isdigit() and not rest):
        return {}
    return MARK_OF[marks[0]]


def difference(first: str, second: str) -> tuple[str, str]:
    """Return the words in which the names of two columns differ: ``a`` and ``b``; both names if these are many."""
    one, two = parts(first), parts(second)
    differ = [marks for marks in zip(one, two, strict=False) if marks[0] != marks[1]]
    return differ[0] if len(one) == len(two) and len(differ) == 1 else (first, second)


def kind_of(first: str, second: str) -> str:
    """Return the kind of sides that two columns are called; empty if none."""
    marks = difference(first, second)
    return next((kind for kind, each in terms.MARKS.items() if each == marks), "")
