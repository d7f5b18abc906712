"""Names of arms: spellings that mean the same arm, and aliases from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.matrix import is_name
from duelbench.votes.reading.tables import open_table
from duelbench.votes.reading.texts import is_hidden, key, same, several, shown

LONGEST_NAME = 500
"""The largest number of characters in a name; a longer cell is probably a compared text, not the name of an arm."""
_NO_NAMES = {"none", "null", "nil", "nan", "na", "n/a", "n.a.", "#n/a", "<na>", "nat", "missing", "undefined"}
_NO_NAMES |= {"-", "--", "?", "\\n", "[null]", "(blank)", "#ref!", "#name?", "#value!"}
_LOOKALIKES = str.maketrans("olавеікмнорстухјѕαβεικνορτυχ", "01abeikmh0pctyxjsabeikv0ptyx")
"""Letters, small, that look like a digit or, in Cyrillic and Greek, like a Latin one, and what they look like."""
_NAMED = 5
"""The largest number of spellings or of aliases to name in a warning."""


class ArmNames:
    """The arms that names mean, and in how many rows each spelling occurs.

    Names that differ only in case, blanks or hidden characters mean the same arm, unless ``arms`` or the ``aliases``
    have both.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None, arms: Iterable[str] = ()) -> None:
        self._aliases = dict(aliases or {})
        self._arms: dict[str, str] = {}
        self._fixed: set[str] = set()
        self._similar: dict[str, str | None] = {}
        self._rows: Counter[str] = Counter()
        self.add({**{arm: arm for arm in [*arms, *self._aliases.values()]}, **self._aliases})

    def add(self, arms: Mapping[str, str]) -> None:
        """Add names and the arms that they mean; names that are known keep theirs."""
        for name, arm in arms.items():
            if name not in self._arms:
                self._arms[name] = arm
                self._fixed.add(arm)
                alike = same(name)
                # Two arms whose names are alike are listed, so another spelling of them is a third.
                self._similar[alike] = arm if self._similar.get(alike, arm) == arm else None

    def arm(self, name: str) -> str:
        """Return the arm that a name means: a name in a file of aliases, or the same text for all spellings."""
        if name in self._arms:
            return self._arms[name]
        alike = same(name)
        return (self._similar[alike] or name) if alike in self._similar else alike

    def count(self, name: str, rows: int) -> None:
        """Record that rows spell an arm in this way."""
        self._rows[name] += rows

    def kept(self) -> dict[str, str]:
        """Return the name to use for each spelling: the one in the most rows, or of the aliases."""
        return {name: self._name(arm, each) for arm, each in self._spellings().items() for name in each}

    def _spellings(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in sorted(self._rows):
            found.setdefault(self.arm(name), []).append(name)
        return found

    def _name(self, arm: str, spellings: Sequence[str]) -> str:
        """Return the spelling to use, if possible one without hidden characters."""
        seen = [name for name in spellings if not any(map(is_hidden, name))]
        return arm if arm in self._fixed else max(seen or spellings, key=self._rows.__getitem__)

    def warnings(self, source: str) -> Iterator[str]:
        """Yield sentences on arms with several spellings, names that may be missing values, and names that look alike.

        A last one is on the aliases in ``source`` that never occur.
        """
        looks: dict[str, list[str]] = {}
        for arm, spellings in self._spellings().items():
            kept = self._name(arm, spellings)
            alike = [name for name in spellings if same(name) == same(kept)]
            if alike not in ([], [kept]):
                yield (
                    f"{self._counted(alike)} {'count' if len(alike) > 1 else 'counts'} as the arm {kept!r}, since only "
                    "case, blanks and the like differ; a file of aliases that lists each keeps them apart"
                )
            if kept not in self._arms:
                looks.setdefault(same(kept).translate(_LOOKALIKES), []).append(kept)
        missing = [name for name in sorted(self._rows) if name.casefold() in _NO_NAMES and name not in self._arms]
        if missing:
            yield f"{self._counted(missing)}: read as names of arms; remove these rows if the name is missing there"
        for names in looks.values():
            if len(names) > 1:
                yield f"{self._counted(names)} look alike: if they are one arm, use --alias"
        known = {*map(same, self._rows)}
        if unused := [name for name, arm in self._aliases.items() if name != arm and same(name) not in known]:
            some = several([shown(name) for name in unused], _NAMED)
            yield f"{source}: {len(unused):,} of {len(self._aliases):,} names do not occur in the votes: {some}"

    def _counted(self, names: Sequence[str]) -> str:
        return several([f"{name!r:.80} ({self._rows[name]:,})" for name in names], _NAMED)


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table with the columns ``name`` and ``arm``: other names of arms.

    Raises:
        UserError: columns with other names, a name of two arms, or an arm that is the name of another arm.
    """
    with rereadable(path) as file:
        table = open_table(file, str(path), suits=lambda header: {*map(key, header)} == {"name", "arm"})
        columns = {key(name): name for name in table.columns}
        if columns.keys() != {"name", "arm"}:
            names = ", ".join(table.columns)
            why = f"aliases are a table with the columns name and arm, named in its first line, not {names}"
            raise UserError(why, source=str(path), line=1)
        rows = [*table.rows([columns["name"], columns["arm"]])]
    found: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, cells in rows:
        name, arm = ("", "") if isinstance(cells, str) else (cell.strip() for cell in cells)
        why = cells if isinstance(cells, str) else ""
        for text in (name, arm):
            if not why and (len(text) > LONGEST_NAME or not is_name(text)):
                why = f"a name is one line of 1 to {LONGEST_NAME} characters, not {shown(text)!r}"
        if not why and found.get(name, arm) != arm:
            why = f"{name!r} is already another name of {found[name]!r}, in line {lines[name]}"
        if why:
            raise UserError(f"{why}: write a name and the arm that it means", source=str(path), line=line)
        found.setdefault(name, arm)
        lines.setdefault(name, line)
    for name, arm in found.items():
        if found.get(arm, arm) != arm:
            why = f"{arm!r} is itself a name of {found[arm]!r}, in line {lines[arm]}: write that arm here"
            raise UserError(why, source=str(path), line=lines[name])
    return found
