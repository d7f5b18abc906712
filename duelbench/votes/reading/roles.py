"""What the names of columns mean: arms, outcomes, ties, numbers of votes and so on; the words are in ``terms``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from duelbench.votes.reading import terms
from duelbench.votes.reading.words import MARK_OF, difference, is_tie, parts


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
            for marks in (*terms.MARKS.values(), *terms.WON):
                if word == marks[0] and (other := known.get((*words[:place], marks[1], *words[place + 1 :]))):
                    yield Pair(name, other, marks, (*words[:place], *words[place + 1 :]))


def named_pair(first: str, second: str) -> Pair:
    """Return the pair of two columns that the user names."""
    marks = difference(first, second)
    return Pair(first, second, marks, tuple(word for word in parts(first) if word != marks[0]))


def arms_in(header: Sequence[str]) -> list[Pair]:
    """Return the pairs of columns that can be the names of two arms, the most likely first."""
    found = [pair for pair in pairs(header) if pair.marks not in terms.WON and _names_arm(pair.rest)]
    usual = [pair for pair in found if pair.rest or pair.marks != terms.MARKS["index"]]
    return sorted(usual, key=lambda pair: _likely(pair.rest, terms.ARMS))


def contents_in(header: Sequence[str]) -> list[Pair]:
    """Return the pairs of columns that can be what was compared."""
    return [pair for pair in pairs(header) if pair.marks not in terms.WON and _all_in(pair.rest, terms.CONTENTS)]


def winner_and_loser(header: Sequence[str]) -> Pair | None:
    """Return the columns of the arms that have won and lost, if any."""
    won = [pair for pair in pairs(header) if pair.marks in terms.WON and _names_arm(pair.rest)]
    return min(won, key=lambda pair: _likely(pair.rest, terms.ARMS), default=None)


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
            if mark in parts(name) and "votes" not in rest and _is_one_of(rest, terms.WINS, arms):
                return name, side
    return None


def are_counts(won: Pair) -> bool:
    """Return whether the names of two columns mean numbers of votes rather than flags."""
    return "votes" in won.rest or _all_in(won.rest, terms.COUNTED, terms.QUANTITIES)


def outcomes_in(header: Sequence[str]) -> list[str]:
    """Return the columns that look like outcomes, the most likely first."""
    found = []
    for name in header:
        words = parts(name)
        numbers = terms.INDEXES if any(word in terms.INDEXED for word in words) else ()
        if any(word in terms.OUTCOMES for word in words) and _all_in(
            words, terms.OUTCOMES, terms.ARMS, terms.CONTENTS, numbers
        ):
            found.append(name)
    return sorted(found, key=lambda name: _likely(parts(name), terms.OUTCOMES))


def is_half_of_pair(name: str, header: Sequence[str]) -> bool:
    """Return whether a column is about the winner, and another one the same about the loser."""
    return any(name in pair[:2] and pair.marks in terms.WON for pair in pairs(header))


def looks_like_tie(name: str) -> bool:
    """Return whether a column looks like a flag of ties, or a number of them."""
    return is_tie(" ".join(word for word in parts(name) if word not in terms.BESIDE))


def is_plain_tie(name: str) -> bool:
    """Return whether a column is about all ties, and not only bad ones, say."""
    return _all_in(parts(name), terms.TIES, terms.BESIDE)


def looks_like_order(name: str) -> bool:
    """Return whether a column can say which arm was shown first, or on the left."""
    words = parts(name)
    shown = any(word in terms.ORDERS or (word in MARK_OF and len(word) > 1) for word in words)
    return shown and _all_in(words, terms.ORDERS, terms.ARMS, terms.BESIDE, MARK_OF)


def looks_like_weight(name: str) -> bool:
    """Return whether a column looks like a number of votes."""
    words = parts(name)
    if " ".join(words) in (*terms.WEIGHTS, *terms.COUNTABLE):
        return True
    return any(word in terms.COUNTABLE for word in words) and _all_in(words, terms.COUNTABLE, terms.QUANTITIES)


def column_called(header: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column with one of these names, to which ``id`` or ``name`` may be added."""
    known = {parts(name): name for name in reversed(header)}
    forms = ((*name.split(), *more) for name in names for more in ((), ("id",), ("name",)))
    return next((known[form] for form in forms if form in known), None)


def names_another_arm(pair: Pair, used: Pair) -> bool:
    """Return whether a pair of columns is about other things than those used, rather than their numbers, say."""
    return not _all_in(pair.rest, ("name",), terms.LABELS, terms.CONTENTS, used.rest)


def _likely(words: Sequence[str], likely: Sequence[str]) -> tuple[int, bool, int]:
    """Return a smaller key for words of which one is earlier among those that are likely, and which are no number."""
    first = min((likely.index(word) for word in words if word in likely), default=len(likely))
    return first, "id" in words, len(words)


def _names_arm(words: Collection[str]) -> bool:
    """Return whether words beside a mark mean an arm: ``response_a_model`` is one, ``response_a`` is a text."""
    return _all_in(words, terms.ARMS, terms.LABELS, terms.CONTENTS) and not (words and _all_in(words, terms.CONTENTS))


def _is_one_of(rest: Collection[str], heads: Sequence[str], arms: Pair) -> bool:
    return any(word in heads for word in rest) and _all_in(
        rest, heads, terms.ARMS, terms.LABELS, terms.CONTENTS, terms.QUANTITIES, arms.rest
    )


def _all_in(words: Collection[str], *known: Collection[str]) -> bool:
    return all(any(word in each for each in known) for word in words)
