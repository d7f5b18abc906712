"""The columns and outcomes that are recognised, by exact names, and the choice of the columns of a file.

Case, blanks, ``_``, ``-`` and invisible characters do not count. The user may name any column of a layout; nothing is
guessed. ``datasets/README.md`` has the table of all that is recognised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from duelbench.errors import UserError, did_you_mean
from duelbench.votes.reading.options import HALF, NONE, VoteFileOptions
from duelbench.votes.reading.texts import key, several, word

if TYPE_CHECKING:
    from duelbench.votes.reading.tables import Table

Kind = Literal["outcome", "won", "counts"]
_ROLES: dict[Kind, tuple[str, ...]] = {
    "outcome": ("first", "second", "winner"),
    "won": ("winner", "loser"),
    "counts": ("first", "second", "wins_first", "wins_second"),
}
"""The options that name the columns of each kind of layout, in their order."""


class Layout(NamedTuple):
    """Columns with exactly these names.

    ``words`` are outcomes that mean the first and the second, in turns, beside the names of their columns. ``ties`` is
    a column of counts, if the file has it.
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
"""Columns that a file may have beside those of its layout."""
_TIES = ("tie", "draw", "both", "neither", "both_good", "both_bad", "tie (bothbad)", "1/2-1/2", "½-½")
_NONE = ("", "skip", "unsure", "*")
WORDS = {word(text): 0 for text in _TIES} | {word(text): NONE for text in _NONE}
SESSION = ("first", "second", "winner", "judge", "asked", "answered", "ask", "coin", "used", "item", "shown", "swapped")
"""The header of the votes of a session, by which they are recognised; older files have no items and orders."""
_SESSION_WORDS = {"first": 1, "second": -1, "tie": 0, "half": HALF, "none": NONE}
_FLAGS_OF_TIES = {*map(key, OPTIONAL["tie"])} | {key(text) for text in _TIES if text.isidentifier()}


def side_words() -> tuple[str, ...]:
    """Return the words for the first and the second, in turns, of all layouts with outcomes."""
    found = (each for each in LAYOUTS if each.kind == "outcome")
    return tuple(text for each in found for text in (*each.columns[:2], *each.words))


@dataclass(frozen=True)
class Plan:
    """What the columns of a file mean.

    ``used`` are the columns of the layout, ``ties`` those of ties, as counts or flags. ``words`` are the known outcomes.
    ``sides_only``: outcomes are never names of arms. ``flags``: the counts may be flags, of which one is set in a row.
    ``session``: these are the votes of a session.
    """

    kind: Kind
    used: tuple[str, ...]
    words: Mapping[str, int]
    ties: tuple[str, ...] = ()
    judge: str | None = None
    group: str | None = None
    weight: str | None = None
    sides_only: bool = False
    flags: bool = False
    session: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read."""
        return (*self.used, *self.ties, *(each for each in (self.judge, self.group, self.weight) if each))

    @property
    def understood(self) -> str:
        """How the columns are read, for people."""
        first, second, *rest = self.used
        if self.kind == "won":
            text = f"{first} has won against {second}"
        elif self.kind == "outcome":
            text = f"{first} against {second}, outcome in {rest[0]}"
        else:
            text = f"counts of {first} against {second}, in {', '.join(rest)}"
        more = {"ties": ", ".join(self.ties), "judge": self.judge, "group": self.group, "weight": self.weight}
        return text + "".join(f", {what} in {name}" for what, name in more.items() if name)


def find(name: str, header: Sequence[str]) -> str:
    """Return the column of this name, if need be by its ``key``. Raises UserError unless there is exactly one."""
    found = [each for each in header if each == name] or [each for each in header if key(each) == key(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"several columns are called {name!r}: call them differently")
    columns = several([*map(repr, header)])
    raise UserError(f"there is no column {name!r}{did_you_mean(name, header)}: the columns are {columns}")


Fits = dict[tuple[Kind, tuple[str, ...]], list[Layout]]


def fits(header: Sequence[str], options: VoteFileOptions) -> Fits:
    """Return the kinds and columns as which a header can be read, with the layouts that say so.

    The columns that the user has named take the places of those in a layout. Raises UserError for one that is missing.
    """
    named = {role: find(name, header) for role, name in options.named_columns().items()}
    keys = {*map(key, header)}
    found: Fits = {}
    for layout in LAYOUTS:
        roles = _ROLES[layout.kind]
        columns = [named.get(role, usual) for role, usual in zip(roles, layout.columns, strict=True)]
        if named.keys() <= {*roles} and keys.issuperset(map(key, columns)):
            found.setdefault((layout.kind, tuple(find(name, header) for name in columns)), []).append(layout)
    return found


def plan(table: Table, options: VoteFileOptions, found: Fits) -> Plan:
    """Return what the columns of a table mean, whose header has one of ``fits``.

    Raises UserError for a column that is missing, and Undecided for several columns that can be the same.
    """
    header = table.columns
    ((kind, used), layouts), *_ = found.items()
    ours = [each for each in layouts if [*map(key, each.columns[:2])] == [*map(key, used[:2])]]
    sides = (*used[:2], *(text for each in ours for text in each.words), *table.words)
    meant = WORDS | {word(text): 1 - 2 * (place % 2) for place, text in enumerate(sides)}
    session = tuple(header[:9]) == SESSION[:9]
    chosen = {
        what: find(named, header) if (named := getattr(options, what)) else _only_one(what, header, used)
        for what in ("judge", "group", *["weight"] * (kind != "counts" or options.weight is not None))
    }
    ties = tuple(find(name, header) for name in options.tie)
    if not ties and kind == "counts":
        ties = tuple(name for name in header if key(name) in {key(each.ties) for each in ours})
    elif not ties:
        flags = [name for name in header if key(name) in _FLAGS_OF_TIES and name not in used]
        if len(flags) > 1:
            raise Undecided(f"columns {' and '.join(flags)} can all be flags of ties", [{"tie": tuple(flags)}])
        ties = tuple(name for name in flags if key(name) in map(key, OPTIONAL["tie"]))
    return Plan(
        kind,
        used,
        meant | _SESSION_WORDS if session else meant,
        ties,
        chosen["judge"],
        chosen["group"] or table.group,
        chosen.get("weight"),
        sides_only=session or [*map(key, used)] == ["first", "second", "outcome"],
        flags=any(each.ties == "winner_tie" for each in ours),
        session=session,
    )


def _only_one(what: str, header: Sequence[str], used: Sequence[str]) -> str | None:
    found = [name for name in header if key(name) in map(key, OPTIONAL[what]) and name not in used]
    if len(found) > 1:
        raise Undecided(f"columns {' and '.join(found)} can each be the {what}", [{what: name} for name in found])
    return found[0] if found else None


class Undecided(Exception):
    """A file can be read in several ways; each of ``choices`` are options that decide on one."""

    def __init__(self, why: str, choices: Sequence[Mapping[str, object]]) -> None:
        super().__init__(why)
        self.why = why
        self.choices = choices


def as_options(kind: Kind, used: Sequence[str]) -> dict[str, str]:
    """Return the options that name all columns of a layout."""
    return dict(zip(_ROLES[kind], used, strict=True))
