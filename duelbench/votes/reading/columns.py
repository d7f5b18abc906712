"""Recognise the columns and outcomes of a table of votes by their names.

Case, blanks, ``_``, ``-`` and invisible characters do not matter. The user may name any column of a layout; nothing is
guessed. ``datasets/README.md`` lists all recognised names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema, model_validator

from duelbench.errors import UserError, did_you_mean
from duelbench.markup import several
from duelbench.parameters import Parameters
from duelbench.votes.reading.formats.delimited import checked_delimiter
from duelbench.votes.reading.tables import RawTable, key, word

NONE, HALF, UNKNOWN = 2, 3, 4
"""Outcomes besides 1 (first), −1 (second) and 0 (tie): no vote, half a win for each, and an unknown word."""

MEANINGS = {"first": 1, "second": -1, "tie": 0, "none": NONE, "arm": UNKNOWN}
"""The meanings that ``outcomes`` may give to a value; ``arm`` says that it is only the name of an arm."""


def _pairs(value: Any, info: ValidationInfo) -> Any:
    """Parse a mapping, which may be written as texts NAME=VALUE, or as one text with " & " between them."""
    if isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    # a condition begins with a name and a sign: "A & B" may be a value
    texts = re.split(r"\s&\s+(?=[^&=]+=)", value) if isinstance(value, str) else value
    parts = [each.rpartition("=") if info.field_name == "outcomes" else each.partition("=") for each in texts]
    for name, sign, _ in parts:
        if not sign or not (name.strip() or info.field_name == "outcomes"):
            why = f"{info.field_name} is {value!r:.80}: write COLUMN=VALUE, as in anony=true, or VALUE=first"
            raise UserError(why, key=(str(info.field_name),))
    found = {name.strip(): each.strip() for name, _, each in parts}
    if len(found) < len(parts):
        raise UserError(f"{info.field_name} has a name twice: {value!r:.80}", key=(str(info.field_name),))
    return found


def _names(value: Any) -> Any:
    return value.split(" & ") if isinstance(value, str) else [*value]


_TEXT = WithJsonSchema({"type": "string", "minLength": 1})

_Pairs = Annotated[
    dict[str, str],
    BeforeValidator(_pairs),
    PlainSerializer(lambda pairs: " & ".join(map("=".join, pairs.items())), when_used="json"),
    _TEXT,
]

_Names = Annotated[list[str], BeforeValidator(_names), PlainSerializer(" & ".join, when_used="json"), _TEXT]


class VoteFileOptions(Parameters):
    """How to read votes. Columns that are not named have the names that ``layouts`` lists.

    Raises UserError for an option in the wrong form; ``key`` is its name.
    """

    first: str | None = Field(None, description="The column of the first arm.")
    second: str | None = Field(None, description="The column of the second arm.")
    winner: str | None = Field(None, description="The column of the outcome; with loser, of the arm that has won.")
    loser: str | None = Field(None, description="The column of the arm that has lost, in place of first and second.")
    wins_first: str | None = Field(None, description="The column of the number of votes for the first arm.")
    wins_second: str | None = Field(None, description="The column of the number of votes for the second arm.")
    tie: _Names = Field([], description="The column that says whether a row is a tie, or has their number.")
    outcomes: _Pairs = Field(
        {},
        description="What values of the outcome mean, first, second, tie, none or arm: left=first & right=second. With "
        "arm, a value that is also a known word is the name of an arm.",
    )
    weight: str | None = Field(None, description="The column of what a row counts for. Default: weight or count.")
    judge: str | None = Field(None, description="The column of the judge. Matrices do not depend on judges.")
    group: str | None = Field(
        None,
        description="The column of the ranking or the question that a row is a part of. With draw, votes of a group "
        "count as fewer independent ones.",
    )
    only: _Pairs = Field({}, description="Use only these rows: language=English & anony=true.")
    ties: Literal["half", "drop"] = Field("half", description="A tie is half a win for both, or nothing.")
    alias: str | None = Field(
        None, description="A file of other names of arms, with the columns name and arm; relative to the spec."
    )
    delimiter: str | None = Field(
        None, description="The character between the cells of a text file, or comma, semicolon, tab or bar."
    )
    strict: bool = Field(False, description="Treat a row that cannot be used as an error.")

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        fields = VoteFileOptions.model_fields
        return {name: value for name in fields if (value := getattr(self, name)) != fields[name].default}

    @model_validator(mode="after")
    def _valid(self) -> VoteFileOptions:
        if self.delimiter is not None:
            checked_delimiter(self.delimiter)
        meant: dict[str, str] = {}
        for value, meaning in self.outcomes.items():
            if meaning not in MEANINGS:
                raise UserError(
                    f"the outcome {value!r:.80} is to mean {meaning!r:.60}: choose one of {', '.join(MEANINGS)}",
                    key=("outcomes",),
                )
            if meant.setdefault(word(value), meaning) != meaning:
                raise UserError(f"{value!r:.80} cannot mean two outcomes", key=("outcomes",))
        return self


Kind = Literal["outcome", "won", "counts"]

_ROLES: dict[Kind, tuple[str, ...]] = {
    "outcome": ("first", "second", "winner"),
    "won": ("winner", "loser"),
    "counts": ("first", "second", "wins_first", "wins_second"),
}
"""The options that name the columns of each kind of layout, in the order of ``Layout.columns``."""


class Layout(NamedTuple):
    """A layout: columns with exactly these names.

    Besides the names of the first two columns, ``words`` are outcomes that mean first, second, first, and so on.
    ``ties`` is an optional column with the number of ties.
    """

    kind: Kind
    columns: tuple[str, ...]
    words: tuple[str, ...] = ()
    ties: str = ""


LAYOUTS = (
    Layout("outcome", ("first", "second", "outcome")),
    Layout("outcome", ("first", "second", "winner")),
    Layout("outcome", ("model_a", "model_b", "winner"), ("a", "b")),
    Layout("outcome", ("left", "right", "winner")),
    Layout("outcome", ("left", "right", "choice")),
    Layout("outcome", ("left", "right", "preference")),
    Layout("outcome", ("White", "Black", "Result"), ("1-0", "0-1")),
    Layout("won", ("winner", "loser")),
    Layout("won", ("chosen_model", "rejected_model")),
    Layout("counts", ("first", "second", "wins_first", "wins_second"), ties="ties"),
    Layout("counts", ("model_a", "model_b", "wins_a", "wins_b"), ties="ties"),
    Layout("counts", ("model_a", "model_b", "winner_model_a", "winner_model_b"), ties="winner_tie"),
)

OPTIONAL = {
    "tie": ("tie", "tied", "draw", "is_tie", "is_draw"),
    "judge": ("judge", "annotator", "rater"),
    "group": ("group", "item", "item_id", "question_id"),
    "weight": ("weight", "count"),
}
"""Columns that a file may have in addition to its layout."""

_TIES = ("tie", "draw", "both", "neither", "both_good", "both_bad", "tie (bothbad)", "1/2-1/2", "½-½")

WORDS = {word(text): 0 for text in _TIES} | {word(text): NONE for text in ("", "skip", "unsure", "*")}

SESSION = ("first", "second", "winner", "judge", "asked", "answered", "ask", "coin", "used", "item", "shown", "swapped")
"""The header by which we recognise the votes of a session; older files have no items and orders."""

_SESSION_WORDS = {"first": 1, "second": -1, "tie": 0, "half": HALF, "none": NONE}

_FLAGS_OF_TIES = {*map(key, OPTIONAL["tie"]), *map(key, _TIES[:6])}


def side_words(arms: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the words for first, second, first, … in the layouts with these columns of arms, by default in all."""
    found = [each for each in LAYOUTS if each.kind == "outcome" and (not arms or alike(each.columns[:2], arms))]
    return tuple(text for each in found for text in (*each.columns[:2], *each.words))


