"""The layout of a table for all formats: title, notes, and cells of text with rounded numbers.

Algorithms are down and datasets across, or transposed. Errors have two significant digits, and numbers end at the same
place.
"""

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from duelbench.analysis.difference import FEWEST, LEVEL
from duelbench.analysis.tables.contents import Cell, Table
from duelbench.markup import UNMET
from duelbench.ranks import LEVEL as LEVEL_OF_RANKS
from duelbench.ranks import p_said
from duelbench.spec.values import goal_met


class Head(NamedTuple):
    """The heading of a column or a line: a title, and perhaps a round below it."""

    title: str
    below: str = ""

    @property
    def text(self) -> str:
        """The heading in one line."""
        return ", ".join(filter(None, self))


class Entry(NamedTuple):
    """The numbers of a cell, without thousands separators: the ``value``, and its ``error`` or interval, if any.

    ``marks``: the signs behind it.
    """

    value: str
    error: str = ""
    interval: tuple[str, str] | None = None
    best: bool = False
    marks: tuple[str, ...] = ()


class Grid(NamedTuple):
    """The texts of a table, which may have mathtext.

    ``corner``: the heading above the headings of lines. ``entries``: by line and column, None for empty cells.
    ``ranks``: the number of columns, or lines, at the end that are mean ranks.
    """

    title: str
    notes: list[str]
    corner: Head
    across: list[Head]
    down: list[Head]
    entries: list[list[Entry | None]]
    ranks: int
    transposed: bool


def lay_out(table: Table, number: Callable[[int], str], transposed: bool = False) -> Grid:
    """Return the layout of a table; ``number`` formats a number of rounds."""
    rounds, datasets = table.request.rounds, table.datasets
    several = len(rounds) > 1
    transposed = transposed and table.request.show != "better"
    heads = []
    for column in table.columns:
        parts = [datasets[column.dataset]] if column.dataset and len(datasets) > 1 else []
        parts += [table.algorithms.get(column.of, column.of)] if column.of else []
        parts += [_at(table, column.t, number)] if several else []
        first, *rest = parts or [datasets[column.dataset]]
        heads.append(Head(first, ", ".join(rest)))
    columns = [[_entry(cell) for cell in column.cells] for column in table.columns]
    ranks = {t: each for t, each in table.ranks.items() if each is not None}
    for t, each in ranks.items():
        heads.append(Head(_RANK, _at(table, t, number) if several else ""))
        best = each.mean.min()
        columns.append([Entry(f"{rank:.2f}", best=bool(rank == best)) for rank in each.mean])
    algorithms = [Head(name) for name in table.algorithms.values()]
    lines = [list(line) for line in zip(*columns, strict=True)]
    across, down, entries = (algorithms, heads, columns) if transposed else (heads, algorithms, lines)
    corner = Head("dataset" if len(datasets) > 1 else "") if transposed else Head("algorithm")
    return Grid(title(table, number), notes(table, transposed), corner, across, down, entries, len(ranks), transposed)


def _entry(cell: Cell | None) -> Entry | None:
    if cell is None:
        return None
    signs = ((ALIKE, cell.alike), (UNCERTAIN, cell.uncertain), (UNMET, bool(cell.unmet)))
    marks = tuple(sign for sign, there in signs if there)
    if cell.interval is not None:
        low, high = (100 * end for end in cell.interval)
        value, *ends = to_the_error(100 * cell.value, low, high, error=(high - low) / 2)
        return Entry(value, "", (ends[0], ends[1]), cell.best, marks)
    spread = 0.0 if cell.error < _ROUNDING * abs(cell.value) else cell.error
    value, *error = to_the_error(cell.value, *([] if spread != spread else [spread]), error=spread)
    return Entry(value, error[0] if error else "", None, cell.best, marks)


ALIKE = "†"
UNCERTAIN = "‡"
"""The signs have the same meanings in all tables."""
NOTHING = "–"
WHY_UNCERTAIN = (
    "the error is uncertain, as a few runs have much of the variance, or it is more than a third of the mean"
)
_RANK = "mean rank"

_WHAT = {
    "regret": "cumulative {} regret",
    "right": "percent of runs that {}",
    "simple": "simple regret ({}) of the arm named",
    "tau": "Kendall tau distance of the order",
    "votes": "votes (duels of different arms)",
    "tail": "tail of the cumulative {} regret",
    "better": "percent of pairs of runs in which the algorithm of the row has less {} regret than that of the column",
}
_FEW_FOR_TAILS = 500
_PROPER = {"copeland", "condorcet", "borda"}
"""Kinds of regret with the name of a person."""


