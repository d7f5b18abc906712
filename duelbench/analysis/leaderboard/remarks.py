"""What stands out on the board, computed from it: who leads, what papers state, and numbers that may surprise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from duelbench.analysis.leaderboard.board import GROUPS, Board, Row, geometric_mean
from duelbench.analysis.reproduction.estimates import number
from duelbench.sources.tables import TABLES

FIRST = 5
"""How many leaders are named."""
FAR = 10
"""Who has more than so many times the least regret on a table is said to fall back."""
SKEWED = 10
"""A mean is said to be that of few runs where it is so many times the median."""


WHY = {
    "SCB": "SCB exploits when it has ordered the arms: where two tie it duels these to the end "
    "(`duelbench trace results/leaderboard six-rankers/scb 0`).",
}
"""Explanations, by the title of an algorithm."""


class Stated(NamedTuple):
    """A paper, and which of two algorithms has less regret by it; among what tables: those with a Condorcet winner?"""

    better: str
    worse: str
    with_winner: bool | None
    paper: str


STATED = (
    Stated("d-ts", "rcs", True, "Wu & Liu 2016"),
    Stated("d-ts", "rucb", True, "Wu & Liu 2016"),
    Stated("d-ts+", "ccb", None, "Wu & Liu 2016"),
    Stated("rmed1", "rucb", True, "Komiyama et al. 2015"),
    Stated("ecw-rmed", "ccb", None, "Komiyama et al. 2016"),
    Stated("ecw-rmed", "scb", None, "Komiyama et al. 2016"),
    Stated("ccb", "scb", False, "Zoghi et al. 2015, where arms are few"),
)


def remarks(board: Board) -> list[str]:
    """Return sentences about the board, in Markdown."""
    others = [label for label in board.tables if label not in board.with_winner]
    return [
        *_leaders(board, [*board.with_winner], "with a Condorcet winner"),
        *_leaders(board, others, "without one"),
        *_often_best(board),
        *(line for stated in STATED for line in _comparison(board, stated)),
        *_leaders_that_fall_back(board),
        *_as_bad_as_random(board),
        *_still_exploring(board),
        *_few_runs(board),
    ]


def _leaders(board: Board, labels: Sequence[str], what: str) -> list[str]:
    """Say who has least regret on these tables, of those that have a rank on most of them."""
    times = {
        row.title: geometric_mean([row.cells[label].times for label in there])
        for row in board.contest(last=False)
        if len(there := [label for label in labels if label in row.ranked]) * 2 > len(labels)
    }
    if not times:
        return []
    first = sorted(times, key=lambda title: times[title])[:FIRST]
    said = ", ".join(f"{title} {number(times[title])}" for title in first)
    return [
        f"**On the {len(labels)} tables {what}** these have least regret, in units of the least, as a geometric mean: "
        f"{said}."
    ]


def _often_best(board: Board) -> list[str]:
    rows = board.contest(last=False)
    counts = {row.title: (sum(cell.best for cell in row.cells.values()), len(row.ranked)) for row in rows}
    often = sorted((title for title in counts if counts[title][0] > 1), key=lambda title: -counts[title][0])
    if not often:
        return []
    said = ", ".join(f"{title} on {counts[title][0]} of {counts[title][1]}" for title in often)
    return [f"The best, or not significantly worse, on several of the tables where they have a rank: {said}."]


def _comparison(board: Board, stated: Stated) -> list[str]:
    rows = {row.name: row for row in board.rows}
    if not {stated.better, stated.worse} <= rows.keys():
        return []
    better, worse = rows[stated.better], rows[stated.worse]
    tables = [
        label
        for label in board.tables
        if label in better.ranked and label in worse.ranked and stated.with_winner in (None, label in board.with_winner)
    ]
    if not tables:
        return []
    fails = [label for label in tables if better.cells[label].mean >= worse.cells[label].mean]
    which = {None: "", True: " with a Condorcet winner", False: " without a Condorcet winner"}[stated.with_winner]
    means = {label: (number(better.cells[label].mean), number(worse.cells[label].mean)) for label in fails}
    numbers = (f"{board.tables[label]}: {one} and {other}" for label, (one, other) in means.items())
    but = f", but not on {'; '.join(numbers)}" if fails else ""
    return [
        f"{better.title} has less regret than {worse.title} on {len(tables) - len(fails)} of {len(tables)} "
        f"tables{which} ({stated.paper}){but}."
    ]


def _leaders_that_fall_back(board: Board) -> list[str]:
    """Name the tables on which those with the best mean ranks are far from the best."""
    often = [row for row in board.contest(last=False) if len(row.ranked) * 2 > len(board.tables)]
    first = sorted(often, key=lambda row: row.mean_rank)[:FIRST]
    far = {
        label: [(row, row.cells[label].times) for row in first if label in row.ranked and row.cells[label].times > FAR]
        for label in board.tables
    }
    return [
        f"{board.tables[label]} is where those who lead elsewhere do not: "
        f"{', '.join(f'{row.title} has {times:.0f} times the least regret' for row, times in behind)}. "
        f"({TABLES[label].note})"
        for label, behind in far.items()
        if behind
    ]


def _as_bad_as_random(board: Board) -> list[str]:
    """Name what has no less regret than duels at random."""
    random = next((row for row in board.rows if row.name == "uniform"), None)
    if random is None:
        return []

    def named(rows: Iterable[Row], ranked: bool) -> str:
        found = {
            row.title: [
                board.tables[label]
                for label, cell in row.cells.items()
                if (cell.rank is not None) is ranked and cell.mean >= random.cells[label].mean
            ]
            for row in rows
            if row is not random
        }
        return "; ".join(f"{title} on {', '.join(tables)}" for title, tables in found.items() if tables)

    lines = []
    if kept := named(board.rows, ranked=True):
        lines.append(f"As bad as duels of random arms, or worse, although what they assume holds: {kept}.")
    if broken := named(board.rows, ranked=False):
        lines.append(f"As bad as duels of random arms, or worse, where what they assume does not hold: {broken}.")
        lines[-1] += "".join(f" {why}" for name, why in WHY.items() if f"{name} on" in broken)
    return lines


def _still_exploring(board: Board) -> list[str]:
    """Name what explores to the end, although its assumptions hold: what they do not say is how clear a winner is."""
    found = {
        row.title: [board.tables[label] for label in row.ranked if row.cells[label].declared < 0.5]
        for row in board.rows
    }
    said = "; ".join(f"{title} on {', '.join(tables)}" for title, tables in found.items() if tables)
    if not said:
        return []
    return [
        f"Still exploring at the end, in more than half of the runs, although what they assume holds: {said}. Their "
        "regret grows in proportion to the duels: the gaps there are too small for them to be told in so many."
    ]


def _few_runs(board: Board) -> list[str]:
    """Say where a mean is that of few runs which cost much."""
    cells = [
        (row.title, cell)
        for row in board.rows
        if row.group == len(GROUPS) - 1
        for cell in row.cells.values()
        if cell.rank is not None
    ]
    skewed = [title for title, cell in cells if cell.mean > SKEWED * cell.median]
    if not skewed:
        return []
    titles = ", ".join(dict.fromkeys(skewed))
    return [
        f"Where a winner is named, a mean may be that of few runs which cost much: it is more than {SKEWED} times the "
        f"median in {len(skewed)} of {len(cells)} cells with a rank ({titles}). The median is what most runs cost; the "
        "mean has the price of being wrong with the probability that was allowed, in ten million duels."
    ]
