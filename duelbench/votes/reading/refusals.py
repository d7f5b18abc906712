"""Errors about files that are not recognised: their columns, and the command to copy that reads them.

The command is a proposal from names and values of columns, which the user confirms by copying it. Where the user must
choose, it has ``|`` or ``COLUMN``, so that it is refused as it stands.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from duelbench.errors import UserError
from duelbench.votes.reading.layouts import LAYOUTS, OPTIONAL, WORDS, Undecided
from duelbench.votes.reading.options import VoteFileOptions
from duelbench.votes.reading.tables import Table
from duelbench.votes.reading.texts import FLAGS, key, number_in, same, shown, visible, word

Option = tuple[str, str]
_SIDES = (("a", "b"), ("1", "2"), ("0", "1"), ("first", "second"), ("left", "right"), ("home", "away"))
_SIDES += (("white", "black"), ("x", "y"))
_WON = (("winner", "loser"), ("winning", "losing"), ("won", "lost"), ("chosen", "rejected"), ("preferred", "rejected"))
"""How the names of two columns may differ: marks of two sides, and of winner and loser."""
_OUTCOMES = "win|outcome|result|prefer|choice|chosen|vote|label|verdict|judg|better|best|ftr|select|pick"
_NUMBERS = "win|won|votes|score|goal|point|rank|elo|rating|count"
FEW = 20
"""The largest number of different outcomes to name."""
CHOOSE = "first|second|tie|none"


def given(options: VoteFileOptions) -> list[Option]:
    """Return the options that differ from their defaults, one for each value."""
    found: list[Option] = []
    for name in VoteFileOptions.model_fields:
        value = getattr(options, name)
        if value == VoteFileOptions.model_fields[name].default:
            continue
        values = value if isinstance(value, tuple) else [value]
        found += [(name, "=".join(each) if isinstance(each, tuple) else str(each)) for each in values]
    return found


def command(table: Table, options: Iterable[Option]) -> str:
    """Return the command, or in Python the call, that reads a table with these options."""
    chosen = [*dict.fromkeys([*options, *table.options])]
    if table.in_python:
        arguments: dict[str, Any] = {}
        for name, value in chosen:
            if name in ("outcomes", "only"):
                arguments.setdefault(name, {}).update(
                    [value.rsplit("=", 1) if name == "outcomes" else value.split("=", 1)]
                )
            elif name == "tie":
                arguments.setdefault(name, []).append(value)
            else:
                arguments[name] = True if name == "strict" else value
        return f"read_votes(votes, {', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
    path = f"./{table.source}" if re.match("-.", table.source) else table.source
    words = ["duelbench rank", shlex.quote(path)]
    for name, value in chosen:
        words.append(f"--{'outcome' if name == 'outcomes' else name.replace('_', '-')}")
        if name != "strict":
            words.append(shlex.quote(" ".join(visible(value).split()) if name != "only" else value))
    return " ".join(words)


def undecided(table: Table, options: VoteFileOptions, error: Undecided) -> UserError:
    """Return the error for a file that can be read in several ways, with a command for each."""
    lines = []
    for choice in error.choices:
        more = [
            (name, each) for name, value in choice.items() for each in ([value] if isinstance(value, str) else value)
        ]
        lines.append(f"  {command(table, [*given(options), *more])}")
    ways = "Copy what is meant" if len(lines) > 1 else "If that is meant, copy this"
    if any("|" in line for line in lines):
        ways += ", and choose where | stands"
    return UserError(error.why, source=table.source, below=[f"{ways}:", *lines])


def unknown_outcomes(
    table: Table, options: VoteFileOptions, column: str, arms: Sequence[str], values: Sequence[str], named: str
) -> UserError:
    """Return the error for outcomes that are neither known words nor arms, with an option for each of ``values``."""
    why = f"in {column!r}, these are neither known outcomes nor arms of their rows: {named}"
    if len(values) > FEW:
        return _refusal(table, f"{why}. So many different values are no outcomes: name another column by --winner", ())
    return _refusal(table, why, [*given(options), *_meanings(values, arms)])


def unknown_columns(table: Table, options: VoteFileOptions) -> UserError:
    """Return the error for a header that is in no layout, with a proposal."""
    rows = table.sample()
    first = [cells[0] for cells in rows]
    if len(table.columns) > 2 and sorted(map(same, first)) == sorted(map(same, table.columns[1:])):
        code = (
            f"import pandas; pandas.read_csv({table.source!r}, index_col=0).rename_axis('winner').reset_index()"
            ".melt('winner', var_name='loser', value_name='weight').dropna().to_csv('votes.csv', index=False)"
        )
        why = "this is a table of arms by arms; if a cell has the wins of its row, convert it"
        return UserError(f"{why}: python -c {shlex.quote(code)}", source=table.source)
    kept = [each for each in given(options) if each[0] not in options.named_columns()]
    return _refusal(table, "the columns are in no layout that is recognised", [*_proposal(table, options, rows), *kept])


def _refusal(table: Table, why: str, options: Sequence[Option]) -> UserError:
    rows = table.sample()
    width = min(max(map(len, map(shown, table.columns))), 30)
    lines = []
    for place, name in enumerate(table.columns):
        values = [*dict.fromkeys(shown(cells[place]) for cells in rows if cells[place].strip())]
        lines.append(f"  {shown(name):{width}}  {' · '.join(values[:2])}".rstrip())
    if table.hint:
        lines.append(table.hint)
    if options:
        copied = command(table, options)
        ask = "and choose where | stands" if "|" in copied else "and name the columns" if "COLUMN" in copied else ""
        lines += [f"Copy this, {ask}:" if ask else "If that is meant, copy this:", f"  {copied}"]
    return UserError(why, source=table.source, below=lines)


def _pairs(columns: Iterable[str], marks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names differ in one of the marks only."""
    names = {key(name): name for name in columns}
    found = [
        (name, names[other])
        for one, two in marks
        for this, name in names.items()
        for place in re.finditer(re.escape(one), this)
        if (other := this[: place.start()] + two + this[place.end() :]) in names
    ]
    return [*dict.fromkeys(found)]


