"""The names of arms and judges: one line of text each, which a log, a CSV file and a terminal can hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from duelbench.errors import UserError
from duelbench.files import regular

MOST_ARMS = 5_000
"""The same limit as for preference matrices."""
LONGEST = 200
"""Characters of a name."""
MOST_BYTES = 10_000_000
"""Those of a file of names."""


def checked_name(name: object, what: str = "the name of an arm") -> str:
    """Return a name. Raises UserError when it is none: text of one line, no blanks around it, none that is hidden."""
    if not isinstance(name, str) or not name:
        raise UserError(f"{what} must be text, not {name!r:.80}")
    if len(name) > LONGEST:
        raise UserError(f"{what} has at most {LONGEST} characters: {name[:40]!r}… has {len(name)}")
    if name != name.strip() or not name.isprintable():
        raise UserError(f"{what} is one line of visible characters without blanks around it, not {name!r}")
    return name


def checked_names(names: Iterable[object]) -> list[str]:
    """Return the names of two arms or more. Raises UserError when there are fewer or too many, or two are the same."""
    found = [checked_name(each) for each in names]
    if not 2 <= len(found) <= MOST_ARMS:
        raise UserError(f"a session has from 2 to {MOST_ARMS:,} arms, not {len(found):,}")
    twice = {each for each in found if found.count(each) > 1} if len(set(found)) < len(found) else set()
    if twice:
        raise UserError(f"{min(twice)!r} is the name of two arms: give each arm a different name")
    return found


def read_names(path: Path) -> list[str]:
    """Return the names in a text file, one a line; empty lines do not count. Raises UserError, with the line."""
    try:
        lines = regular(path, MOST_BYTES).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UserError(
            f"cannot read {path} ({error.strerror}): give a file with the name of an arm on each line"
        ) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if not name:
            continue
        try:
            checked_name(name)
        except UserError as error:
            raise UserError(error.message, source=str(path), line=number) from None
        if name in seen:
            raise UserError(
                f"{name!r} is in line {seen[name]} already: give each arm a different name",
                source=str(path),
                line=number,
            )
        seen[name] = number
    if len(seen) < 2:
        raise UserError(
            f"a session needs at least two arms, and this has {len(seen)}: write a name on each line", source=str(path)
        )
    return list(seen)
