"""The leaderboard as numbers: who was played where, who may be compared with whom, and in what order they come.

Algorithms that minimise regret and algorithms that name a winner with a confidence of their own, and hold it from then
on, are ranked apart: these stop learning. Where a table does not meet what an algorithm assumes, it has a number but no
rank.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.difference import LEVEL, Sample, compared_by_welch
from duelbench.errors import UserError
from duelbench.preferences.assumptions import unmet
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.results.identity import Labels
from duelbench.results.reader import Results
from duelbench.sources.tables import TABLES
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset

KIND = "copeland"
GROUPS = (
    "need no Condorcet winner",
    "need a Condorcet winner",
    "need more: an order of the arms, or utilities",
    "name a winner with a given confidence, and play it",
)
"""Kinds of algorithms, in the order in which they are shown; the last are ranked among themselves."""


@dataclass(frozen=True)
class Cell:
    """An algorithm on a table: its mean regret over so many ``runs``, and what it assumes that is not so.

    ``declared``: the share of runs that have ended their exploration; NaN where it declares no winner.
    ``rank`` among those of its contest whose assumptions hold there, 1 the best; None where they do not.
    ``best``: not told apart from the best of these.
    """

    mean: float
    sem: float
    median: float
    declared: float
    runs: int
    unmet: tuple[str, ...]
    rank: int | None = None
    best: bool = False
    times: float = math.nan
    """The mean, in units of that of the best of its contest there."""


@dataclass(frozen=True)
class Row:
    """An algorithm: its group, a number in ``GROUPS``, and its cells by the labels of tables.

    A table is missing where it was not played. ``seconds``: of a run, the median over tables where its assumptions
    hold, else over all.
    """

    name: str
    title: str
    assumes: str
    group: int
    cells: Mapping[str, Cell]
    seconds: float

    @cached_property
    def ranked(self) -> list[str]:
        """Labels of the tables on which it has a rank."""
        return [label for label, cell in self.cells.items() if cell.rank is not None]

    @cached_property
    def mean_rank(self) -> float:
        """The mean of its ranks; NaN where it has none."""
        return statistics.fmean(self.cells[label].rank or 0 for label in self.ranked) if self.ranked else math.nan

    @cached_property
    def times(self) -> float:
        """How many times the regret of the best it has, the geometric mean over the tables on which it has a rank."""
        return geometric_mean([self.cells[label].times for label in self.ranked]) if self.ranked else math.nan


@dataclass(frozen=True)
class Board:
    """All rows, group by group and the best mean rank first.

    ``tables``: titles by label, those with a Condorcet winner first, which are ``with_winner``. ``left_out``:
    algorithms of the catalogue that were not played.
    """

    rows: tuple[Row, ...]
    tables: Mapping[str, str]
    with_winner: frozenset[str]
    left_out: tuple[str, ...]
    horizon: int
    runs: int
    core_seconds: float

    def contest(self, last: bool) -> list[Row]:
        """Return the rows that are ranked together: those of the ``last`` group, or all others."""
        return [row for row in self.rows if (row.group == len(GROUPS) - 1) is last]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers; 0 if one of them is 0."""
    return 0.0 if 0 in values else statistics.geometric_mean(values)


def seconds(value: float) -> str:
    """Print seconds with a unit."""
    if math.isnan(value):
        return "–"
    return f"{1000 * value:.0f} ms" if value < 0.0995 else f"{value:.1f} s"


def board(experiments: Sequence[Results]) -> Board:
    """Make the board of one or more experiments of one horizon, on tables of this package.

    Raises UserError where they are not such, or have no Copeland regret.
    """
    horizons = {max(results.spec.horizons) for results in experiments}
    if len(horizons) > 1:
        raise UserError(f"the horizons differ ({', '.join(f'{T:,}' for T in sorted(horizons))}): name results of one")
    (horizon,) = horizons
    titles: dict[str, str] = {}
    matrices: dict[str, PreferenceMatrix] = {}
    played: dict[str, list[tuple[Results, ResolvedAlgorithm]]] = {}
    for results in experiments:
        results.regret_kind(KIND)
        for dataset in results.spec.datasets:
            titles[dataset.label] = results.spec.dataset_titles()[dataset.label]
            matrices[dataset.label] = _table(dataset, results)
        for algorithm in results.spec.algorithms:
            played.setdefault(algorithm.label, []).append((results, algorithm))
    winners = {label: matrix.condorcet_winner() is not None for label, matrix in matrices.items()}
    order = sorted(titles, key=lambda label: not winners[label])
    rows = [_row(each, horizon, {label: matrices[label] for label in order}) for each in played.values()]
    rows = _ranked(rows, order)
    rows.sort(key=lambda row: (row.group, math.isnan(row.mean_rank), row.mean_rank, row.title))
    known = {algorithm.name for each in played.values() for _, algorithm in each}
    return Board(
        rows=tuple(rows),
        tables={label: titles[label] for label in order},
        with_winner=frozenset(label for label in order if winners[label]),
        left_out=tuple(name for name in catalogue() if name not in known),
        horizon=horizon,
        runs=max(results.spec.runs for results in experiments),
        core_seconds=sum(results.manifest.total_seconds() for results in experiments),
    )