def alike(names: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether columns have the same names."""
    return [*map(key, names)] == [*map(key, others)]


class Undecided(Exception):
    """A file can be read in several ways. Each of the ``choices`` is a set of options that selects one."""

    def __init__(self, why: str, choices: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(why)
        self.choices = choices


@dataclass(frozen=True)
class Plan:
    """The meaning of the columns of a table.

    ``used`` are the columns of the layout, ``ties`` the columns of ties, as counts or flags. ``words`` are the known
    outcomes. ``sides_only``: outcomes are never names of arms. ``flags``: the counts may be flags, one of them set in
    each row. ``session``: the table holds the votes of a session.
    """

    kind: Kind
    used: tuple[str, ...]
    words: Mapping[str, int]
    ties: tuple[str, ...]
    judge: str | None
    group: str | None
    weight: str | None
    sides_only: bool
    flags: bool
    session: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        return (*self.used, *self.ties, *(each for each in (self.judge, self.group, self.weight) if each))

    @property
    def understood(self) -> str:
        """A description, for messages, of how the columns are read."""
        first, second, *rest = self.used
        texts = {
            "won": f"{first} has won against {second}",
            "outcome": f"{first} against {second}, outcome in {', '.join(rest)}",
            "counts": f"counts of {first} against {second}, in {', '.join(rest)}",
        }
        more = {"ties": ", ".join(self.ties), "judge": self.judge, "group": self.group, "weight": self.weight}
        said = "the votes of a session" if self.session else texts[self.kind]
        return said + "".join(f", {what} in {name}" for what, name in more.items() if name and not self.session)


def find(name: str, header: Sequence[str], *, exact: bool = True) -> str:
    """Find a column by its name (if ``exact``), else by its ``key``. Raises UserError if none or several match."""
    found = [each for each in header if each == name and exact] or [each for each in header if key(each) == key(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"columns {' and '.join(found)} have the same name: call them differently")
    columns = several([*map(repr, header)])
    raise UserError(f"there is no column {name!r}{did_you_mean(name, header)}: the columns are {columns}")


def plan(table: RawTable, options: VoteFileOptions) -> Plan | None:
    """Match the header of a table with the layouts; None if it has none of them.

    Columns that the user has named replace those of a layout.

    Raises UserError if a named column is missing, and Undecided if several columns can have the same role.
    """
    header = table.columns
    found = fits(header, options)
    if len(found) > 1:
        ways = "; ".join(", ".join(used) for _, used in found)
        choices = [dict(zip(_ROLES[kind], used, strict=True)) for kind, used in found]
        raise Undecided(f"the columns can be read in several ways: {ways}", choices)
    if not found:
        return None
    kind, used = found[0]
    ours = [each for each in LAYOUTS if alike(each.columns[:2], used[:2])]
    sides = (*used[:2], *side_words(() if table.any_words else used[:2]))
    words = {word(text): 1 - 2 * (at % 2) for at, text in enumerate(sides)}
    session = tuple(header[:9]) == SESSION[:9]
    others = () if table.tags else [name for name in header if name not in used]
    usual = {key(each.ties or "ties") for each in ours} if kind == "counts" else {*map(key, OPTIONAL["tie"])}
    ties = [name for name in others if key(name) in _FLAGS_OF_TIES | usual]
    if options.tie:
        ties = [find(name, header) for name in options.tie]
    elif len(ties) > 1:
        raise Undecided(f"columns {' and '.join(ties)} can all say which rows are ties", [{"tie": ties}])
    elif ties and kind == "counts" and key(ties[0]) not in usual:
        raise Undecided(f"{ties[0]} may hold numbers of ties; if not, rename it", [{"tie": ties}])
    else:
        ties = [name for name in ties if key(name) in usual]
    return Plan(
        kind,
        used,
        WORDS | words | (_SESSION_WORDS if session else {}),
        tuple(ties),
        _other("judge", others, header, options),
        _other("group", others, header, options) or table.group,
        _other("weight", others, header, options) if kind != "counts" or options.weight else None,
        sides_only=session or alike(used, ("first", "second", "outcome")),
        flags=any(alike(each.columns, used) and each.ties == "winner_tie" for each in ours),
        session=session,
    )


def fits(header: Sequence[str], options: VoteFileOptions) -> list[tuple[Kind, tuple[str, ...]]]:
    """Return the kind and columns of each layout that a header matches. Raises UserError if a named one is missing."""
    roles = {role for each in _ROLES.values() for role in each}
    named = {role: find(name, header) for role, name in options.given().items() if role in roles}
    keys = {*map(key, header)}
    found: dict[tuple[Kind, tuple[str, ...]], None] = {}
    for kind, usual, *_ in LAYOUTS:
        pairs = [*zip(_ROLES[kind], usual, strict=True)]
        if named.keys() <= {*_ROLES[kind]} and keys.issuperset(key(named.get(role, name)) for role, name in pairs):
            found[kind, tuple(named.get(role) or find(name, header, exact=False) for role, name in pairs)] = None
    return [*found]


def suits(header: Sequence[str], options: VoteFileOptions) -> bool:
    """Return whether a header has the columns of a layout."""
    try:
        return bool(fits(header, options))
    except UserError:
        return False


def _other(what: str, others: Sequence[str], header: Sequence[str], options: VoteFileOptions) -> str | None:
    """Find an optional column among the ``others``, which are not used yet. Raises Undecided if several match."""
    if named := getattr(options, what):
        return find(named, header)
    found = [name for name in others if key(name) in map(key, OPTIONAL[what])]
    if len(found) > 1:
        raise Undecided(f"columns {' and '.join(found)} can each be the {what}", [{what: name} for name in found])
    return found[0] if found else None


class VoteEntry(VoteFileOptions):
    """A ``votes:`` entry of a spec: how to read a vote file, and which matrices to make from it.

    Raises UserError for options that contradict each other; ``key`` is the one to remove.
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
