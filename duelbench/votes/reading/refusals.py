"""Make errors for tables that are not recognised, each with a command to copy, and notes on unused columns.

We derive the command from the names and values of columns; users confirm it by copying it. Where they must choose, it
contains ``|`` or ``COLUMN``, and fails until they edit it.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

from duelbench.errors import UserError
from duelbench.votes.reading.columns import LAYOUTS, OPTIONAL, WORDS, Plan, Undecided, VoteFileOptions, side_words
from duelbench.votes.reading.tables import FLAGS, RawTable, key, number_in, same, shown, visible, word

Given = Mapping[str, Any]
"""Options of ``VoteFileOptions``."""
_SIDES = (
    ("a", "b"),
    ("1", "2"),
    ("0", "1"),
    ("first", "second"),
    ("left", "right"),
    ("home", "away"),
    ("white", "black"),
)
_WON = (("winner", "loser"), ("winning", "losing"), ("won", "lost"), ("chosen", "rejected"), ("preferred", "rejected"))
"""Parts in which the names of two columns may differ: ``_SIDES`` for two sides, ``_WON`` for winner and loser."""
_OUTCOMES = "win|outcome|result|prefer|choice|chosen|vote|label|verdict|judg|better|best|ftr|select|pick"
_NUMBERS = "win|won|votes|score|goal|point|rank|elo|rating|count"
CHOOSE = "first|second|tie|none"
_FEW = 20
"""The largest number of different outcomes that a proposal lists."""


def _command(table: RawTable, given: Given, *more: Given) -> str:
    """Return the command (or, for Python objects, the call) that reads a table with these options."""
    options: dict[str, Any] = {**given}
    for name, value in (item for each in more for item in each.items()):
        options[name] = {**options.get(name, {}), **value} if isinstance(value, dict) else value
    if table.in_python:
        return f"read_votes(votes, {', '.join(f'{name}={value!r}' for name, value in options.items())})"
    words = [f"./{table.source}" if re.match("-.", table.source) else table.source]
    for name, value in options.items():
        option = f"--{name.replace('_', '-').removesuffix('s') if name == 'outcomes' else name.replace('_', '-')}"
        values = [f"{one}={two}" for one, two in value.items()] if isinstance(value, dict) else value
        for each in values if isinstance(values, list) else [values]:
            text = each if name in ("only", "alias", "delimiter") else " ".join(visible(str(each)).split())
            words += [option] if each is True else [option, text]
    return f"duelbench rank {shlex.join(words)}"


def undecided(table: RawTable, options: VoteFileOptions, error: Undecided) -> UserError:
    """Return the error for a file that can be read in several ways, with a command for each."""
    lines = [f"  {_command(table, options.given(), choice)}" for choice in error.choices]
    ask = "Copy what is meant" if len(lines) > 1 else "If that is meant, copy this"
    ask += ", and choose where | stands" if any("|" in line for line in lines) else ""
    return UserError(str(error), source=table.source, below=[f"{ask}:", *lines])


def unknown_outcomes(
    table: RawTable, options: VoteFileOptions, why: str, arms: Sequence[str], values: Sequence[str]
) -> UserError:
    """Return the error for outcomes (``values``) that are neither known words nor arms."""
    if len(values) > _FEW:
        return _refusal(table, f"{why}. So many are no outcomes: name another column by --winner", {})
    return _refusal(table, why, options.given(), {"outcomes": _meanings(values, arms)})


def unknown_columns(table: RawTable, options: VoteFileOptions) -> UserError:
    """Return the error for a header that matches no layout, with a proposed command."""
    rows = table.sample()
    if len(table.columns) > 2 and sorted(same(row[0]) for row in rows) == sorted(map(same, table.columns[1:])):
        code = (
            f"import pandas; pandas.read_csv({table.source!r}, index_col=0).rename_axis('winner').reset_index()"
            ".melt('winner', var_name='loser', value_name='weight').dropna().to_csv('votes.csv', index=False)"
        )
        why = "this is a table of arms by arms; if a cell has the wins of its row, convert it"
        return UserError(f"{why}: python -c {shlex.quote(code)}", source=table.source)
    return _refusal(
        table, "the columns are in no layout that is recognised", _proposal(table, options, rows), options.given()
    )


def _refusal(table: RawTable, why: str, *options: Given) -> UserError:
    """Return an error with the columns, two values of each, and a command with these options."""
    rows = table.sample()
    width = min(max(map(len, map(shown, table.columns))), 30)
    lines = []
    for place, name in enumerate(table.columns):
        values = [*dict.fromkeys(shown(cells[place]) for cells in rows if cells[place].strip())]
        lines.append(f"  {shown(name):{width}}  {' · '.join(values[:2])}".rstrip())
    lines += [table.hint] if table.hint else []
    if any(options):
        copied = _command(table, *options)
        ask = "and choose where | stands" if "|" in copied else "and name the columns" if "COLUMN" in copied else ""
        lines += [f"Copy this, {ask}:" if ask else "If that is meant, copy this:", f"  {copied}"]
    return UserError(why, source=table.source, below=lines)


def _pairs(columns: Iterable[str], marks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names differ only in one of the marks."""
    names = {key(name): name for name in columns}
    found = (
        (name, names[other])
        for one, two in marks
        for this, name in names.items()
        for place in re.finditer(one, this)
        if (other := this[: place.start()] + two + this[place.end() :]) in names
    )
    return [*dict.fromkeys(found)]