def not_for(kind: type[Algorithm], matrix: PreferenceMatrix, parameters: Mapping[str, object]) -> tuple[str, ...]:
    """Return what an algorithm assumes that is not so of a matrix, in words.

    It also says so where the algorithm looks for another arm than one without Copeland regret.
    """
    found = unmet(matrix, kind.assumes, parameters)
    winners = set(matrix.copeland_winners().tolist())
    if "Borda winner" in kind.assumes and int(matrix.borda_scores().argmax()) not in winners:
        found.append("looks for the Borda winner, which is no Copeland winner")
    if kind.may_declare_no_winner and matrix.condorcet_winner() is None:
        found.append("looks for a Condorcet winner, and there is none")
    return tuple(found)


def _table(dataset: ResolvedDataset, results: Results) -> PreferenceMatrix:
    matrix = TABLES[dataset.origin].matrix() if dataset.origin in TABLES else None
    if matrix is None or dataset.identity != {"matrix": matrix.digest()}:
        raise UserError(
            f"{dataset.label} is no table of duelbench, of which alone it is known what algorithms assume",
            source=str(results.directory),
        )
    return matrix


def _row(
    played: Sequence[tuple[Results, ResolvedAlgorithm]], horizon: int, matrices: Mapping[str, PreferenceMatrix]
) -> Row:
    cells: dict[str, Cell] = {}
    took: dict[str, float] = {}
    first = played[0][1]
    if first.name not in catalogue():
        raise UserError(f"{first.label} is none of duelbench's algorithms: a leaderboard is of these")
    kind = catalogue()[first.name]
    for label, matrix in matrices.items():
        for results, algorithm in played:
            mean = results.value("mean", label, algorithm.label, KIND, horizon)
            if mean is None:
                continue
            sem, median, runs = (
                results.value(column, label, algorithm.label, KIND, horizon) or 0.0 for column in ("sem", "q50", "runs")
            )
            declared = results.value("declared", label, algorithm.label, KIND, horizon)
            lacking = not_for(kind, matrix, algorithm.parameters)
            cells[label] = Cell(mean, sem, median, math.nan if declared is None else declared, int(runs), lacking)
            took[label] = results.manifest.seconds_of(Labels(label, algorithm.label)).median
    met = [label for label, cell in cells.items() if not cell.unmet]
    times = [took[label] for label in met or cells]
    without = any(matrices[label].condorcet_winner() is None for label in met)
    if kind.declares() and not kind.uses_horizon:
        group = 3
    else:
        group = 0 if without else 1 if set(kind.assumes.split(", ")) <= {"Condorcet winner", "no ties"} else 2
    median = statistics.median(times) if times else math.nan
    title = played[0][0].titles[first.label]
    return Row(first.name, title, kind.assumes, group, cells, median)


def _ranked(rows: Sequence[Row], labels: Sequence[str]) -> list[Row]:
    """Return the rows with ranks in their cells."""
    found = {row.name: dict(row.cells) for row in rows}
    for last in (False, True):
        contest = [row for row in rows if (row.group == len(GROUPS) - 1) is last]
        for label in labels:
            there = [row for row in contest if label in row.cells and not row.cells[label].unmet]
            there.sort(key=lambda row: row.cells[label].mean)
            if not there:
                continue
            best = there[0].cells[label]
            samples = [Sample(row.cells[label].mean, row.cells[label].sem, row.cells[label].runs) for row in there]
            alike = compared_by_welch(samples)[0] >= LEVEL if best.runs > 1 else [row is there[0] for row in there]
            for place, row in enumerate(there):
                here = found[row.name]
                here[label] = replace(here[label], rank=place + 1, best=place == 0 or bool(alike[place]))
            for row in contest:
                if label in row.cells:
                    here = found[row.name]
                    here[label] = replace(here[label], times=here[label].mean / best.mean)
    return [replace(row, cells=found[row.name]) for row in rows]
