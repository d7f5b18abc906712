"""Names of arms: spellings that mean the same arm, and aliases from a file."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from duelbench.errors import UserError
from duelbench.preferences.matrix import is_name
from duelbench.sources.votes.single import Duel
from duelbench.sources.votes.tables import open_table
from duelbench.sources.votes.tally import LONGEST_NAME, shown

BETWEEN_DIGITS = re.compile(r"(?<=\d)\s+(?=\d)")
NAMED = 5
"""The largest number of spellings or of aliases to name in a warning."""


MANY = 400
"""The largest number of arms among which to look for spelling mistakes, which takes half a second."""
OFTEN = 10
"""How many times as often as a spelling mistake the right name occurs, at least."""
MARK = re.compile(r"\d|(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
"""A digit, or a letter by itself: names that differ in one are hardly ever meant to be the same."""


def same_name(text: str) -> str:
    """Return the same text for names that differ only in case, blanks or the form of Unicode characters.

    Blanks between two digits matter: ``v1 10`` is not ``v11 0``.
    """
    words = BETWEEN_DIGITS.sub("_", unicodedata.normalize("NFKC", text).casefold())
    return "".join(words.split())


class ArmNames:
    """The arms that names mean, and how often each spelling occurs.

    Names that differ only in case or blanks mean the same arm, unless ``arms`` or the ``aliases`` have both.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None, arms: Iterable[str] = ()) -> None:
        self._aliases = dict(aliases or {})
        self._arms = {**{arm: arm for arm in [*arms, *self._aliases.values()]}, **self._aliases}
        self._similar: dict[str, str | None] = {}
        for name, arm in self._arms.items():
            key = same_name(name)
            # Two arms whose names are alike are listed, so another spelling of them is a third.
            self._similar[key] = arm if self._similar.get(key, arm) == arm else None
        self._fixed = frozenset(self._arms.values())
        self._known: dict[str, str] = {}
        self._rows: dict[str, Counter[str]] = {}

    def arm(self, name: str) -> str:
        """Return the arm that a name means: a name in a file of aliases, or the same text for all spellings."""
        found = self._known.get(name)
        if found is None:
            found = self._arms.get(name)
            if found is None:
                key = same_name(name)
                found = (self._similar[key] or name) if key in self._similar else key
            self._known[name] = found
        return found

    def count(self, duel: Duel, rows: int) -> None:
        """Record that rows with a duel spell its two arms in this way."""
        for name in duel[:2]:
            spellings = self._rows.get(arm := self.arm(name))
            if spellings is None:
                spellings = self._rows[arm] = Counter()
            spellings[name] += rows

    def renamed(self) -> dict[str, str]:
        """Return the name to use for each spelling that is replaced: the one in the most rows, or of the aliases."""
        return {
            name: kept
            for arm, spellings in self._rows.items()
            for kept in [self._name(arm, spellings)]
            for name in spellings
            if name != kept
        }

    def _name(self, arm: str, spellings: Counter[str]) -> str:
        return arm if arm in self._fixed else max(sorted(spellings), key=spellings.__getitem__)

    def warnings(self, source: str) -> Iterator[str]:
        """Yield a sentence for each arm with several spellings, or whose name is probably misspelt.

        A last one is on the aliases in ``source`` that never occur.
        """
        for arm, spellings in self._rows.items():
            kept = self._name(arm, spellings)
            alike = [name for name in sorted(spellings) if same_name(name) == same_name(kept)]
            if alike not in ([], [kept]):
                some = ", ".join(f"{shown(name)} ({spellings[name]:,})" for name in alike[:NAMED])
                yield (
                    f"{some}{', …' if len(alike) > NAMED else ''} {'count' if len(alike) > 1 else 'counts'} as the arm "
                    f"{shown(kept)}, since only case or blanks differ; a file of aliases that lists each keeps them "
                    "apart"
                )
        yield from self._misspelt()
        known = set(map(same_name, self._known))
        if unused := [name for name, arm in self._aliases.items() if name != arm and same_name(name) not in known]:
            some = ", ".join(map(shown, unused[:NAMED])) + (", …" if len(unused) > NAMED else "")
            yield f"{source}: {len(unused):,} of {len(self._aliases):,} names do not occur in the votes: {some}"

    def _misspelt(self) -> Iterator[str]:
        """Yield a sentence for each rare name that resembles a frequent one."""
        rows = {self._name(arm, spellings): spellings.total() for arm, spellings in self._rows.items()}
        if len(rows) > MANY:
            return
        marks = {name: MARK.findall(name.casefold()) for name in rows}
        for name in sorted(rows.keys() - self._fixed):
            often = {
                same_name(each): each
                for each in rows
                if rows[each] >= OFTEN * rows[name] and marks[each] == marks[name]
            }
            for near in get_close_matches(same_name(name), often, n=1, cutoff=0.9):
                kept = often[near]
                yield (
                    f"{shown(name)} ({rows[name]:,}) resembles {shown(kept)} ({rows[kept]:,}): if they are one arm, "
                    "use --alias"
                )


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table with the columns ``name`` and ``arm``: other names of arms.

    Raises:
        UserError: columns with other names, a name of two arms, or an arm that is the name of another arm.
    """
    table = open_table(path)
    columns = {column.casefold(): column for column in table.columns}
    if columns.keys() != {"name", "arm"}:
        raise UserError(
            f"aliases are a table with the columns name and arm, named in its first line, not {', '.join(columns)}",
            source=str(path),
            line=1,
        )
    found: dict[str, str] = {}
    lines: dict[str, int] = {}

    def refuse(line: int, reason: str) -> None:
        raise UserError(f"{reason}: write a name and the arm that it means", source=str(path), line=line)

    for line, row in table.rows([columns["name"], columns["arm"]], refuse):
        name, arm = (cell.strip() for cell in row)
        for text in (name, arm):
            if not text or len(text) > LONGEST_NAME or not is_name(text):
                refuse(line, f"a name is one line of 1 to {LONGEST_NAME} characters, not {shown(text)}")
        if found.get(name, arm) != arm:
            refuse(line, f"{shown(name)} is already another name of {shown(found[name])}, in line {lines[name]}")
        found.setdefault(name, arm)
        lines.setdefault(name, line)
    for name, arm in found.items():
        if found.get(arm, arm) != arm:
            raise UserError(
                f"{shown(arm)} is itself a name of {shown(found[arm])}, in line {lines[arm]}: write that arm here",
                source=str(path),
                line=lines[name],
            )
    return found