def _proposal(table: RawTable, options: VoteFileOptions, rows: Sequence[Sequence[str]]) -> Given:
    """Guess options that may read a table."""
    cells = {name: [row[place].strip() for row in rows] for place, name in enumerate(table.columns)}
    short = {
        name: {*values} - {""}
        for name, values in cells.items()
        if any(values) and max(map(len, values)) <= 80 and len({*values}) <= max(_FEW, len(values) / 2)
    }
    sides = _pairs(short, _SIDES)
    won = [pair for pair in _pairs(short, _WON) if short[pair[0]] & short[pair[1]] and not _digits(short[pair[0]])]
    won = [pair for pair in won if key(pair[0]) != "chosen"]  # beside "rejected" these are texts
    if won and not (options.first or options.winner):
        return dict(zip(("winner", "loser"), won[0], strict=True))
    arms = _arms(table.columns, options, short, sides)
    if arms is None:
        return {"first": "COLUMN", "second": "COLUMN", "winner": options.winner or "COLUMN"}
    found = {"first": arms[0], "second": arms[1]}
    names = {same(text) for name in arms for text in cells.get(name, ())} - {""}
    usual = {key(name) for some in OPTIONAL.values() for name in some}
    halves = [pair for pair in sides if _digits(short[pair[0]]) and _digits(short[pair[1]]) and pair != arms]
    one_sided = {name for pair in sides for name in pair if len(short[name]) < 2}
    others = {*arms, *one_sided, *(name for pair in halves for name in pair)}

    def likeliness(name: str) -> tuple[bool, bool, int]:
        known = (same(each) in names or word(each) in WORDS or word(each) in key("".join(arms)) for each in short[name])
        return bool(re.search(_OUTCOMES, key(name))), not _digits(short[name]) and all(known), -len(short[name])

    likely = [each for each in short if each not in others and key(each) not in usual and any(likeliness(each)[:2])]
    outcome = options.winner or max(likely, key=likeliness, default=None)
    counts = [pair for pair in halves if re.search("win|won|vote", key("".join(pair)))]
    if counts and not options.winner and (outcome is None or _digits(short[outcome])):
        ties = [name for name in short if re.search("(tie|draw)s?$", key(name)) and _digits(short[name])]
        return {**found, "wins_first": counts[0][0], "wins_second": counts[0][1], **({"tie": ties} if ties else {})}
    if outcome not in table.columns:
        return {**found, "winner": outcome or "COLUMN"}
    values = dict.fromkeys(row[0].strip() for _, row in table.rows([outcome]) if not isinstance(row, str))
    digits = any(number_in(each) is not None and same(each) not in names for each in values)
    asked = [each for each in values if each and (same(each) not in names or (digits and number_in(each) is not None))]
    meant = _meanings(asked, arms) if len(asked) <= _FEW else {}
    return {**found, "winner": outcome, **({"outcomes": meant} if meant else {})}


def _digits(values: Set[str]) -> bool:
    """Return whether most values are flags or numbers, perhaps with commas."""
    return 2 * sum(bool(re.fullmatch(r"[-+]?[\d.,]+", text)) or text.casefold() in FLAGS for text in values) > len(
        values
    )


