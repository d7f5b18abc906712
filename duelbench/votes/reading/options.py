"""The options of all commands and entries of specs that read votes, and the columns of the arms and the outcome.

Columns are named by the user, or guessed from usual headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, model_validator

from duelbench.errors import UserError, did_you_mean
from duelbench.parameters import Parameters
from duelbench.votes.reading import terms
from duelbench.votes.reading.layouts import Counts, Flags, Layout, Ranks, Scores, WinnerLoser, Winners
from duelbench.votes.reading.outcomes import key
from duelbench.votes.reading.tables import checked_delimiter
from duelbench.votes.reading.terms import (
    Outcome,
    Pair,
    are_counts,
    arms_in,
    column_called,
    column_of_one_side,
    contents_in,
    for_sides,
    is_half_of_pair,
    is_plain_tie,
    looks_like_order,
    looks_like_tie,
    looks_like_weight,
    named_pair,
    names_another_arm,
    outcomes_in,
    pairs,
    winner_and_loser,
)


class Columns(Parameters):
    """The columns that the user names; None is guessed.

    ``winner`` has the outcome or, with ``loser``, the name of the winning arm. Rows with the same ``group`` come from
    one ranking. ``weight`` is never guessed; ``judge`` and ``group`` may be missing.
    """

    first: str | None = Field(None, description="The column of the first arm. Default: guessed.")
    second: str | None = Field(None, description="The column of the second arm. Default: guessed.")
    winner: str | None = Field(None, description="The column of the outcome, or of the arm that has won.")
    loser: str | None = Field(None, description="The column of the arm that has lost, in place of first and second.")
    weight: str | None = Field(None, description="The column of what a row counts for. Default: 1 each.")
    judge: str | None = Field(
        None, description="The column of the judge. Default: guessed. Matrices do not depend on judges."
    )
    group: str | None = Field(
        None,
        description="The column of the ranking or the question that a row is a part of. Default: guessed. With draw, "
        "votes of a group count as fewer independent ones.",
    )

    def check(self, header: Sequence[str]) -> None:
        """Raise UserError unless the file has each named column exactly once."""
        for field in Columns.model_fields:
            name = getattr(self, field)
            if name is not None:
                require(name, header)
        if self.loser and (self.first or self.second or not self.winner):
            raise UserError("name the columns of winner and loser, or those of first, second and winner")

    def judge_in(self, header: Sequence[str]) -> str | None:
        """Return the column with the judges' names, if any."""
        return self.judge or column_called(header, terms.JUDGES)

    def group_in(self, header: Sequence[str]) -> str | None:
        """Return the column that says which rows come from one ranking, if there is one."""
        return self.group or column_called(header, terms.GROUPS)

    def question_in(self, header: Sequence[str]) -> str | None:
        """Return the column that says what was judged, if there is one and no other groups the rows."""
        return None if self.group_in(header) else column_called(header, terms.QUESTIONS)

    def layout(self, header: Sequence[str]) -> Layout:
        """Return the meaning of a row.

        Raises:
            UserError: a named column is missing, or it cannot be guessed.
        """
        self.check(header)
        ties = tuple(name for name in header if looks_like_tie(name) and name not in self._named())
        if self.loser and self.winner:
            return WinnerLoser(self.winner, self.loser, ties)
        if self.first and self.second:
            arms = [named_pair(self.first, self.second)]
        elif self.first or self.second:
            raise UserError("name both columns, of the first arm and of the second")
        else:
            arms = arms_in(header)
        alone = None if self.first or self.winner else _without_sides(header, ties)
        if not arms and not alone:
            arms = contents_in(header)
        found = (self._between(arms, header, ties) if arms else None) or alone
        if found is None:
            if arms:
                versus = f"{arms[0].first} against {arms[0].second}"
                what = f"column holds the outcome of {versus}: name it with --winner (in a spec, winner)"
            else:
                what = (
                    "columns hold the two arms and the outcome: name them with --first, --second and --winner, or with "
                    "--winner and --loser (in a spec, first and so on)"
                )
            raise UserError(f"it is not clear which {what}; the columns are {listed(header)}")
        for name in found.columns:
            require(name, header)
        return found

    def _named(self) -> frozenset[str]:
        return frozenset(name for field in Columns.model_fields if (name := getattr(self, field)))

    def _between(self, arms: list[Pair], header: Sequence[str], ties: tuple[str, ...]) -> Layout | None:
        """Return the layout of rows with two arms: a column of outcomes, or one for each side."""
        columns = [name for name in header if name not in (self.first, self.second, self.winner, *ties)]
        first, second = arms[0][:2]
        # Outcomes may be sides of other columns, or identifiers of arms that have names, too.
        others = tuple(pair[:2] for pair in arms[1:] if pair.marks != arms[0].marks or "id" in pair.rest)
        orders = self._orders(columns)
        won = [(pair, found) for pair in arms if (found := for_sides(pair, columns, terms.WINS))]
        outcomes = outcomes_in(columns)
        if self.winner:
            # A flag of ties belongs to other outcomes, if there are any.
            return Winners(first, second, self.winner, () if won or outcomes else ties, others, orders)
        if won:
            pair, found = next((each for each in won if are_counts(each[1])), won[0])
            if are_counts(found):
                return Counts(*pair[:2], *found[:2], tuple(sorted(ties, key=lambda name: not is_plain_tie(name))[:1]))
            return Flags(*pair[:2], *found[:2], ties)
        if outcomes:
            return Winners(first, second, outcomes[0], ties, others, orders)
        for pair in arms:
            if one := column_of_one_side(pair, columns):
                return Winners(*pair[:2], one[0], ties, wins=one[1])
        for pair in arms:
            if scores := for_sides(pair, columns, terms.SCORES):
                return Scores(*pair[:2], *scores[:2], ties)
        return None

    def _orders(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return columns that can say which arm was shown first, which are no arms."""
        paired = set() if self.first else {name for pair in pairs(columns) for name in pair[:2]}
        return tuple(name for name in columns if name not in paired and looks_like_order(name))

    def unused(self, header: Sequence[str], layout: Layout, counts: bool) -> Iterator[str]:
        """Yield a note on each column that looks like a part of votes and is not used; ``counts``: rows have counts."""
        rest = [name for name in header if name not in self._named().union(layout.columns)]
        for name in [] if self.weight else [*filter(looks_like_weight, rest)][:1]:
            if not counts:
                yield f"each row counts as one vote; if {name!r} is a number of votes, name it by --weight"
            elif isinstance(layout, Flags) and not layout.ties:
                yield (
                    f"column {name!r} looks like a number of votes and is not used; if ties are a part of it, write "
                    "their number into a column 'ties'"
                )
        for name in filter(looks_like_tie, rest):
            yield f"column {name!r} looks like ties and is not used"
        if isinstance(layout, Ranks):
            return
        for name in [] if self.winner else outcomes_in(rest):
            if not isinstance(layout, WinnerLoser):
                yield f"column {name!r} looks like an outcome and is not used; if it is, name it by --winner"
            elif not is_half_of_pair(name, header):
                yield f"column {name!r} looks like an outcome and is not used: each row is a win of {layout.winner}"
        used = named_pair(*layout.columns[:2])
        if isinstance(layout, Winners) and (won := for_sides(used, rest, terms.WINS)):
            yield f"columns {won.first!r} and {won.second!r} look like outcomes for each side and are not used"
        for pair in [] if self.first else arms_in(rest):
            if names_another_arm(pair, used):
                yield (
                    f"columns {pair.first!r} and {pair.second!r} can be the arms, too, and are not used; if they are, "
                    "name them by --first and --second"
                )
        for name in self._orders(rest)[:1]:
            if isinstance(layout, (Flags, Scores)):
                yield f"column {name!r} is not used: if it says which arm was shown first, exchange the sides by it"


def _without_sides(header: Sequence[str], ties: tuple[str, ...]) -> Layout | None:
    if ranked := _ranked(header):
        return ranked
    won = winner_and_loser(header)
    return WinnerLoser(won.first, won.second, ties) if won else None


def _ranked(header: Sequence[str]) -> Ranks | None:
    """Return the columns of WMT judgements: system1Id, system1rank, system2Id, and so on."""
    pairs = []
    for number in range(1, 100):
        arm = column_called(header, [f"system {number}"])
        rank = column_called(header, [f"system {number} rank", f"rank {number}"])
        if arm is None or rank is None:
            break
        pairs.append((arm, rank))
    return Ranks(tuple(pairs)) if len(pairs) > 1 else None


def require(name: str, header: Sequence[str]) -> None:
    """Raise UserError unless there is exactly one column with this name."""
    if name not in header:
        raise UserError(f"there is no column {name!r}{did_you_mean(name, header)}: the columns are {listed(header)}")
    if header.count(name) > 1:
        raise UserError(f"several columns are called {name!r}: call them differently")


def listed(header: Sequence[str]) -> str:
    """Return the first columns of a header, each short enough for a sentence."""
    some = [name if len(name) <= 40 else f"{name[:37]}…" for name in header[:20]]
    return ", ".join(map(repr, some)) + (" …" if len(header) > 20 else "")


Ties = Literal["half", "drop"]


class VoteFileOptions(Columns):
    """How to read files of votes.

    Raises:
        UserError: an option in the wrong form; ``key`` is its name.
    """

    only: str | None = Field(
        None, description="Use only these rows: language=English, or several conditions separated by ' & '."
    )
    ties: Ties = Field("half", description="A tie is half a win for both, or nothing.")
    first_word: str | None = Field(None, description="Outcomes that mean that the first arm has won, with commas.")
    second_word: str | None = Field(None, description="Outcomes that mean that the second arm has won, with commas.")
    tie_word: str | None = Field(None, description="Further words that mean a tie, separated by commas.")
    alias: str | None = Field(
        None, description="A file of other names of arms, with the columns name and arm; relative to the spec."
    )
    delimiter: str | None = Field(
        None, description="The character between the cells of a text file, or comma, semicolon, tab or bar."
    )
    strict: bool = Field(False, description="Treat a row that cannot be used as an error.")

    @property
    def conditions(self) -> tuple[tuple[str, str], ...]:
        """The columns of ``only``, each with the value that a row must have."""
        # A condition begins with a column and a sign: "A & B" may be a value.
        parts = re.split(r"\s&\s+(?=[^&=]+=)", self.only) if self.only else []
        pairs = [part.partition("=") for part in parts]
        if not all(column.strip() and sign for column, sign, _ in pairs):
            raise UserError(f"only is {self.only!r}: write COLUMN=VALUE, as in anony=true", key=("only",))
        return tuple((column.strip(), value.strip()) for column, _, value in pairs)

    @property
    def words(self) -> dict[str, Outcome]:
        """The outcomes that ``first_word``, ``second_word`` and ``tie_word`` mean, by ``key``."""
        found: dict[str, Outcome] = {}
        for name, outcome in (("first_word", 1), ("second_word", -1), ("tie_word", 0)):
            text = getattr(self, name)
            for word in [] if text is None else text.split(","):
                if not key(word):
                    raise UserError(
                        f"a word for an outcome has letters or digits, but one in {text!r} has none", key=(name,)
                    )
                if found.setdefault(key(word), outcome) != outcome:
                    raise UserError(f"{word.strip()!r} cannot mean two outcomes", key=(name,))
        return found

    @model_validator(mode="after")
    def _valid(self) -> VoteFileOptions:
        _ = self.conditions, self.words, None if self.delimiter is None else checked_delimiter(self.delimiter)
        return self


class VoteEntry(VoteFileOptions):
    """A ``votes:`` entry of a spec: how to read a vote file, and which matrices to make from it.

    Raises:
        UserError: options that contradict each other; ``key`` is the one to remove.
    """

    draw: Literal["posterior", "bradley-terry"] | None = Field(
        None,
        description="Sample the matrix of each run from the posterior given the votes: every pair deviates from a "
        "Bradley–Terry model, or none. Without it all runs have the shares of the votes.",
    )
    strength: float | None = Field(
        None,
        gt=0,
        description="Of draw: posterior: the weight of the Bradley–Terry prediction of a pair, as a number of votes. "
        "By default it is estimated from the votes.",
    )
    condorcet: bool = Field(False, description="Draw only matrices that have a Condorcet winner.")
    ties: Literal["half", "drop", "keep"] = Field(  # type: ignore[assignment]
        "half", description="A tie is half a win for both, or nothing; with keep, a duel may also end in a tie."
    )
    unseen: Literal["half", "bradley-terry"] | None = Field(
        None,
        description="Without draw: P[i, j] of a pair without votes, 1/2 or as the Bradley–Terry strengths predict.",
    )
    continue_: bool = Field(
        False,
        alias="continue",
        description="Begin with these votes: algorithms learn them before their first round, if they learn from any "
        "duel, and arms are recommended by these and the new votes.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> VoteEntry:
        if self.strength is not None and self.draw != "posterior":
            raise UserError("strength needs draw: posterior: add it, or remove strength", key=("strength",))
        for name, given in (("condorcet", self.condorcet), ("continue", self.continue_)):
            if given and self.draw is None:
                raise UserError(f"{name} needs matrices that are drawn from votes: add draw: posterior", key=(name,))
        if self.draw is not None and self.unseen is not None:
            raise UserError("draw: posterior also draws pairs without votes: remove unseen", key=("unseen",))
        return self
