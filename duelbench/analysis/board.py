"""The numbers of the leaderboard: the regret of each algorithm on each table, and its ranks.

Algorithms that minimise regret are ranked separately from algorithms that identify a winner with a given confidence
and play it from then on: these stop learning. An algorithm has no rank on a table that does not meet its assumptions.
Preferences that change have a board of their own, in which all algorithms have ranks.
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
from duelbench.results.summary import uncertain
from duelbench.sources.published_matrices import TABLES
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset

_KIND = "copeland"
_GROUPS = (
    "need no Condorcet winner",
    "need a Condorcet winner",
    "need more: an order of the arms, or utilities",
    "identify a winner with a given confidence, then play it",
)
"""Groups of algorithms, in the order in which they are shown; the last group is ranked separately."""
_CHANGING_GROUPS = ("are made for preferences that change", "are made for constant preferences")
"""Groups of algorithms on preferences that change."""
_FOR_AN_ADVERSARY = {"dexp3", "dexp3-hp", "rex3", "sparring-exp3", "sparring-exp3s", "versatile-db"}
"""Algorithms with guarantees against an adversary, who may change the preferences in every round."""


@dataclass(frozen=True)
class Cell:
    """The results of an algorithm on a table: its regret over ``runs`` runs, and its assumptions that are ``unmet``.

    ``declared``: the share of runs that have declared a winner; NaN if the algorithm declares none. ``rank``: among the
    algorithms of its contest whose assumptions hold on the table, 1 for the best; None if its own do not hold.
    ``uncertain``: whether its standard error is. ``best``: whether it is the best of these, or not significantly worse,
    unless it is uncertain.
    """

    mean: float
    sem: float
    median: float
    declared: float
    runs: int
    unmet: tuple[str, ...]
    uncertain: bool = False
    rank: int | None = None
    best: bool = False
    times: float = math.nan
    """The mean as a multiple of the best mean in its contest on the table."""


@dataclass(frozen=True)
class Row:
    """An algorithm: its group, and its cells by the labels of the tables it was played on.

    ``group`` is an index into the groups of its board; ``identifies``: whether it is in the last of ``GROUPS``.
    ``seconds``: the time of a run, the median over the tables that meet its assumptions, or over all if none does.
    """

    name: str
    title: str
    assumes: str
    group: int
    identifies: bool
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
    ``changing``: whether these are sequences of preferences instead of tables. ``left_out``: algorithms of the
    catalogue that were not played. ``runs``: the smallest and the largest number of runs of an experiment.
    """

    rows: tuple[Row, ...]
    tables: Mapping[str, str]
    with_winner: frozenset[str]
    changing: bool
    left_out: tuple[str, ...]
    horizon: int
    runs: str
    core_seconds: float

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups of algorithms."""
        return _CHANGING_GROUPS if self.changing else _GROUPS

    def contest(self, last: bool) -> list[Row]:
        """Return the rows that are ranked together: the ``last`` of ``GROUPS``, or all others."""
        return [row for row in self.rows if row.identifies is last]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers; 0 if one of them is 0."""
    return 0.0 if 0 in values else statistics.geometric_mean(values)


def seconds(value: float) -> str:
    """Return a number of seconds as text with a unit."""
    if math.isnan(value):
        return "–"
    return f"{1000 * value:.0f} ms" if value < 0.0995 else f"{value:.1f} s"


def board(experiments: Sequence[Results]) -> Board:
    """Return the board of experiments with the same horizon on tables of this package, or on changing preferences.

    Raises UserError if the horizons differ, a dataset is neither, both occur, or there is no Copeland regret.
    """
    changing = changes(experiments[0])
    horizons = {max(results.spec.horizons) for results in experiments}
    if len(horizons) > 1:
        differing = ", ".join(f"{T:,}" for T in sorted(horizons))
        raise UserError(f"the horizons differ ({differing}): name results with the same horizon")
    (horizon,) = horizons
    titles: dict[str, str] = {}
    matrices: dict[str, PreferenceMatrix | None] = {}
    played: dict[str, list[tuple[Results, ResolvedAlgorithm]]] = {}
    for results in experiments:
        results.regret_kind(_KIND)
        if changing and (constant := [each.label for each in results.spec.datasets if not _changes(each)]):
            raise UserError(
                f"{constant[0]} does not change, but other datasets do: play them in two experiments",
                source=str(results.directory),
            )
        for dataset in results.spec.datasets:
            titles[dataset.label] = results.spec.dataset_titles()[dataset.label]
            matrices[dataset.label] = None if changing else _table(dataset, results)
        for algorithm in results.spec.algorithms:
            played.setdefault(algorithm.label, []).append((results, algorithm))
    winners = {
        label: matrix is not None and matrix.condorcet_winner() is not None for label, matrix in matrices.items()
    }
    order = sorted(titles, key=lambda label: not winners[label])
    rows = [_row(each, horizon, {label: matrices[label] for label in order}) for each in played.values()]
    rows = _ranked(rows, order)
    rows.sort(key=lambda row: (row.group, math.isnan(row.mean_rank), row.mean_rank, row.title))
    counts = [results.spec.runs for results in experiments]
    known = {algorithm.name for each in played.values() for _, algorithm in each}
    return Board(
        rows=tuple(rows),
        tables={label: titles[label] for label in order},
        with_winner=frozenset(label for label in order if winners[label]),
        changing=changing,
        left_out=tuple(name for name in catalogue() if name not in known),
        horizon=horizon,
        runs=" to ".join(f"{runs:,}" for runs in sorted({min(counts), max(counts)})),
        core_seconds=sum(results.manifest.total_seconds() for results in experiments),
    )