def _proposal(table: Table, options: VoteFileOptions, rows: Sequence[Sequence[str]]) -> list[Option]:
    """Return options that may read a table."""
    cells = {name: [row[place].strip() for row in rows] for place, name in enumerate(table.columns)}
    short = {
        name: {*values} - {""}
        for name, values in cells.items()
        if any(values) and max(map(len, values)) <= 80 and len({*values}) <= max(FEW, len(values) / 2)
    }
    won, sides = _pairs(short, _WON), _pairs(short, _SIDES)
    alike = [pair for pair in won if short[pair[0]] & short[pair[1]] and not _are_numbers(short[pair[0]])]
    if alike and not options.named_columns():
        return [("winner", alike[0][0]), ("loser", alike[0][1])]
    arms = _arms(table.columns, options, short, sides)
    if arms is None:
        return [("first", "COLUMN"), ("second", "COLUMN"), ("winner", options.winner or "COLUMN")]
    found = [("first", arms[0]), ("second", arms[1])]
    names = {same(text) for name in arms for text in cells[name]} - {""}
    usual = {key(name) for some in OPTIONAL.values() for name in some}
    halves = {name for pair in sides for name in pair if _are_numbers(short[name])}
    likely = [name for name in short if name not in arms and key(name) not in usual and name not in halves]
    best = max(likely, key=lambda name: _likeliness(name, short[name], arms, names), default=None)
    if best is not None and not options.winner and not any(_likeliness(best, short[best], arms, names)[:2]):
        best = None
    counts = [pair for pair in sides if {*pair} <= halves and re.search("win|won|vote", key("".join(pair)))]
    if options.winner is None and counts and (best is None or _are_numbers(short[best])):
        ties = [("tie", name) for name in short if re.search("(tie|draw)s?$", key(name)) and _are_numbers(short[name])]
        return [*found, ("wins_first", counts[0][0]), ("wins_second", counts[0][1]), *ties]
    outcome = options.winner or best
    if outcome is None:
        return [*found, ("winner", "COLUMN")]
    if outcome not in cells:
        return [*found, ("winner", outcome)]
    values = dict.fromkeys(row[0].strip() for _, row in table.rows([outcome]) if not isinstance(row, str))
    asked = [each for each in values if each and (same(each) not in names or number_in(each) is not None)]
    numbers = [each for each in asked if number_in(each) is not None and same(each) not in names]
    asked = [each for each in asked if numbers or same(each) not in names]
    return [*found, ("winner", outcome), *(_meanings(asked, arms) if len(asked) <= FEW else [])]


def _are_numbers(values: Iterable[str]) -> bool:
    return all(number_in(text) is not None or text.casefold() in FLAGS for text in values)


def _arms(
    header: Sequence[str], options: VoteFileOptions, short: Mapping[str, set[str]], sides: Sequence[tuple[str, str]]
) -> tuple[str, str] | None:
    """Return the two columns that probably hold the arms."""
    if options.first and options.second:
        return options.first, options.second
    names = {key(name): name for name in header}
    for layout in LAYOUTS:
        if layout.kind != "won" and all(key(each) in names for each in layout.columns[:2]):
            return names[key(layout.columns[0])], names[key(layout.columns[1])]

    def likeliness(pair: tuple[str, str]) -> tuple[object, ...]:
        one, two = short[pair[0]], short[pair[1]]
        flags = {each.casefold() for each in one | two} <= FLAGS.keys()
        named = not (flags or re.search(_NUMBERS, key("".join(pair))))
        return named, not _are_numbers(one | two), bool(one & two), -len(pair[0])

    best = max(sides, key=likeliness, default=None)
    return best if best is not None and likeliness(best)[0] else None


def _likeliness(name: str, values: set[str], arms: Sequence[str], names: set[str]) -> tuple[bool, bool, int]:
    """Return a larger key for a column that more probably holds outcomes."""
    sides = {key(arms[0]), key(arms[1])}
    meant = (same(each) in names or word(each) in WORDS or any(word(each) in side for side in sides) for each in values)
    return bool(re.search(_OUTCOMES, key(name))), not _are_numbers(values) and all(meant), -len(values)


def _meanings(values: Sequence[str], arms: Sequence[str]) -> list[Option]:
    """Return an option for each outcome that is no known word of these columns; filled in if a column's name says it."""
    known = {*WORDS, *map(word, arms)}
    for layout in LAYOUTS:
        if [*map(key, layout.columns[:2])] == [*map(key, arms)]:
            known |= {*map(word, layout.words)}
    found = []
    for value in {word(each): each for each in values if word(each) not in known}.values():
        side = [
            re.search("[a-z]{3}", word(value))
            and re.search(f"^{re.escape(word(value))}|{re.escape(word(value))}$", key(arm))
            for arm in arms
        ]
        meaning = "first" if side[0] and not side[1] else "second" if side[1] and not side[0] else CHOOSE
        found.append(("outcomes", f"{value}={meaning}"))
    return found
