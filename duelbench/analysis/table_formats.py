"""A table as Markdown (for GitHub and pandoc), as LaTeX (for ``\\input`` in a paper), and as CSV (for programs).

All have the same layout: a title, notes, and cells of text with rounded numbers. Rows are algorithms and columns
datasets, or the reverse. Errors have two significant digits, and numbers end at the same place.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

from duelbench.analysis.difference import FEWEST, LEVEL
from duelbench.analysis.tables import Cell, Table
from duelbench.markup import UNMET, escaped, latex_row, latex_table, latex_text, markdown_table
from duelbench.ranks import LEVEL as LEVEL_OF_RANKS
from duelbench.ranks import p_said
from duelbench.spec.titles import plain, round_number
from duelbench.spec.values import goal_met


class Head(NamedTuple):
    """The heading of a column or a line: a title, and perhaps a round below it."""

    title: str
    below: str = ""

    @property
    def text(self) -> str:
        """The heading in one line."""
        return ", ".join(filter(None, self))


class CellText(NamedTuple):
    """The numbers of a cell, without thousands separators: the ``value``, and its ``error`` or interval, if any.

    ``marks``: the signs behind it.
    """

    value: str
    error: str = ""
    interval: tuple[str, str] | None = None
    best: bool = False
    marks: tuple[str, ...] = ()


class TableLayout(NamedTuple):
    """The texts of a table, which may have mathtext.

    ``corner``: the heading above the headings of lines. ``entries``: by line and column, None for empty cells.
    ``ranks``: the number of columns, or lines, at the end that are mean ranks.
    """

    title: str
    notes: list[str]
    corner: Head
    across: list[Head]
    down: list[Head]
    entries: list[list[CellText | None]]
    ranks: int
    transposed: bool


def lay_out(table: Table, number: Callable[[int], str], transposed: bool = False) -> TableLayout:
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
        columns.append([CellText(f"{rank:.2f}", best=bool(rank == best)) for rank in each.mean])
    algorithms = [Head(name) for name in table.algorithms.values()]
    lines = [list(line) for line in zip(*columns, strict=True)]
    across, down, entries = (algorithms, heads, columns) if transposed else (heads, algorithms, lines)
    corner = Head("dataset" if len(datasets) > 1 else "") if transposed else Head("algorithm")
    return TableLayout(
        title(table, number), notes(table, transposed), corner, across, down, entries, len(ranks), transposed
    )


def _entry(cell: Cell | None) -> CellText | None:
    if cell is None:
        return None
    signs = ((ALIKE, cell.alike), (UNCERTAIN, cell.uncertain), (UNMET, bool(cell.unmet)))
    marks = tuple(sign for sign, there in signs if there)
    if cell.interval is not None:
        low, high = (100 * end for end in cell.interval)
        value, *ends = to_the_error(100 * cell.value, low, high, error=(high - low) / 2)
        return CellText(value, "", (ends[0], ends[1]), cell.best, marks)
    spread = 0.0 if cell.error < _ROUNDING * abs(cell.value) else cell.error
    value, *error = to_the_error(cell.value, *([] if spread != spread else [spread]), error=spread)
    return CellText(value, error[0] if error else "", None, cell.best, marks)


ALIKE = "†"
UNCERTAIN = "‡"
"""``ALIKE`` and ``UNCERTAIN`` have the same meaning in all tables."""
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
"""Kinds of regret named after a person."""


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
"""A bootstrap error below this share of the value counts as 0: that of equal numbers is not always 0 exactly."""
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


_NARROW = 14
"""Characters of the heading of one column; longer headings are broken into several lines."""
_WORD = r"(?:(?<!\\)\$(?:\\.|[^$\\])*\$|\\.|[^\s])+"
_UNBROKEN = re.compile(rf"{_WORD}(?: = {_WORD})?", re.DOTALL)
"""A word with any mathematics in it, or an equation between two such words."""
_MARKUP = re.compile(r"([\\`*_|\[\]~$]|<(?=[\w/!?])|&(?=[\w#]))")
_SIGNS = {ALIKE: r"\dagger", UNCERTAIN: r"\ddagger", UNMET: r"\S"}
COLUMNS = ("dataset", "algorithm", "shown", "t", "runs", "value", "sem", "low", "high", "rank", "best", "p", "unmet")
"""Columns of CSV. ``shown``: the kind of regret, or the statistic. ``p``: against the best.

