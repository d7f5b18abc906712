"""``LEADERBOARD.md``: the board as tables, the assumptions of the algorithms, and remarks on the results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.difference import FEWEST
from duelbench.analysis.leaderboard.board import Board, Cell, Row, seconds
from duelbench.analysis.leaderboard.remarks import remarks
from duelbench.analysis.reproduction.estimates import number

INTRODUCTION = """\
# Leaderboard

`make leaderboard` plays the catalogue on the tables that come with duelbench, and then on
[preferences that change](#preferences-that-change), and writes this page. The specs are those in [configs](../configs)
whose names begin with `leaderboard`; parameters that they do not set have their defaults.
"""
HOW = """\
Numbers are the mean Copeland regret over runs ± its standard error, with the rank in brackets. **Bold**: the best, or
not significantly worse (Welch's t test between all pairs, Holm-corrected, 5 %). †: the table does not meet the
assumptions of the algorithm ([below](#assumptions-and-where-they-hold)), so it has no rank there. ·: not played. *Mean
rank* is over the tables where the algorithm has a rank, with their number in brackets; algorithms with a rank on less
than half of the tables follow the others, as their mean ranks are not comparable. *Times the best* is the regret as a
multiple of the best in its part, the geometric mean over these tables. *Time* is the median time of a run on one core.
"""
WHY_LEFT_OUT = {"naive": ", which needs arm 0 as a baseline"}
"""Reasons why algorithms are not on the page."""
CHANGES = """\
Dynamic Copeland regret: each duel is compared with the best arm of its round. In the sequences the best arm changes, or
its advantage vanishes; [the spec](../configs/leaderboard-changes.yaml) defines them. Algorithms for a known number of
changes are set to nine, whatever the true number is. No assumption of constant preferences holds here, so all
algorithms are ranked together; other marks are those of the tables above. *Italics*: algorithms that detect changes or
have a guarantee against an adversary.
"""
PARTS = (
    ("Minimise regret", ""),
    (
        "Identify a winner, then play it",
        "These algorithms explore until they have identified a winner with a given confidence, and play it from then "
        "on, so they are ranked separately. If the winner is wrong, every later duel costs regret: a few such runs "
        "then dominate the mean, and the standard error is large.\n",
    ),
)


def page(board: Board, picture: str | None = None) -> str:
    """Return the page in Markdown; ``picture`` is the relative path of the figure, if there is one."""
    figure = [f"![The leaderboard as a figure]({picture})\n"] if picture else []
    lines = [INTRODUCTION, _size(board), *figure, *_standing_out(board), _how(board)]
    for last, (title, text) in zip((False, True), PARTS, strict=True):
        if rows := board.contest(last):
            lines += [f"## {title}\n", *([text] if text else []), *_table(board, rows)]
    lines += ["## Assumptions, and where they hold\n", *_assumed(board)]
    if board.left_out:
        lines += [f"Not played: {_left_out(board)}.\n"]
    return "\n".join(lines)


def section_of_changes(board: Board, picture: str | None = None) -> str:
    """Return the section on preferences that change in Markdown; ``picture`` as in ``page``."""
    figure = [f"![Preferences that change as a figure]({picture})\n"] if picture else []
    lines = ["## Preferences that change\n", _size(board), *figure, CHANGES, *_standing_out(board, "###")]
    return "\n".join([*lines, *_table(board, board.rows)])


def _how(board: Board) -> str:
    few = any(cell.runs < FEWEST for row in board.rows for cell in row.cells.values())
    return HOW + f"There are no tests of means of fewer than {FEWEST} runs.\n" * few


def _size(board: Board) -> str:
    return (
        f"{len(board.rows)} algorithms, {len(board.tables)} {'sequences' if board.changing else 'tables'}, "
        f"{board.runs} runs of {board.horizon:,} duels each; {board.core_seconds:,.0f} core-seconds.\n"
    )


def _left_out(board: Board) -> str:
    """Return which algorithms were not played, and why."""
    ordering = [name for name in board.left_out if catalogue()[name].finds_order]
    others = [name for name in board.left_out if name not in ordering]
    found = [f"{', '.join(f'`{name}`' for name in ordering)}, which look for an order of the arms"] if ordering else []
    return "; ".join([*found, *(f"`{name}`{WHY_LEFT_OUT.get(name, '')}" for name in others)])


def _standing_out(board: Board, level: str = "##") -> list[str]:
    found = remarks(board)
    return [f"{level} What stands out\n", *(f"* {each}" for each in found), ""] if found else []


def _table(board: Board, rows: Sequence[Row]) -> list[str]:
    names = [*board.tables.values()]
    lines = [
        f"| algorithm | mean rank | times the best | time | {' | '.join(names)} |",
        "|---" * (4 + len(names)) + "|",
    ]
    few = {row.name for row in rows if 2 * len(row.ranked) < len(names)}
    for row in sorted(rows, key=lambda row: (row.name in few, math.isnan(row.mean_rank), row.mean_rank, row.title)):
        rank = f"{row.mean_rank:.1f} ({len(row.ranked)})" if row.ranked else "–"
        times = number(row.times) if row.ranked else "–"
        cells = " | ".join(_cell(row.cells.get(label)) for label in board.tables)
        title = f"*{row.title}*" if board.changing and row.group == 0 else row.title
        lines.append(f"| {title} (`{row.name}`) | {rank} | {times} | {seconds(row.seconds)} | {cells} |")
    return [*lines, ""]


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "·"
    mean = f"**{number(cell.mean)}**" if cell.best else number(cell.mean)
    place = "†" if cell.rank is None else f"({cell.rank})"
    return f"{mean} ± {number(cell.sem)} {place}"


def _assumed(board: Board) -> list[str]:
    lines = ["| algorithm | assumes | holds on | does not hold on |", "|---|---|---|---|"]
    names = {label: title.partition(", K = ")[0].replace(",", "") for label, title in board.tables.items()}
    for row in board.rows:
        reasons: dict[str, list[str]] = {}
        for label, cell in row.cells.items():
            if cell.unmet:
                reasons.setdefault(", ".join(cell.unmet), []).append(names[label])
        without = "; ".join(f"{', '.join(tables)}: {reason}" for reason, tables in reasons.items())
        absent = [names[label] for label in board.tables if label not in row.cells]
        if absent:
            without += f"{'; ' if without else ''}not played on {', '.join(absent)}"
        met = ", ".join(names[label] for label in row.ranked)
        lines.append(f"| {row.title} | {row.assumes} | {met or 'none'} | {without or 'none'} |")
    return [
        "Assumptions are checked on the matrix ([assumptions.py](../duelbench/preferences/assumptions.py)), with the "
        "parameters of the algorithm if an assumption refers to them. The last column gives those that fail.\n",
        *lines,
        "",
    ]
