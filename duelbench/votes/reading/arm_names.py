"""Names of arms: spellings that mean the same arm, and aliases from a file."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path

from duelbench.errors import UserError
from duelbench.files import rereadable
from duelbench.preferences.matrix import is_name
from duelbench.votes.reading.outcomes import MISSING
from duelbench.votes.reading.tables import Table, is_hidden, open_table, visible
from duelbench.votes.reading.tally import LONGEST_NAME, shown

_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s+(?=\d)")
_WHOLE = re.compile(r"^(-?\d+)\.0$")
"""A number as tables write whole numbers if a cell of their column is empty."""
_NO_NAMES = MISSING | {"n/a", "n.a.", "-", "--", "?", "\\n", "[null]", "(blank)", "#ref!", "#name?", "#value!"}
_NAMED = 5
"""The largest number of spellings or of aliases to name in a warning."""
MANY = 400
"""The largest number of arms among which to look for spelling mistakes, which takes half a second."""
_OFTEN = 10
"""How many times as often as a spelling mistake the right name occurs, at least."""
_NEARLY = 0.9
"""The share of equal characters from which on names are nearly the same."""
_MARK = re.compile(r"\d|(?<![^\W\d_])[^\W\d_](?![^\W\d_])")
"""A digit, or a letter by itself: names that differ in one are hardly ever meant to be the same."""


_LOOKALIKES = str.maketrans("olавеікмнорстухјѕαβεικνορτυχ", "01abeikmh0pctyxjsabeikv0ptyx")
"""Letters, small, that look like a digit or, in Cyrillic and Greek, like a Latin one, and what they look like."""


def same_name(text: str) -> str:
    """Return the same text for names that differ only in case, blanks, hidden characters or the form of Unicode.

    So do the whole numbers 7 and 7.0. Blanks between two digits matter: ``v1 10`` is not ``v11 0``.
    """
    seen = text if text.isascii() else unicodedata.normalize("NFKC", visible(text)) or text
    words = _BETWEEN_DIGITS.sub("_", seen.strip().casefold())
    return "".join(_WHOLE.sub(r"\1", words).split())


class ArmNames:
    """The arms that names mean, and how often each spelling occurs.

    Names that differ only in case, blanks or hidden characters mean the same arm, unless ``arms`` or the ``aliases``
    have both.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None, arms: Iterable[str] = ()) -> None:
        self._aliases = dict(aliases or {})
        self._arms: dict[str, str] = {}
        self._similar: dict[str, str | None] = {}
        self._known: dict[str, str] = {}
        self._rows: Counter[str] = Counter()
        self.add({**{arm: arm for arm in [*arms, *self._aliases.values()]}, **self._aliases})

    def add(self, arms: Mapping[str, str]) -> None:
        """Add names and the arms that they mean; names that are known keep theirs."""
        for name, arm in arms.items():
            if name not in self._arms:
                self._arms[name] = arm
                key = same_name(name)
                # Two arms whose names are alike are listed, so another spelling of them is a third.
                self._similar[key] = arm if self._similar.get(key, arm) == arm else None
        self._fixed = frozenset(self._arms.values())
        seen = list(self._known)
        self._known = {}
        for name in seen:
            self.arm(name)

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

    def count(self, names: Iterable[str], rows: int = 1) -> None:
        """Record that rows spell arms in this way."""
        for name in names:
            self._rows[name] += rows

    def renamed(self) -> dict[str, str]:
        """Return the name to use for each spelling that is replaced: the one in the most rows, or of the aliases."""
        return {
            name: kept
            for arm, spellings in self._spellings().items()
            for kept in [self._name(arm, spellings)]
            for name in spellings
            if name != kept
        }

    def _spellings(self) -> dict[str, Counter[str]]:
        """Return the rows of each spelling of each arm."""
        found: dict[str, Counter[str]] = {}
        for name, rows in self._rows.items():
            found.setdefault(self.arm(name), Counter())[name] += rows
        return found

    def _name(self, arm: str, spellings: Counter[str]) -> str:
        """Return the spelling to use, if possible one without hidden characters."""
        seen = [name for name in sorted(spellings) if not any(map(is_hidden, name))]
        return arm if arm in self._fixed else max(seen or sorted(spellings), key=spellings.__getitem__)

    def warnings(self, source: str) -> Iterator[str]:
        """Yield sentences on arms with several spellings, names that may be missing values, and spelling mistakes.

        A last one is on the aliases in ``source`` that never occur.
        """
        arms = self._spellings()
        for arm, spellings in arms.items():
            kept = self._name(arm, spellings)
            alike = [name for name in sorted(spellings) if same_name(name) == same_name(kept)]
            if alike not in ([], [kept]):
                more = ", …" if len(alike) > _NAMED else ""
                yield (
                    f"{self._counted(alike)}{more} {'count' if len(alike) > 1 else 'counts'} as the arm {shown(kept)}, "
                    "since only case, blanks and the like differ; a file of aliases that lists each keeps them apart"
                )
        missing = [name for name in sorted(self._rows) if name.casefold() in _NO_NAMES and name not in self._fixed]
        if missing:
            yield f"{self._counted(missing)}: read as names of arms; remove these rows if the name is missing there"
        yield from self._misspelt({self._name(arm, each): each.total() for arm, each in arms.items()})
        known = set(map(same_name, self._known))
        if unused := [name for name, arm in self._aliases.items() if name != arm and same_name(name) not in known]:
            some = ", ".join(map(shown, unused[:_NAMED])) + (", …" if len(unused) > _NAMED else "")
            yield f"{source}: {len(unused):,} of {len(self._aliases):,} names do not occur in the votes: {some}"

    def _counted(self, names: Sequence[str]) -> str:
        return ", ".join(f"{shown(name)} ({self._rows[name]:,})" for name in names[:_NAMED])

    def _misspelt(self, rows: Mapping[str, int]) -> Iterator[str]:
        """Yield a sentence for each name that looks like a more frequent one, or is rare and a few edits away."""
        if len(rows) > MANY:
            return
        marks = {name: _MARK.findall(name.casefold()) for name in rows}
        looks = {name: same_name(name).translate(_LOOKALIKES) for name in rows}
        for name in sorted(rows.keys() - self._fixed):
            alike = [each for each in rows if looks[each] == looks[name] and (rows[each], each) > (rows[name], name)]
            often = {
                looks[each]: each for each in rows if rows[each] >= _OFTEN * rows[name] and marks[each] == marks[name]
            }
            near = [often[each] for each in get_close_matches(looks[name], often, n=1, cutoff=0.8)]
            for kept in alike[:1] or [each for each in near if _misspells(looks[name], looks[each])]:
                yield (
                    f"{shown(name)} ({rows[name]:,}) resembles {shown(kept)} ({rows[kept]:,}): if they are one arm, "
                    "use --alias"
                )


def _misspells(name: str, right: str) -> bool:
    """Return whether names are nearly the same, or two edits turn one into the other of the same length.

    To exchange neighbours takes two edits. Two letters more may be another word: formal, informal.
    """
    match = SequenceMatcher(None, name, right, autojunk=False)
    edits = sum(max(a1 - a0, b1 - b0) for kind, a0, a1, b0, b1 in match.get_opcodes() if kind != "equal")
    return match.ratio() >= _NEARLY or (len(name) == len(right) and edits <= 2)


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table with the columns ``name`` and ``arm``: other names of arms.

    Raises:
        UserError: columns with other names, a name of two arms, or an arm that is the name of another arm.
    """
    with rereadable(path) as file:
        return _aliases(open_table(file), path)


def _aliases(table: Table, path: Path) -> dict[str, str]:
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
