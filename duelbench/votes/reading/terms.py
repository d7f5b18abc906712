"""The words that mean something in files of votes, in the names of columns and in outcomes.

Reading, notes about columns that are not used, and the table in datasets/README.md follow these words. A name is split
into its words: ``modelA``, ``model_a`` and ``Model A`` are ``model a``. Case, blanks, hyphens, underscores, brackets
and apostrophes do not matter. A tie is the judgement that both are equal, be they good or bad; an abstention is no
judgement, and thus not a vote.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.replace("\n", ",").split(",") if each.strip())


MARKS = {
    "letter": ("a", "b"),
    "number": ("1", "2"),
    "order": ("first", "second"),
    "side": ("left", "right"),
    "venue": ("home", "away"),
    "colour": ("white", "black"),
    "index": ("0", "1"),
}
"""The marks of the two sides: ``model_a``, ``model_b``. Outcomes may name a side of any kind."""
INITIALS = {"letter": ("a", "b"), "side": ("l", "r"), "venue": ("h", "a"), "colour": ("w", "b")}
"""Letters that mean a side, in outcomes only."""
DRAWN = ("venue", "colour")
"""The kinds beside whose letters a ``d`` is a draw."""
WON = (("winner", "loser"), ("winning", "losing"), ("chosen", "rejected"), ("preferred", "rejected"))
"""Marks of the two sides of which the first has won."""
ARMS = _words("""
    model, system, player, team, arm, item, option, candidate, variant, generator, assistant, agent, name, policy
    ranker, engine, bot
""")
"""What an arm is called, the most likely first."""
LABELS = _words("name, id, source, username")
"""Words that may stand beside those for an arm: ``model_a_name``."""
CONTENTS = _words("prompt, response, answer, text, image, output, completion, summary")
"""What was compared: these are arms if no others are named."""
_SIDES = _words("""
    model, system, assistant, player, team, option, response, output, answer, candidate, side, variant, text, choice
    summary, completion, image, prompt
""")
"""Words that may stand beside a mark in an outcome: ``Response A``."""
OUTCOMES = _words("""
    winner, result, outcome, preference, preferred, chosen, choice, vote, judgment, judgement, verdict, label, better
    ftr, selected, pairwise, pw
""")
"""What an outcome is called, the most likely first."""
INDEXES = _words("id, index, idx")
"""After a word for the winner, these say that it is a number: ``better_response_id``."""
_INDEXED = _words("winner, preferred, chosen, better, selected")
WINS = _words("wins, win, won, winner, votes, preferred, better, chosen, selected")
"""What columns of flags or of numbers of votes are called, one for each side."""
_COUNTED = _words("wins, win, votes")
"""Of these, without a word for an arm: columns of numbers of votes. ``votes`` always are."""
SCORES = _words("score, goals, points, pts, reward")
"""What the scores of the two sides are called: the larger one wins."""
WEIGHTS = _words(
    "count, counts, weight, weights, times, frequency, frequencies, freq, cnt, n, total, sum, multiplicity"
)
"""What a number of votes is called, alone or with ``COUNTABLE``. It is not guessed."""
COUNTABLE = _words("""
    votes, games, matches, battles, duels, comparisons, judgments, judgements, occurrences, voters, trials
    vote count, game count, match count, vote weight, sample size, nb votes
""")
_QUANTITIES = _words("n, num, number, no, nr, of, count, counts, total, sum")
JUDGES = _words("judge, annotator, rater, judge hash, visitor id, worker id, completed by")
GROUPS = _words("ranking id, ballot id")
QUESTIONS = _words("game pair, question, item, prompt, opening, fen, instruction, query, round")
"""What was judged: rows that repeat it are a group of dependent votes."""
USERS = _words("user, rater, judge, annotator, reviewer, prompt id")
ITEMS = _words("item, movie, model, system, arm, title, product, name")
VALUES = _words("rating, value, score, stars, grade, points")
"""The columns of ratings."""
ORDERS = _words("swapped, swap, flipped, flip, reversed, switched, exchanged, order, position, side, shown")
"""Columns that say on which side the arms were shown, as do those with a mark such as ``left``."""
_BESIDE = _words("""
    is, was, has, flag, vote, votes, num, number, of, n, count, result, winner, positions, sides, presentation, display
