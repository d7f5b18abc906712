"""Names of arms: spellings that mean the same arm, and aliases from a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.matrix import is_name
from duelbench.votes.reading.formats import open_table
from duelbench.votes.reading.texts import key, same, several, shown, visible

LONGEST_NAME = 500
"""The largest number of characters in a name; a longer cell is probably a compared text, not the name of an arm."""
_NO_NAMES = {"none", "null", "nil", "nan", "na", "n/a", "#n/a", "<na>", "nat", "missing", "undefined", "-", "--", "?"}
_NO_NAMES |= {"\\n", "[null]", "(blank)", "#ref!", "#name?", "#value!"}


class ArmNames:
    """The arms that names mean, and in how many rows each spelling occurs.

    Names that differ only in case, blanks or hidden characters mean the same arm, unless ``arms`` or the ``aliases``
    have both.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None, arms: Iterable[str] = ()) -> None:
        self._aliases = dict(aliases or {})
        self._arms: dict[str, str] = {}
        self._alike: dict[str, set[str]] = {}
        self._rows: Counter[str] = Counter()
        self.add({arm: arm for arm in [*arms, *self._aliases.values()]} | self._aliases)

    def add(self, arms: Mapping[str, str]) -> None:
        """Add names and the arms that they mean; names that are known keep theirs."""
        for name, arm in arms.items():
            self._alike.setdefault(same(name), set()).add(self._arms.setdefault(name, arm))

    def arm(self, name: str) -> str:
        """Return the arm that a name means: a name in a file of aliases, or the same text for all spellings."""
        if name in self._arms:
            return self._arms[name]
        found = self._alike.get(same(name), {same(name)})
        return next(iter(found)) if len(found) == 1 else name  # a third spelling of two arms is an arm of its own

    def count(self, name: str, rows: int) -> None:
        """Record that rows spell an arm in this way."""
        self._rows[name] += rows

    def kept(self) -> dict[str, str]:
        """Return the name to use for each spelling: that of the aliases, else the most frequent one."""
        spellings: dict[str, list[str]] = {}
        for name in sorted(self._rows):
            spellings.setdefault(self.arm(name), []).append(name)
        fixed = {*self._arms.values()}
        found: dict[str, str] = {}
        for arm, names in spellings.items():
            seen = [name for name in names if visible(name) == name] or names
            found |= dict.fromkeys(names, arm if arm in fixed else max(seen, key=self._rows.__getitem__))
        return found

    def warnings(self, source: str) -> Iterator[str]:
        """Yield sentences on arms with several spellings, names that may be missing values, and unused aliases."""
        spellings: dict[str, list[str]] = {}
        for name, kept in self.kept().items():
            if same(name) == same(kept):
                spellings.setdefault(kept, []).append(name)
        for kept, names in spellings.items():
            if names != [kept]:
                yield (
                    f"{self._counted(names)} {'count' if len(names) > 1 else 'counts'} as the arm {kept!r}, since only "
                    "case, blanks and the like differ; a file of aliases that lists each keeps them apart"
                )
        missing = [name for name in sorted(self._rows) if name.casefold() in _NO_NAMES and name not in self._arms]
        if missing:
            yield f"{self._counted(missing)}: read as names of arms; remove these rows if the name is missing there"
        known = {*map(same, self._rows)}
        if unused := [name for name, arm in self._aliases.items() if name != arm and same(name) not in known]:
            some = several([repr(shown(name)) for name in unused], _NAMED)
            yield f"{source}: {len(unused):,} of {len(self._aliases):,} names do not occur in the votes: {some}"

    def _counted(self, names: Sequence[str]) -> str:
        return several([f"{name!r:.80} ({self._rows[name]:,})" for name in names], _NAMED)


_NAMED = 5
"""The largest number of spellings or of aliases to name in a warning."""


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table with the columns ``name`` and ``arm``: other names of arms.

    Raises:
        UserError: columns with other names, a name of two arms, or an arm that is the name of another arm.
    """
    found: dict[str, str] = {}
    with rereadable(path) as file:
        table = open_table(file, str(path), suits=lambda header: sorted(map(key, header)) == ["arm", "name"])
        columns = {key(name): name for name in table.columns}
        if columns.keys() != {"name", "arm"}:
            why = (
                f"aliases are a table with the columns name and arm, named in its first line, not {', '.join(columns)}"
            )
            raise UserError(why, source=str(path), line=1)
        for line, cells in table.rows([columns["name"], columns["arm"]]):
            name, arm = ("", "") if isinstance(cells, str) else (cell.strip() for cell in cells)
            known = found.setdefault(name, arm)
            if len(name) > LONGEST_NAME or len(arm) > LONGEST_NAME or not is_name(name) or not is_name(arm):
                why = f"write a name and the arm that it means, each one line of 1 to {LONGEST_NAME} characters"
            elif known != arm:
                why = f"{name!r} is already another name of {known!r}: write a name of one arm"
            else:
                continue
            raise UserError(why, source=str(path), line=line)
    for name, arm in found.items():
        if found.get(arm, arm) != arm:
            why = f"{arm!r} is itself a name of {found[arm]!r}: write that arm for {name!r}"
            raise UserError(why, source=str(path))
    return found