``unmet``: the assumptions of the algorithm that the dataset does not meet."""


def markdown(table: Table, transposed: bool = False) -> str:
    """Return the title, the table and its notes; columns are aligned in the source."""
    layout = lay_out(table, lambda t: f"{t:,}", transposed)
    rows = [
        [markdown_text(head.text), *(NOTHING if each is None else _markdown_cell(each) for each in entries)]
        for head, entries in zip(layout.down, layout.entries, strict=True)
    ]
    lines = markdown_table([markdown_text(each.text) for each in (layout.corner, *layout.across)], rows, aligned=True)
    notes = [" ".join(map(markdown_text, layout.notes))] if layout.notes else []
    return "\n".join([markdown_text(layout.title), "", *lines, "", *notes, ""])


def markdown_text(text: str) -> str:
    """Return text with mathtext as one line of Markdown."""
    return _MARKUP.sub(r"\\\1", " ".join(plain(text).split()))


def _markdown_cell(entry: CellText) -> str:
    text = grouped(entry.value, ",")
    if entry.error:
        text += f" ± {grouped(entry.error, ',')}"
    if entry.interval is not None:
        text += f" ({entry.interval[0]}–{entry.interval[1]})"
    text = f"**{text}**" if entry.best else text
    return f"{text} {''.join(entry.marks)}" if entry.marks else text


def latex(table: Table, transposed: bool = False) -> str:
    """Return a ``table`` environment with caption."""
    layout = lay_out(table, round_number, transposed)
    lines = [
        latex_row([latex_text(head.text), *("--" if each is None else _latex_cell(each) for each in entries)])
        for head, entries in zip(layout.down, layout.entries, strict=True)
    ]
    if layout.transposed and layout.ranks:
        lines.insert(len(lines) - layout.ranks, r"\midrule")
    caption = " ".join([layout.title, *layout.notes])
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{latex_text(caption)}}}",
            rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9.-]', '-', table.name)}}}",
            *(f"  {line}" for line in latex_table(f"l{'r' * len(layout.across)}", _heads(layout), lines)),
            r"\end{table}",
            "",
        ]
    )


def _heads(layout: TableLayout) -> list[str]:
    lowest = [_centred(head.below or head.title, 1) for head in layout.across]
    if all(not head.below for head in layout.across):
        return [latex_row([latex_text(layout.corner.title), *lowest])]
    groups = [(title, len([*heads])) for title, heads in groupby(layout.across, key=lambda head: head.title)]
    rules, column = [], 2
    for _, width in groups:
        rules.append(rf"\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    above = latex_row(["", *(_centred(title, width) for title, width in groups)])
    return [above, " ".join(rules), latex_row([latex_text(layout.corner.title), *lowest])]


def _centred(title: str, width: int) -> str:
    """Return a heading over ``width`` columns, broken into several lines if it is long."""
    lines = [latex_text(line) for line in _wrapped(title, width * _NARROW)]
    heading = r" \\ ".join(lines)
    if len(lines) > 1:
        heading = rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{heading}\end{{tabular}}"
    return rf"\multicolumn{{{width}}}{{c}}{{{heading}}}"


def _wrapped(title: str, characters: int) -> list[str]:
    """Return the lines of a title, broken between words but not within mathematics and equations."""
    lines = [""]
    for word in _UNBROKEN.findall(title):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and len(plain(longer)) > characters:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _latex_cell(entry: CellText) -> str:
    text = grouped(entry.value, "{,}")
    if entry.error:
        text += rf" \pm {grouped(entry.error, '{,}')}"
    text = f"${text}$"
    if entry.interval is not None:
        text += rf" (${entry.interval[0]}$--${entry.interval[1]}$)"
    if entry.best:
        text = rf"{{\boldmath\bfseries {text}}}"
    marks = " ".join(_SIGNS[mark] for mark in entry.marks)
    return text + (rf"\rlap{{$^{{{marks}}}$}}" if marks else "")


def comma_separated(tables: Mapping[str, Table], several: bool = False) -> str:
    """Return a line for each algorithm, dataset and round, and then the mean ranks, which have no dataset.

    ``low`` and ``high`` are the interval of a share; shares are not in percent here, and numbers are not rounded. With
    ``several``, the first column is the ``experiment``, the key of the table.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(["experiment"] if several else []), *COLUMNS])
    for experiment, table in tables.items():
        writer.writerows([*([escaped(experiment)] if several else []), *map(_cell, line)] for line in _lines(table))
    return text.getvalue()


def _cell(value: object) -> object:
    return escaped(value) if isinstance(value, str) else value


def _lines(table: Table) -> Iterator[list[object]]:
    request = table.request
    shown = request.kind if request.show == "regret" else request.show
    for column in table.columns:
        statistic = {"tail": column.of, "better": f"better than {column.of}"}.get(shown, shown)
        for label, cell in zip(request.algorithms, column.cells, strict=True):
            if cell is not None:
                yield [column.dataset, label, statistic, column.t, cell.runs, *_numbers(cell), *_rank_and_test(cell)]
    for t, ranks in table.ranks.items():
        if ranks is not None:
            best = ranks.mean.min()
            for label, rank in zip(request.algorithms, ranks.mean.tolist(), strict=True):
                yield ["", label, "rank", t, "", rank, "", "", "", "", int(rank == best), "", ""]


def _numbers(cell: Cell) -> list[float | str]:
    low, high = cell.interval or ("", "")
    return [cell.value, "" if math.isnan(cell.error) else cell.error, low, high]


def _rank_and_test(cell: Cell) -> list[float | str]:
    rank = "" if math.isnan(cell.rank) else f"{cell.rank:g}"
    return [rank, int(cell.best), "" if math.isnan(cell.p) else cell.p, ", ".join(cell.unmet)]
