"""What is written above and below a table: what it shows, and what its marks mean. With mathtext, as titles are."""

from __future__ import annotations

import math
from collections.abc import Callable

from duelbench.analysis.difference import LEVEL
from duelbench.analysis.tables.table import Table
from duelbench.ranks import LEVEL as LEVEL_OF_RANKS
from duelbench.ranks import p_said

ALIKE = "†"
HEAVY = "‡"
NOTHING = "–"
RANK = "mean rank"

WHAT = {
    "regret": "cumulative {} regret",
    "right": "percent of runs that name a best arm ({})",
    "simple": "simple regret ({}) of the arm named",
    "votes": "votes, duels of different arms",
}
PROPER = {"copeland", "condorcet", "borda"}
"""Kinds of regret that are somebody's."""


def title(table: Table, number: Callable[[int], str]) -> str:
    """Return what the table shows; ``number`` writes one of rounds."""
    asked = table.asked
    said = WHAT[asked.show].format(asked.kind.capitalize() if asked.kind in PROPER else asked.kind)
    where = [f" on {next(iter(table.datasets.values()))}"] if len(table.datasets) == 1 else []
    where += [f" at {at(table, asked.rounds[0], number)}"] if len(asked.rounds) == 1 else []
    error = "mean" if all(math.isnan(cell.error) for cell in table.cells) else "mean ± standard error"
    if asked.show == "right":
        error = "Wilson's 95 % interval in brackets"
    return f"{said[0].upper()}{said[1:]}{''.join(where)}: {error}, {_runs(table)}."


def at(table: Table, t: int, number: Callable[[int], str]) -> str:
    """Say at which round, or after how many votes."""
    return f"{number(t)} votes" if table.counted == "votes" else f"$t$ = {number(t)}"


def notes(table: Table, transposed: bool) -> list[str]:
    """Return what the marks mean, in sentences."""
    line = "row" if transposed else "column"
    best = "most" if table.asked.sign < 0 else "least"
    said = []
    if len(table.algorithms) > 1:
        said.append(f"Bold: the {best} of its {line}.")
    if table.tested:
        test = "Fisher's exact test" if table.asked.show == "right" else "Welch's $t$"
        said.append(
            f"{ALIKE}: not significantly different from it by {test} between every two algorithms of the {line}, at "
            f"{100 * LEVEL:g} % for all of them together (Holm)."
        )
    elif len(table.algorithms) > 1:
        said.append("Nothing is tested: there is one run only, or the files of runs are not there.")
    if any(cell.heavy for cell in table.cells):
        said.append(f"{HEAVY}: one run, or a few, have much of the variance, so the error is itself not well known.")
    if any(cell is None for column in table.columns for cell in column.cells):
        said.append(f"{NOTHING}: no results.")
    if any(table.ranks.values()):
        said.append(_of_ranks(table))
    return said


def _runs(table: Table) -> str:
    counts = {cell.runs for cell in table.cells} or {0}
    if len(counts) > 1:
        return f"{min(counts):,} to {max(counts):,} runs"
    return f"{min(counts):,} run{'' if counts == {1} else 's'}"


def _of_ranks(table: Table) -> str:
    known = [each for each in table.ranks.values() if each is not None]
    over = f"Mean ranks over {known[0].datasets} datasets"
    if not known[0].enough:
        return f"{over}: too few datasets for a test."
    least = max(known, key=lambda each: each.p)
    if not least.differ:
        return f"{over}: no significant differences (Friedman {p_said(least.p)})."
    return (
        f"{over} differ from {least.critical:.2f} on (Nemenyi, {100 * LEVEL_OF_RANKS:g} %; Friedman "
        f"{p_said(least.p)}{', the largest' if len(known) > 1 else ''})."
    )