""")
"""Words that may stand beside those for ties and orders: ``is_draw``, ``sides_swapped``."""
_SHORT = {"fthg": "home goals", "ftag": "away goals", "hg": "home goals", "ag": "away goals", "res": "result"}
"""Short names of columns in files of football matches."""
YES, NO = ("yes", "y", "t", "x"), ("no", "n", "f")
"""True and false in flags, beside ``true``, ``1`` and so on."""
_FOR_A_SIDE = _words(
    "is, was, win, wins, won, winner, better, best, preferred, selected, much, slightly, clearly, strongly"
    ", significantly, somewhat, moderately, definitely, i, prefer, the"
)
"""Words that may surround a side in an outcome: ``the left is slightly better``."""
TIES = _words("tie, ties, tied, draw, draws, drawn")
EQUAL = _words("""
    both, neither, either, equal, equally, equals, equality, equivalent, same, similar, similarly, alike, identical
    comparable, bothequal, bothgood, bothbad, indifferent
""")
"""These and ``TIES`` are ties, in outcomes and as names of flags, alone or with words in ``_BETWEEN``."""
_BETWEEN = _words("""
    the, it, its, is, are, they, them, of, about, roughly, nearly, almost, approximately, quite
    very, just, much, all, one, ones, two, i, think, feel, seem, in, quality, good, bad, great, poor, fine, ok, okay
    well, badly, correct, incorrect, wrong, acceptable, unacceptable, helpful, unhelpful, useful, better, best, wins
    won, model, models, answer, answers, response, responses, option, options, output, outputs, side, sides
""")
_HOW_TIED = _words("""
    by, agreement, mutual, repetition, threefold, stalemate, insufficient, material, fifty, move, rule, inconsistent
    game, match