def changes(results: Results) -> bool:
    """Return whether an experiment has datasets that change, as the board of changing preferences needs them."""
    return any(_changes(dataset) for dataset in results.spec.datasets)


def _changes(dataset: ResolvedDataset) -> bool:
    return "changing" in dataset.identity or "then" in dataset.identity


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
    played: Sequence[tuple[Results, ResolvedAlgorithm]], horizon: int, matrices: Mapping[str, PreferenceMatrix | None]
) -> Row:
    cells: dict[str, Cell] = {}
    took: dict[str, float] = {}
    first = played[0][1]
    if first.name not in catalogue():
        raise UserError(f"{first.label} is not an algorithm of duelbench: the leaderboard is only for these")
    kind = catalogue()[first.name]
    for label, matrix in matrices.items():
        for results, algorithm in played:
            mean = results.value("mean", label, algorithm.label, _KIND, horizon)
            if mean is None:
                continue
            sem, median, runs, kurtosis = (
                results.value(column, label, algorithm.label, _KIND, horizon) or 0.0
                for column in ("sem", "q50", "runs", "kurtosis")
            )
            declared = results.value("declared", label, algorithm.label, _KIND, horizon)
            lacking = () if matrix is None else not_for(kind, matrix, algorithm.parameters)
            declared = math.nan if declared is None else declared
            doubt = uncertain(mean, sem, runs, kurtosis)
            cells[label] = Cell(mean, sem, median, declared, int(runs), lacking, doubt)
            took[label] = results.manifest.seconds_of(Labels(label, algorithm.label)).median
    met = [label for label, cell in cells.items() if not cell.unmet]
    times = [took[label] for label in met or cells]
    without = any(matrix and matrix.condorcet_winner() is None for matrix in map(matrices.get, met))
    changing = None in matrices.values()
    identifies = kind.declares() and not kind.uses_horizon and not changing
    if changing:
        group = 0 if kind.detects() or first.name in _FOR_AN_ADVERSARY else 1
    elif identifies:
        group = 3
    else:
        group = 0 if without else 1 if set(kind.assumes.split(", ")) <= {"Condorcet winner", "no ties"} else 2
    median = statistics.median(times) if times else math.nan
    title = played[0][0].titles[first.label]
    return Row(first.name, title, kind.assumes, group, identifies, cells, median)


def _ranked(rows: Sequence[Row], labels: Sequence[str]) -> list[Row]:
    """Return the rows with ranks in their cells."""
    found = {row.name: dict(row.cells) for row in rows}
    for last in (False, True):
        contest = [row for row in rows if row.identifies is last]
        for label in labels:
            there = [row for row in contest if label in row.cells and not row.cells[label].unmet]
            there.sort(key=lambda row: row.cells[label].mean)
            if not there:
                continue
            best = there[0].cells[label]
            samples = [Sample(row.cells[label].mean, row.cells[label].sem, row.cells[label].runs) for row in there]
            alike = compared_by_welch(samples)[0] >= LEVEL
            for place, row in enumerate(there):
                here = found[row.name]
                best_or_alike = bool(alike[place]) and not here[label].uncertain
                here[label] = replace(here[label], rank=place + 1, best=best_or_alike)
            for row in contest:
                if label in row.cells:
                    here = found[row.name]
                    here[label] = replace(here[label], times=here[label].mean / best.mean)
    return [replace(row, cells=found[row.name]) for row in rows]