def title(table: Table, number: Callable[[int], str]) -> str:
    """Return the title of the table; ``number`` formats a number of rounds."""
    request = table.request
    kind = request.kind.capitalize() if request.kind in _PROPER else request.kind
    what = _WHAT[request.show].format(goal_met(table.find, kind) if request.show == "right" else kind)
    where = [f" on {next(iter(table.datasets.values()))}"] if len(table.datasets) == 1 else []
    where += [f" at {_at(table, request.rounds[0], number)}"] if len(request.rounds) == 1 else []
    error = "mean" if all(math.isnan(cell.error) for cell in table.cells) else "mean ± standard error"
    if request.show == "right":
        error = "Wilson's 95 % interval in brackets"
    if request.show == "tail":
        error = "bootstrap standard errors"
    if request.show == "better":
        over = f"mean over {len(table.datasets)} datasets, " if len(table.datasets) > 1 else ""
        error = f"{over}95 % interval of the bootstrap in brackets"
    return f"{what[0].upper()}{what[1:]}{''.join(where)}: {error}, {_runs(table)}."


def _at(table: Table, t: int, number: Callable[[int], str]) -> str:
    """Return the round, or the number of votes, as text."""
    return f"{number(t)} votes" if table.counted == "votes" else f"$t$ = {number(t)}"


def notes(table: Table, transposed: bool) -> list[str]:
    """Return sentences that explain the marks."""
    line = "row" if transposed else "column"
    best = "largest" if table.request.sign < 0 else "smallest"
    sentences = []
    if table.request.show == "better":
        sentences.append("Bold: significantly more than half. Equal regrets count half.")
    elif len(table.algorithms) > 1:
        sentences.append(f"Bold: the {best} in its {line}.")
    if table.tested:
        test = "Fisher's exact test" if table.request.show == "right" else "Welch's $t$ test"
        marked = table.untested or any(cell.alike for cell in table.cells)
        sentences.append(
            f"{f'{ALIKE}: not significantly different' if marked else 'All others differ significantly'} from it "
            f"({test} between all pairs of algorithms in the {line}, Holm-corrected, {100 * LEVEL:g} %)."
        )
    if table.request.show == "tail":
        sentences.append("Shortfall: mean of the worst 5 % of the runs.")
        if any(cell.runs < _FEW_FOR_TAILS for cell in table.cells):
            sentences.append(
                f"With fewer than {_FEW_FOR_TAILS} runs, fewer than five are beyond the 99 % quantile, so its error is "
                "uncertain."
            )
    elif table.request.show != "better" and (untested := table.untested):
        sentences.append(
            f"No tests of means of fewer than {FEWEST} runs, whose differences are never called significant."
            if min(untested) < FEWEST
            else "No tests: the files of the runs are missing."
        )
    if any(cell.uncertain for cell in table.cells):
        sentences.append(f"{UNCERTAIN}: {WHY_UNCERTAIN}.")
    if table.unmet:
        unmet = (re.sub("^the first", "The first", each) for each in table.unmet)
        sentences.append(f"{UNMET}: {'. '.join(unmet)}.")
    if any(
        cell is None and label != column.of
        for column in table.columns
        for label, cell in zip(table.algorithms, column.cells, strict=True)
    ):
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


_ROUNDING = 1e-12
"""The error of a bootstrap of equal numbers is smaller than this share of them, and not always 0."""
_DIGITS = 2
_WITHOUT_ERROR = 4
"""Significant digits of a number whose error is unknown."""


def to_the_error(*numbers: float, error: float) -> list[str]:
    """Return numbers as decimals without exponents, rounded according to their ``error``.

    The error itself may be among them. If it is 0, numbers are written in full; if it is NaN, to four digits.
    """
    if error == 0:
        return [f"{Decimal(repr(number)):f}".removesuffix(".0") for number in numbers]
    if math.isnan(error):
        return [_rounded(number, _place(number, _WITHOUT_ERROR)) for number in numbers]
    return [_rounded(number, _place(error, _DIGITS)) for number in numbers]


def _place(number: float, digits: int) -> int:
    """Return the power of ten of the last digit of a number that is rounded to ``digits`` significant digits."""
    return int(f"{number:.{digits - 1}e}".partition("e")[2]) - digits + 1


def _rounded(number: float, place: int) -> str:
    text = f"{Decimal(repr(number)).quantize(Decimal(1).scaleb(place)):f}"
    return text.removeprefix("-") if float(text) == 0 else text


def grouped(number: str, separator: str) -> str:
    """Return a decimal number with a thousands separator before the point."""
    sign = "-" if number.startswith("-") else ""
    whole, point, rest = number.removeprefix("-").partition(".")
    return sign + f"{int(whole):,}".replace(",", separator) + point + rest
