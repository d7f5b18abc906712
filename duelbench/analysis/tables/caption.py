"""The title above a table and the notes below it, which explain its marks. Both may have mathtext."""

from __future__ import annotations

import math
from collections.abc import Callable

from duelbench.analysis.difference import FEWEST, LEVEL
from duelbench.analysis.tables.table import Table
from duelbench.ranks import LEVEL as LEVEL_OF_RANKS
from duelbench.ranks import p_said
from duelbench.spec.values import goal_met

ALIKE = "†"
HEAVY = "‡"
NOTHING = "–"
RANK = "mean rank"

WHAT = {
    "regret": "cumulative {} regret",
    "right": "percent of runs that {}",
    "simple": "simple regret ({}) of the arm named",
    "tau": "Kendall tau distance of the order",
    "votes": "votes (duels of different arms)",
}
PROPER = {"copeland", "condorcet", "borda"}
"""Kinds of regret with the name of a person."""


def title(table: Table, number: Callable[[int], str]) -> str:
    """Return the title of the table; ``number`` formats a number of rounds."""
    asked = table.asked
    kind = asked.kind.capitalize() if asked.kind in PROPER else asked.kind
    what = WHAT[asked.show].format(goal_met(table.find, kind) if asked.show == "right" else kind)
    where = [f" on {next(iter(table.datasets.values()))}"] if len(table.datasets) == 1 else []
    where += [f" at {at(table, asked.rounds[0], number)}"] if len(asked.rounds) == 1 else []
    error = "mean" if all(math.isnan(cell.error) for cell in table.cells) else "mean ± standard error"
    if asked.show == "right":
        error = "Wilson's 95 % interval in brackets"
    return f"{what[0].upper()}{what[1:]}{''.join(where)}: {error}, {_runs(table)}."


def at(table: Table, t: int, number: Callable[[int], str]) -> str:
    """Return the round, or the number of votes, as text."""
    return f"{number(t)} votes" if table.counted == "votes" else f"$t$ = {number(t)}"


def notes(table: Table, transposed: bool) -> list[str]:
    """Return sentences that explain the marks."""
    line = "row" if transposed else "column"
    best = "largest" if table.asked.sign < 0 else "smallest"
    sentences = []
    if len(table.algorithms) > 1:
        sentences.append(f"Bold: the {best} in its {line}.")
    if table.tested:
        test = "Fisher's exact test" if table.asked.show == "right" else "Welch's $t$ test"
        sentences.append(
            f"{ALIKE}: not significantly different from it ({test} between all pairs of algorithms in the {line}, "
            f"Holm-corrected, {100 * LEVEL:g} %)."
        )
    if any(runs < FEWEST for runs in table.untested):
        sentences.append(
            f"No tests of means of fewer than {FEWEST} runs, whose differences are never called significant."
        )
    elif table.untested:
        sentences.append("No tests: the files of the runs are missing.")
    if any(cell.heavy for cell in table.cells):
        sentences.append(f"{HEAVY}: heavy tails: a few runs have much of the variance, so the error is uncertain.")
    if any(cell is None for column in table.columns for cell in column.cells):
        sentences.append(f"{NOTHING}: no results.")
    if any(table.ranks.values()):
        sentences.append(_of_ranks(table))
    return sentences


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
        f"{over}: differences of at least {least.critical:.2f} are significant (Nemenyi, {100 * LEVEL_OF_RANKS:g} %; "
        f"Friedman {p_said(least.p)}{', the largest' if len(known) > 1 else ''})."
    )
