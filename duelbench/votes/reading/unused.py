"""The sentence on the columns of a table that are not used: those that may change numbers first, each with its option.

What a column may hold is taken from the first rows. It orders and explains the names, and changes no number.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from duelbench.votes.reading.layouts import OPTIONAL, Plan
from duelbench.votes.reading.tables import Table
from duelbench.votes.reading.texts import FLAGS, key, number_in, same, shown, word

_SIDES = {"a", "b", "first", "second", "left", "right", "white", "black", "tie", "draw"}


def unused(table: Table, plan: Plan, used: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the sentence, empty if all columns are used, and the columns that may say which votes are dependent."""
    rows = table.sample()
    place = {name: at for at, name in enumerate(table.columns)}
    taken = [name for name in (*plan.used, plan.judge, plan.group) if name in place]
    distinct = {tuple([cells[place[name]] for name in taken]) for cells in rows}
    arms = {same(cells[place[name]]) for cells in rows for name in plan.used[:2]}
    special, plain, repeated = [], [], []
    for at, name in enumerate(table.columns):
        values = [text for cells in rows if (text := cells[at].strip())]
        if name in used or not (name or values):
            continue
        option, what = _meaning(values, plan, arms, counted=len(distinct) == len(rows))
        if option == "group":
            repeated.append(name)
        if what:
            hint = f": --{option} {shlex.quote(shown(name))}" if option else ""
            special.append(f"{shown(name)!r} ({what}{hint})")
        else:
            plain.append(repr(shown(name)))
    columns = ", ".join([*special, *plain])
    return (f"not used: {columns}" if columns else ""), tuple(repeated)


def _meaning(values: Sequence[str], plan: Plan, arms: set[str], counted: bool) -> tuple[str, str]:
    """Return the option that uses a column with these values, and what they may be; empty if nothing that matters."""
    distinct = {*values}
    if not distinct:
        return "", ""
    numbers = [number_in(text) for text in values]
    whole = [number for number in numbers if number is not None and number >= 0 and number.is_integer()]
    if {FLAGS.get(text.casefold()) for text in distinct} == {0.0, 1.0}:
        return (
            ("tie", "true or false; if it says that a row is a tie") if plan.kind != "counts" else ("", "true or false")
        )
    if len(whole) == len(values):
        rising = {after - before for before, after in zip(whole, whole[1:], strict=False)} == {1.0}
        if plan.kind == "counts":
            return "tie", "numbers; if they count ties"
        if plan.weight is None and counted and not rising and 1 < max(whole) < 1e7:
            return "weight", "whole numbers; if they are numbers of votes"
    if plan.kind == "outcome" and {*map(word, distinct)} <= {*plan.words, *_SIDES}:
        return "winner", "outcomes"
    if {*map(same, distinct)} <= arms:
        return "winner" if plan.kind == "outcome" else "", "names of arms"
    if plan.group is None and plan.kind != "counts" and 2 * len(arms) <= len(distinct) <= len(values) / 2:
        return "group", "repeated; if its rows belong together"
    return "", ""


def may_be_winner(table: Table, plan: Plan, used: Sequence[str]) -> list[str]:
    """Return the columns that are not used, and whose first rows have only outcomes, as the column that is used."""
    rows = table.sample()
    usual = {key(name) for names in OPTIONAL.values() for name in names}
    known = {*plan.words, *(word(cells[at]) for cells in rows for at in map(table.columns.index, plan.used[:2]))}
    found = []
    for at, name in enumerate(table.columns):
        values = {word(cells[at]) for cells in rows} - {""}
        if name not in used and key(name) not in usual and values and values <= known:
            found.append(name)
    return found
