"""``LEADERBOARD.md``: the board as tables, the assumptions of the algorithms, and remarks computed from the results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.board import Board, Cell, Row, geometric_mean, seconds
from duelbench.analysis.difference import FEWEST
from duelbench.analysis.tables.grid import ALIKE, UNCERTAIN, UNMET
from duelbench.markup import markdown_table, number
from duelbench.sources.published_matrices import TABLES

_INTRODUCTION = """\
# Leaderboard

`make leaderboard` plays the catalogue on the tables that come with duelbench, and then on
[preferences that change](#preferences-that-change), and writes this page. The specs are those in [configs](../configs)
whose names begin with `leaderboard`; parameters that they do not set have their defaults.
"""
_HOW = """\
Numbers are the mean Copeland regret over runs ± its standard error, with the rank in brackets. **Bold**: the best. †:
not significantly worse (Welch's t test between all pairs, Holm-corrected, 5 %). ‡: the error is uncertain, as a few
runs have much of the variance, or it is more than a third of the mean; such a number is neither bold nor has it a †.
§: the table does not meet the assumptions of the algorithm ([below](#assumptions-and-where-they-hold)), so it has no
rank there. ·: not played. *Mean rank* is over the tables where the algorithm has a rank, with their number in
brackets; algorithms with a rank on less than half of the tables follow the others, as their mean ranks are not
comparable. *Times the best* is the regret as a multiple of the best in its part, the geometric mean over these tables.
*Time* is the median time of a run on one core.
"""
_WHY_LEFT_OUT = {"naive": ", which needs arm 0 as a baseline"}
"""Reasons why algorithms are not on the page."""
_CHANGES = """\
Dynamic Copeland regret: each duel is compared with the best arm of its round. In the sequences the best arm changes, or
its advantage vanishes; [the spec](../configs/leaderboard-changes.yaml) defines them. Algorithms for a known number of
changes are set to nine, whatever the true number is. No assumption of constant preferences holds here, so all
algorithms are ranked together; other marks are those of the tables above. *Italics*: algorithms that detect changes or
have a guarantee against an adversary.
"""
_PARTS = (
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
    lines = [_INTRODUCTION, *_advice(board), _size(board), *figure, _how(board)]
    for last, (title, text) in zip((False, True), _PARTS, strict=True):
        if rows := board.contest(last):
            lines += [f"## {title}\n", *([text] if text else []), *_table(board, rows)]
    lines += _listed("## What stands out", remarks(board))
    lines += ["## Assumptions, and where they hold\n", *_assumed(board)]
    if board.left_out:
        lines += [f"Not played: {_left_out(board)}.\n"]
    return "\n".join(lines)


def section_of_changes(board: Board, picture: str | None = None) -> str:
    """Return the section on preferences that change in Markdown; ``picture`` as in ``page``."""
    figure = [f"![Preferences that change as a figure]({picture})\n"] if picture else []
    lines = ["## Preferences that change\n", _size(board), *figure, _CHANGES]
    return "\n".join([*lines, *_listed("### What stands out", remarks(board)), *_table(board, board.rows)])


def _how(board: Board) -> str:
    few = any(cell.runs < FEWEST for row in board.rows for cell in row.cells.values())
    return _HOW + f"There are no tests of means of fewer than {FEWEST} runs.\n" * few


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
    return "; ".join([*found, *(f"`{name}`{_WHY_LEFT_OUT.get(name, '')}" for name in others)])


def _advice(board: Board) -> list[str]:
    """Return the section that answers what to use, and what to compare with."""
    others = [label for label in board.tables if label not in board.with_winner]
    leaders = [
        *_leaders(board, [*board.with_winner], "If one arm beats every other", "with a Condorcet winner"),
        *_leaders(board, others, "If possibly none does", "without one"),
    ]
    classics = [row for row in board.rows if row.name in _CLASSICS and row.ranked]
    if not leaders:
        return []
    named = ", ".join(f"{row.title} ({number(row.times)} times the best)" for row in classics)
    baselines = f", and with the baselines of most papers: {named}" if classics else ""
    return _listed(
        "## What to use, and what to compare with",
        [
            *leaders,
            *_often_best(board),
            *_leaders_that_fall_back(board),
            f"**Compare a new algorithm** with the first of these on tables of both kinds{baselines}.",
            "For the best arm with few votes, or the order of all arms, see [what to use](README.md#what-to-use); "
            "preferences that change have [a ranking of their own](#preferences-that-change).",
        ],
    )


def _listed(title: str, sentences: Sequence[str]) -> list[str]:
    """Return a section with a list, or nothing without sentences."""
    return [f"{title}\n", *(f"* {each}" for each in sentences), ""] if sentences else []


def _table(board: Board, rows: Sequence[Row]) -> list[str]:
    names = [*board.tables.values()]
    lines = []
    few = {row.name for row in rows if 2 * len(row.ranked) < len(names)}
    for row in sorted(rows, key=lambda row: (row.name in few, math.isnan(row.mean_rank), row.mean_rank, row.title)):
        rank = f"{row.mean_rank:.1f} ({len(row.ranked)})" if row.ranked else "–"
        times = number(row.times) if row.ranked else "–"
        cells = [_cell(row.cells.get(label)) for label in board.tables]
        title = f"*{row.title}*" if board.changing and row.group == 0 else row.title
        lines.append([f"{title} (`{row.name}`)", rank, times, seconds(row.seconds), *cells])
    return [*markdown_table(["algorithm", "mean rank", "times the best", "time", *names], lines), ""]


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "·"
    first = cell.rank == 1
    mean = f"**{number(cell.mean)}**" if cell.best and first else number(cell.mean)
    place = UNMET if cell.rank is None else f"({cell.rank})"
    marks = ALIKE * (cell.best and not first) + UNCERTAIN * cell.uncertain
    return f"{mean} ± {number(cell.sem)} {place}{marks and f' {marks}'}"


def _assumed(board: Board) -> list[str]:
    lines = []
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
        lines.append([row.title, row.assumes, met or "none", without or "none"])
    return [
        "Assumptions are checked on the matrix ([assumptions.py](../duelbench/preferences/assumptions.py)), with the "
        "parameters of the algorithm if an assumption refers to them. The last column gives those that fail.\n",
        *markdown_table(["algorithm", "assumes", "holds on", "does not hold on"], lines),
        "",
    ]


_FIRST = 5
"""The number of leaders that are named."""
_CLASSICS = ("rucb", "ccb")
"""The baselines of most papers."""
_FAR = 10
"""A leader with more than this multiple of the best regret on a table is reported as far behind."""
_SKEWED = 10
"""A mean of more than this multiple of the median is reported as dominated by a few runs."""


_WHY = {
    "SCB": "SCB exploits once it has ordered the arms: if two arms tie, it duels them to the end "
    "(`duelbench trace results/leaderboard six-rankers/scb 0`).",
}
"""Explanations, by the title of an algorithm."""


class _Stated(NamedTuple):
    """A statement of a paper: one algorithm has less regret than another.

    ``with_winner``: on tables with a Condorcet winner (True), without one (False), or on all (None).
    """

    better: str
    worse: str
    with_winner: bool | None
    paper: str


_STATED = (
    _Stated("d-ts", "rcs", True, "Wu & Liu 2016"),
    _Stated("d-ts", "rucb", True, "Wu & Liu 2016"),
    _Stated("d-ts+", "ccb", None, "Wu & Liu 2016"),
    _Stated("rmed1", "rucb", True, "Komiyama et al. 2015"),
    _Stated("ecw-rmed", "ccb", None, "Komiyama et al. 2016"),
    _Stated("ecw-rmed", "scb", None, "Komiyama et al. 2016"),
    _Stated("ccb", "scb", False, "Zoghi et al. 2015, for few arms"),
)


def remarks(board: Board) -> list[str]:
    """Return sentences about the board, in Markdown."""
    if board.changing:
        leaders = _leaders(board, [*board.tables], "Least regret", "that change")
        return [*leaders, *_often_best(board), *_as_bad_as_random(board)]
    return [
        *(line for stated in _STATED for line in _comparison(board, stated)),
        *_as_bad_as_random(board),
        *_still_exploring(board),
        *_few_runs(board),
    ]


def _leaders(board: Board, labels: Sequence[str], when: str, which: str) -> list[str]:
    """Name the algorithms with the least regret on these tables, among those with a rank on most of them."""
    times = {
        row.title: geometric_mean([row.cells[label].times for label in there])
        for row in board.contest(last=False)
        if len(there := [label for label in labels if label in row.ranked]) * 2 > len(labels)
    }
    if not times:
        return []
    kind = ("sequence" if board.changing else "table") + "s" * (len(labels) > 1)
    first = sorted(times, key=lambda title: times[title])[:_FIRST]
    leaders = ", ".join(f"{title} ({number(times[title])})" for title in first)
    return [
        f"**{when}**: {leaders}; in brackets, the regret as a multiple of the best, the geometric mean over the "
        f"{len(labels)} {kind} {which}."
    ]


def _often_best(board: Board) -> list[str]:
    rows = board.contest(last=False)
    counts = {row.title: (sum(cell.best for cell in row.cells.values()), len(row.ranked)) for row in rows}
    often = sorted((title for title in counts if counts[title][0] > 1), key=lambda title: -counts[title][0])
    if not often:
        return []
    named = ", ".join(f"{title} on {counts[title][0]} of {counts[title][1]}" for title in often)
    where = "sequences" if board.changing else "tables where they have a rank"
    return [f"The best, or not significantly worse, on several of the {where}: {named}."]


def _comparison(board: Board, stated: _Stated) -> list[str]:
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
    """Name the tables on which algorithms with the best mean ranks are far behind the best."""
    often = [row for row in board.contest(last=False) if len(row.ranked) * 2 > len(board.tables)]
    near = [row for row in often if min(row.cells[label].times for label in row.ranked) <= _FAR]
    first = sorted(near, key=lambda row: row.mean_rank)[:_FIRST]
    far = {
        label: [(row, row.cells[label].times) for row in first if label in row.ranked and row.cells[label].times > _FAR]
        for label in board.tables
    }
    return [
        f"On {board.tables[label]} algorithms that lead elsewhere are far behind: "
        f"{', '.join(f'{row.title} has {times:.0f} times the best regret' for row, times in behind)}. "
        f"({TABLES[label].note})"
        for label, behind in far.items()
        if behind
    ]


def _as_bad_as_random(board: Board) -> list[str]:
    """Name the algorithms that have at least as much regret as duels of random arms."""
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
    if met := named(board.rows, ranked=True):
        although = "" if board.changing else ", although their assumptions hold"
        lines.append(f"No better than duels of random arms{although}: {met}.")
    if unmet := named(board.rows, ranked=False):
        lines.append(f"No better than duels of random arms, where their assumptions do not hold: {unmet}.")
        lines[-1] += "".join(f" {why}" for name, why in _WHY.items() if f"{name} on" in unmet)
    return lines


def _still_exploring(board: Board) -> list[str]:
    """Name the algorithms that explore to the end although their assumptions hold, because gaps are small."""
    found = {
        row.title: [board.tables[label] for label in row.ranked if row.cells[label].declared < 0.5]
        for row in board.rows
    }
    exploring = "; ".join(f"{title} on {', '.join(tables)}" for title, tables in found.items() if tables)
    if not exploring:
        return []
    return [
        "Still exploring at the end in more than half of the runs, although their assumptions hold: "
        f"{exploring}. Their regret grows linearly: the gaps there are too small to be resolved within the horizon."
    ]


def _few_runs(board: Board) -> list[str]:
    """Report how often a few expensive runs dominate a mean."""
    cells = [
        (row.title, cell)
        for row in board.rows
        if row.identifies
        for cell in row.cells.values()
        if cell.rank is not None
    ]
    skewed = [title for title, cell in cells if cell.mean > _SKEWED * cell.median]
    if not skewed:
        return []
    titles = ", ".join(dict.fromkeys(skewed))
    return [
        "For algorithms that identify a winner, a few expensive runs may dominate the mean: it is more than "
        f"{_SKEWED} times the median in {len(skewed)} of {len(cells)} cells with a rank ({titles}). The median is the "
        "cost of a typical run; the mean includes the cost of a wrong winner, which occurs with the probability that "
        "was allowed and then counts for the rest of the ten million duels."
    ]