def _arms(
    header: Sequence[str], options: VoteFileOptions, short: Mapping[str, set[str]], sides: Sequence[tuple[str, str]]
) -> tuple[str, str] | None:
    """Return the two columns that probably hold the arms."""
    if options.first and options.second:
        return options.first, options.second
    names = {key(name): name for name in header}
    layouts = [
        tuple(names.get(key(each), "") for each in layout.columns[:2]) for layout in LAYOUTS if layout.kind != "won"
    ]
    said = {word(text) for values in short.values() for text in values}

    def likeliness(pair: tuple[str, str]) -> tuple[object, ...]:
        one, two = short[pair[0]], short[pair[1]]
        named = not ({each.casefold() for each in one | two} <= FLAGS.keys() or re.search(_NUMBERS, key("".join(pair))))
        mentioned = bool({word(pair[0]), word(pair[1])} & said)
        return named, mentioned, pair in layouts, not _digits(one | two), bool(one & two), -len(pair[0])

    pairs = [*sides, *((one, two) for one, two in layouts if one in short and two in short)]
    best = max(pairs, key=likeliness, default=None)
    return best if best is not None and likeliness(best)[0] else None


def _meanings(values: Sequence[str], arms: Sequence[str]) -> dict[str, str]:
    """Map each outcome that is not a known word to the side whose column name contains it, else to ``CHOOSE``."""
    known = {*WORDS, *map(word, (*arms, *side_words(arms)))}
    found = {}
    for text, value in {word(each): each for each in values if word(each) not in known}.items():
        first, second = (len(text) > 2 and text in key(arm) for arm in arms)
        found[value] = "first" if first and not second else "second" if second and not first else CHOOSE
    return found


def unused(table: RawTable, plan: Plan, used: Sequence[str]) -> str:
    """Return the note on unused columns.

    Columns that may change the counts come first, each with its option; we guess their content from the first rows.
    """
    rows = table.sample()
    place = {name: at for at, name in enumerate(table.columns)}
    taken = [place[name] for name in (*plan.used, plan.judge, plan.group) if name in place]
    counted = len({tuple([cells[at] for at in taken]) for cells in rows}) == len(rows)
    arms = {same(cells[place[name]]) for cells in rows for name in plan.used[:2]}
    special: list[str] = []
    plain: list[str] = []
    for at, name in enumerate(table.columns):
        values = [text for cells in rows if (text := cells[at].strip())]
        if name in used or not (name or values):
            continue
        option, what = _may_be(values, plan, arms, counted) if values else ("", "")
        hint = f"{what}: --{option} {shlex.quote(shown(name))}" if option else what
        (special if what else plain).append(f"{shown(name)!r}" + (f" ({hint})" if what else ""))
    return "not used: " + ", ".join([*special, *plain]) if special or plain else ""


def _may_be(values: Sequence[str], plan: Plan, arms: set[str], counted: bool) -> tuple[str, str]:
    """Return the option that uses a column with these values, and a description of them; empty if irrelevant."""
    distinct = {*values}
    numbers = [number_in(text) or 0.0 for text in values]
    whole = all(re.fullmatch(r"\d+(\.0+)?", text, re.ASCII) for text in distinct)
    if {FLAGS.get(text.casefold()) for text in distinct} == {0.0, 1.0}:
        return "tie", "true or false; if it says that a row is a tie"
    if whole and plan.kind == "counts":
        return "tie", "numbers; if they count ties"
    rising = {after - before for before, after in pairwise(numbers)} == {1.0}
    if whole and plan.weight is None and counted and not rising and 1 < max(numbers) < 1e7:
        return "weight", "whole numbers; if they are numbers of votes"
    if {*map(same, distinct)} <= arms:
        return "", "names of arms"
    meant = {*map(word, distinct)}
    if meant <= {*plan.words, *map(word, side_words())} or 0 in map(WORDS.get, meant):
        return "winner" if plan.kind == "outcome" else "", "outcomes"
    if plan.group is None and plan.kind != "counts" and 2 * len(arms) <= len(distinct) <= len(values) / 2:
        return "group", "repeated; if its rows belong together"
    return "", ""


def rivals(table: RawTable, plan: Plan, used: Sequence[str]) -> list[str]:
    """Return the unused columns that may hold the outcome, too, since their first rows have only known outcomes."""
    rows = table.sample()
    usual = {key(name) for names in OPTIONAL.values() for name in names}
    arms = {word(cells[table.columns.index(name)]) for cells in rows for name in plan.used[:2]}
    found = []
    for at, name in enumerate(table.columns):
        values = {word(cells[at]) for cells in rows} - {""}
        known = {*plan.words, *(arms if re.search(_OUTCOMES, key(name)) else ())}
        if name and name not in used and key(name) not in usual and values <= known:
            found.append(name)
    return found
