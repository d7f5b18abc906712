"""The numbers of the leaderboard: the regret of each algorithm on each table, and its ranks.

Algorithms that minimise regret are ranked separately from algorithms that identify a winner with a given confidence
and play it from then on: these stop learning. An algorithm has no rank on a table that does not meet its assumptions.
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
    "identify a winner with a given confidence, then play it",
)
"""Groups of algorithms, in the order in which they are shown; the last group is ranked separately."""


@dataclass(frozen=True)
class Cell:
    """The results of an algorithm on a table: its regret over ``runs`` runs, and its assumptions that are ``unmet``.

    ``declared``: the share of runs that have declared a winner; NaN if the algorithm declares none. ``rank``: among the
    algorithms of its contest whose assumptions hold on the table, 1 for the best; None if its own do not hold.
    ``best``: whether it is the best of these, or not significantly worse.
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
    """The mean as a multiple of the best mean in its contest on the table."""


@dataclass(frozen=True)
class Row:
    """An algorithm: its group, an index into ``GROUPS``, and its cells by the labels of the tables it was played on.

    ``seconds``: the time of a run, the median over the tables that meet its assumptions, or over all if none does.
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
        """Its regret as a multiple of the best, the geometric mean over the tables on which it has a rank."""
        return geometric_mean([self.cells[label].times for label in self.ranked]) if self.ranked else math.nan


@dataclass(frozen=True)
class Board:
    """All rows, by group and then by mean rank.

    ``tables``: titles by label; tables with a Condorcet winner, whose labels are ``with_winner``, come first.
    ``left_out``: algorithms of the catalogue that were not played.
    """

    rows: tuple[Row, ...]
    tables: Mapping[str, str]
    with_winner: frozenset[str]
    left_out: tuple[str, ...]
    horizon: int
    runs: int
    core_seconds: float

    def contest(self, last: bool) -> list[Row]:
        """Return the rows that are ranked together: the ``last`` group, or all other groups."""
        return [row for row in self.rows if (row.group == len(GROUPS) - 1) is last]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers; 0 if one of them is 0."""
    return 0.0 if 0 in values else statistics.geometric_mean(values)


def seconds(value: float) -> str:
    """Return a number of seconds as text with a unit."""
    if math.isnan(value):
        return "–"
    return f"{1000 * value:.0f} ms" if value < 0.0995 else f"{value:.1f} s"


def board(experiments: Sequence[Results]) -> Board:
    """Return the board of experiments with the same horizon on tables of this package.

    Raises UserError if the horizons differ, a dataset is not such a table, or there is no Copeland regret.
    """
    horizons = {max(results.spec.horizons) for results in experiments}
    if len(horizons) > 1:
        differing = ", ".join(f"{T:,}" for T in sorted(horizons))
        raise UserError(f"the horizons differ ({differing}): name results with the same horizon")
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
    """Return the assumptions of an algorithm that a matrix does not meet, in words.

    They include the assumption that the arm the algorithm looks for has no Copeland regret.
    """
    found = unmet(matrix, kind.assumes, parameters)
    winners = set(matrix.copeland_winners().tolist())
    if "Borda winner" in kind.assumes and int(matrix.borda_scores().argmax()) not in winners:
        found.append("looks for the Borda winner, which is not a Copeland winner")
    if kind.finds_order:
        found.append("looks for an order or tiers of the arms, not for the best arm")
    if kind.may_declare_no_winner and matrix.condorcet_winner() is None:
        found.append("looks for a Condorcet winner, and there is none")
    return tuple(found)


def _table(dataset: ResolvedDataset, results: Results) -> PreferenceMatrix:
    matrix = TABLES[dataset.origin].matrix() if dataset.origin in TABLES else None
    if matrix is None or dataset.identity != {"matrix": matrix.digest()}:
        raise UserError(
            f"{dataset.label} is not a table of duelbench: the leaderboard is only for these",
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
        raise UserError(f"{first.label} is not an algorithm of duelbench: the leaderboard is only for these")
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