""")
"""Words that may stand beside ``TIES``: ``draw by agreement``."""
Outcome = int
"""1: the first has won; -1: the second; 0: a tie."""
_SYMBOLS: dict[str, tuple[str, Outcome]] = (
    dict.fromkeys(("a>b", "a>>b", "[[a>b]]", "[[a>>b]]"), ("letter", 1))
    | dict.fromkeys(("b>a", "b>>a", "[[b>a]]", "[[b>>a]]"), ("letter", -1))
    | dict.fromkeys(("1-0", "1–0", "1:0"), ("colour", 1))
    | dict.fromkeys(("0-1", "0–1", "0:1"), ("colour", -1))
)
"""Outcomes that are not words, and the kind of sides that they name."""
TIE_SYMBOLS = frozenset(("=", "a=b", "[[a=b]]", "[[c]]", "½", "½-½", "1/2", "1/2-1/2", "1/2–1/2", "1/2:1/2", "0.5-0.5"))
_MARK_OF = {
    mark: {kind: 1 - 2 * place for kind, marks in MARKS.items() for place in (0, 1) if marks[place] == mark}
    for marks in MARKS.values()
    for mark in marks
}
"""The kinds of sides that a mark has, each with the side."""
_PARTS = frozenset((*ARMS, *LABELS, *CONTENTS, *_SIDES, *WINS, *SCORES, *OUTCOMES))
"""Words that may be written together with a mark: ``modela``, ``hometeam``."""
_MARKS = frozenset((*_MARK_OF, *(mark for pair in WON for mark in pair)))
_PREFIX = re.compile(r"(Input|Answer)\.|(INPUT|OUTPUT|ASSIGNMENT):")
"""What Mechanical Turk and Toloka put before the names of columns."""
_CHOICE = r"(decide|choose|pick|say which|tell which|tell the difference|tell them apart|tell apart)"
_TIE = re.compile(
    r"(there is |i have |i see )?no (clear |real |strong |big |significant |noticeable )?"
    r"(preference|difference|winner|favou?rite|better one)( either way| between them)?"
    rf"|(i |we )?(cannot|cant|can not|could not|couldnt|unable to) {_CHOICE}( which is better| between them)?"
    r"|not different|even|toss ?up|fifty fifty"
)
_ABSTENTION = re.compile(
    r"skip(ped|s)?|pass(ed)?|abstain(ed|s)?|abstentions?|unsure|uncertain|not sure|undecided|unclear"
    r"|(i |we )?(do not|dont) know|dunno|idk|no idea|(i |we )?(cannot|cant|can not|unable to) (judge|say)"
    r"|no (answer|opinion|vote|judge?ment|response|rating|comment)|not (applicable|judged|rated|answered)|n a"
    r"|declined?( to answer)?|prefer not to (say|answer)|refused?( to answer)?|unjudged|unrated|unknown"
)


UNFINISHED = "*"
"""The result of a game that has not ended."""


def folded(text: str) -> str:
    """Return the words of a text in lower case, separated by blanks, without other characters."""
    text = re.sub(r"['’‘`´]", "", text)
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))


@lru_cache(maxsize=4096)
def parts(name: str) -> tuple[str, ...]:
    """Return the words of the name of a column or of a side: ``modelA`` and ``FTHG`` have two."""
    name = _PREFIX.sub("", name)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", name)
    return tuple(part for word in folded(spaced).split() for part in _split(word))


def _split(word: str) -> tuple[str, ...]:
    if word in _SHORT:
        return tuple(_SHORT[word].split())
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
    tied = not set(TIES).isdisjoint(kept)
    return _TIE.fullmatch(words) is not None or (
        (tied or not set(EQUAL).isdisjoint(kept))
        and set(kept) <= {*TIES, *EQUAL, *_BETWEEN, *(_HOW_TIED if tied else ())}
    )


def is_abstention(text: str) -> bool:
    """Return whether an outcome is no judgement."""
    return text == UNFINISHED or _ABSTENTION.fullmatch(folded(text)) is not None


def sides(text: str) -> dict[str, Outcome]:
    """Return the side that an outcome names, by kind; none if it names no side, several if a number can be of two."""
    if symbol := _SYMBOLS.get(symbols(text)):
        return dict([symbol])
    kept = [part for part in parts(text) if part not in _FOR_A_SIDE]
    marks = [part for part in kept if part in _MARK_OF]
    rest = [part for part in kept if part not in _MARK_OF]
    if len(marks) != 1 or not set(rest) <= set(_SIDES) or (marks[0].isdigit() and not rest):
        return {}
    return _MARK_OF[marks[0]]


def _difference(first: str, second: str) -> tuple[str, str]:
    """Return the words in which the names of two columns differ: ``a`` and ``b``; both names if these are many."""
    one, two = parts(first), parts(second)
    differ = [marks for marks in zip(one, two, strict=False) if marks[0] != marks[1]]
    return differ[0] if len(one) == len(two) and len(differ) == 1 else (first, second)


def kind_of(first: str, second: str) -> str:
    """Return the kind of sides that two columns are called; empty if none."""
    marks = _difference(first, second)
    return next((kind for kind, each in MARKS.items() if each == marks), "")


class Pair(NamedTuple):
    """Two columns whose names differ in a mark: ``rest`` are their other words."""

    first: str
    second: str
    marks: tuple[str, str]
    rest: tuple[str, ...]


def pairs(header: Sequence[str]) -> Iterator[Pair]:
    """Yield the pairs of columns whose names differ in a mark, those of the first arm in the order of the header."""
    known = {parts(name): name for name in reversed(header)}
    for words, name in reversed(known.items()):
        for place, word in enumerate(words):
            for marks in (*MARKS.values(), *WON):
                if word == marks[0] and (other := known.get((*words[:place], marks[1], *words[place + 1 :]))):
                    yield Pair(name, other, marks, (*words[:place], *words[place + 1 :]))


def named_pair(first: str, second: str) -> Pair:
    """Return the pair of two columns that the user names."""
    marks = _difference(first, second)
    return Pair(first, second, marks, tuple(word for word in parts(first) if word != marks[0]))


def arms_in(header: Sequence[str]) -> list[Pair]:
    """Return the pairs of columns that can be the names of two arms, the most likely first."""
    found = [pair for pair in pairs(header) if pair.marks not in WON and _names_arm(pair.rest)]
    usual = [pair for pair in found if pair.rest or pair.marks != MARKS["index"]]
    return sorted(usual, key=lambda pair: _likely(pair.rest, ARMS))


def contents_in(header: Sequence[str]) -> list[Pair]:
    """Return the pairs of columns that can be what was compared."""
    return [pair for pair in pairs(header) if pair.marks not in WON and _all_in(pair.rest, CONTENTS)]


def winner_and_loser(header: Sequence[str]) -> Pair | None:
    """Return the columns of the arms that have won and lost, if any."""
    won = [pair for pair in pairs(header) if pair.marks in WON and _names_arm(pair.rest)]
    return min(won, key=lambda pair: _likely(pair.rest, ARMS), default=None)


def for_sides(arms: Pair, header: Sequence[str], heads: Sequence[str]) -> Pair | None:
    """Return two columns for the two arms, such as ``model_a_wins`` and ``model_b_wins`` for ``wins``."""
    known = {parts(name): name for name in reversed(header)}
    one, two = arms.marks
    for words, name in reversed(known.items()):
        rest = tuple(word for word in words if word != one)
        other = known.get(tuple(two if word == one else word for word in words))
        if other and other != name and _is_one_of(rest, heads, arms):
            return Pair(name, other, arms.marks, rest)
    return None


def column_of_one_side(arms: Pair, header: Sequence[str]) -> tuple[str, int] | None:
    """Return a column that says whether one side has won, such as ``model_a_wins``, and 1 for the first or -1."""
    for mark, side in zip(arms.marks, (1, -1), strict=True):
        for name in header:
            rest = tuple(word for word in parts(name) if word not in (mark, "is"))
            if mark in parts(name) and "votes" not in rest and _is_one_of(rest, WINS, arms):
                return name, side
    return None


def are_counts(won: Pair) -> bool:
    """Return whether the names of two columns mean numbers of votes rather than flags."""
    return "votes" in won.rest or _all_in(won.rest, _COUNTED, _QUANTITIES)


def outcomes_in(header: Sequence[str]) -> list[str]:
    """Return the columns that look like outcomes, the most likely first."""
    found = []
    for name in header:
        words = parts(name)
        numbers = INDEXES if any(word in _INDEXED for word in words) else ()
        if any(word in OUTCOMES for word in words) and _all_in(words, OUTCOMES, ARMS, CONTENTS, numbers):
            found.append(name)
    return sorted(found, key=lambda name: _likely(parts(name), OUTCOMES))


def is_half_of_pair(name: str, header: Sequence[str]) -> bool:
    """Return whether a column is about the winner, and another one the same about the loser."""
    return any(name in pair[:2] and pair.marks in WON for pair in pairs(header))


def looks_like_tie(name: str) -> bool:
    """Return whether a column looks like a flag of ties, or a number of them."""
    return is_tie(" ".join(word for word in parts(name) if word not in _BESIDE))


def is_plain_tie(name: str) -> bool:
    """Return whether a column is about all ties, and not only bad ones, say."""
    return _all_in(parts(name), TIES, _BESIDE)


def looks_like_order(name: str) -> bool:
    """Return whether a column can say which arm was shown first, or on the left."""
    words = parts(name)
    shown = any(word in ORDERS or (word in _MARK_OF and len(word) > 1) for word in words)
    return shown and _all_in(words, ORDERS, ARMS, _BESIDE, _MARK_OF)


def looks_like_weight(name: str) -> bool:
    """Return whether a column looks like a number of votes."""
    words = parts(name)
    if " ".join(words) in (*WEIGHTS, *COUNTABLE):
        return True
    return any(word in COUNTABLE for word in words) and _all_in(words, COUNTABLE, _QUANTITIES)


def column_called(header: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column with one of these names, to which ``id`` or ``name`` may be added."""
    known = {parts(name): name for name in reversed(header)}
    forms = ((*name.split(), *more) for name in names for more in ((), ("id",), ("name",)))
    return next((known[form] for form in forms if form in known), None)


def names_another_arm(pair: Pair, used: Pair) -> bool:
    """Return whether a pair of columns is about other things than those used, rather than their numbers, say."""
    return not _all_in(pair.rest, ("name",), LABELS, CONTENTS, used.rest)


def _likely(words: Sequence[str], likely: Sequence[str]) -> tuple[int, bool, int]:
    """Return a smaller key for words of which one is earlier among those that are likely, and which are no number."""
    first = min((likely.index(word) for word in words if word in likely), default=len(likely))
    return first, "id" in words, len(words)


def _names_arm(words: Collection[str]) -> bool:
    """Return whether words beside a mark mean an arm: ``response_a_model`` is one, ``response_a`` is a text."""
    return _all_in(words, ARMS, LABELS, CONTENTS) and not (words and _all_in(words, CONTENTS))


def _is_one_of(rest: Collection[str], heads: Sequence[str], arms: Pair) -> bool:
    return any(word in heads for word in rest) and _all_in(rest, heads, ARMS, LABELS, CONTENTS, _QUANTITIES, arms.rest)


def _all_in(words: Collection[str], *known: Collection[str]) -> bool:
    return all(any(word in each for each in known) for word in words)
