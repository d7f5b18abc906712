"""The numbers of a table: for each algorithm, dataset and round a statistic, its error and its test against the best.

All come from ``summary.csv`` except the errors of simple regret, which come from the files of the runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from duelbench.analysis.difference import LEVEL, Sample, compared_by_fisher, compared_by_welch
from duelbench.analysis.tables.asked import Asked, Show
from duelbench.ranks import Ranks, mean_ranks
from duelbench.results.reader import Results
from duelbench.results.summary import ROUNDING, heavy_tailed
from duelbench.spec.values import Find, OrderGoal

COLUMN: Mapping[Show, str] = {
    "regret": "mean",
    "right": "recommended_right",
    "simple": "simple",
    "tau": "tau",
    "votes": "votes",
}
"""The columns of ``summary.csv``."""


@dataclass(frozen=True)
class Cell:
    """A statistic over a number of ``runs``.

    ``error``: its standard error, NaN if it is unknown; ``interval``: Wilson's interval of a share. ``rank``: among the
    algorithms on the same dataset at the same round; ``best``: whether none of them is better. ``p``: the corrected
    p-value of the test against the best, NaN without a test, as with too few runs; ``alike``: whether it does not
    differ significantly from the best. ``heavy``: whether the distribution has heavy tails.
    """

    value: float
    error: float
    interval: tuple[float, float] | None
    runs: int
    rank: float
    best: bool
    p: float
    alike: bool
    heavy: bool


@dataclass(frozen=True)
class Column:
    """The cells of all algorithms on a dataset at a round, None for those without results."""

    dataset: str
    t: int
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """Columns by dataset, then by round, and mean ranks by round; ``find`` is the goal of the runs.

    ``algorithms`` and ``datasets`` are titles by label, in order. The ranks of a round are None if an algorithm lacks
    results on some dataset; ``ranks`` is empty if there are fewer than two algorithms or two datasets.
    """

    asked: Asked
    name: str
    find: Find | OrderGoal | None
    algorithms: Mapping[str, str]
    datasets: Mapping[str, str]
    counted: str
    columns: tuple[Column, ...]
    ranks: Mapping[int, Ranks | None]

    @property
    def cells(self) -> list[Cell]:
        """All cells with results."""
        return [cell for column in self.columns for cell in column.cells if cell is not None]

    @property
    def tested(self) -> bool:
        """Whether any algorithms have been compared by a test."""
        return any(not math.isnan(cell.p) for cell in self.cells)

    @property
    def untested(self) -> list[int]:
        """The smaller number of runs of each comparison with the best for which there is no test."""
        found = []
        for column in self.columns:
            there = [cell for cell in column.cells if cell is not None]
            best = min((cell.runs for cell in there if cell.best), default=0)
            found += [min(cell.runs, best) for cell in there if not cell.best and math.isnan(cell.p)]
        return found


def make_table(results: Results, asked: Asked, runs: pd.DataFrame | None = None) -> Table:
    """Return the requested table; ``runs`` are the runs of ``load_results``, for the errors of simple regret."""
    errors = _errors_of_simple(runs, asked) if runs is not None else {}
    columns = tuple(
        Column(
            dataset, t, _cells([_known(results, asked, dataset, each, t, errors) for each in asked.algorithms], asked)
        )
        for dataset in asked.datasets
        for t in asked.rounds
    )
    titles, names = results.titles, dict(results.panels)
    several = len(asked.datasets) > 1 and len(asked.algorithms) > 1
    return Table(
        asked,
        results.spec.name,
        results.spec.find,
        {label: titles[label] for label in asked.algorithms},
        {label: names[label] for label in asked.datasets},
        results.spec.count,
        columns,
        {t: _ranks([column for column in columns if column.t == t], asked) for t in asked.rounds} if several else {},
    )


@dataclass(frozen=True)
class _Known:
    sample: Sample
    interval: tuple[float, float] | None
    heavy: bool


def _known(
    results: Results, asked: Asked, dataset: str, algorithm: str, t: int, errors: Mapping[tuple[str, str, int], float]
) -> _Known | None:
    rows = results.series(dataset, algorithm, asked.kind)
    found = rows[rows["t"] == t]
    if found.empty or math.isnan(value := float(found.iloc[0][COLUMN[asked.show]])):
        return None
    row = found.iloc[0]
    runs = int(row["runs"])
    match asked.show:
        case "regret":
            heavy = heavy_tailed(runs, float(row["kurtosis"]))
            return _Known(Sample(value, float(row["sem"]), runs), None, heavy)
        case "right":
            return _Known(Sample(value, math.nan, runs), (float(row["right_low"]), float(row["right_high"])), False)
        case "votes" | "tau":
            return _Known(Sample(value, float(row[f"{asked.show}_sem"]), runs), None, False)
        case "simple":
            return _Known(Sample(value, errors.get((dataset, algorithm, t), math.nan), runs), None, False)


def _errors_of_simple(runs: pd.DataFrame, asked: Asked) -> dict[tuple[str, str, int], float]:
    wanted = runs[(runs["regret"] == asked.kind) & runs["t"].isin(asked.rounds)]
    errors = wanted.groupby(["dataset", "algorithm", "t"], observed=True)["simple"].agg(["mean", "sem"]).reset_index()
    errors.loc[errors["sem"] <= ROUNDING * errors["mean"].abs(), "sem"] = 0.0
    places = zip(errors["dataset"].astype(str), errors["algorithm"].astype(str), errors["t"].astype(int), strict=True)
    return dict(zip(places, errors["sem"].astype(float), strict=True))


def _cells(known: Sequence[_Known | None], asked: Asked) -> tuple[Cell | None, ...]:
    """Return the cells of one dataset and round, ranked and tested against the best."""
    there = [place for place, each in enumerate(known) if each is not None]
    samples = [each.sample for each in known if each is not None]
    if not samples:
        return (None,) * len(known)
    ranks = rankdata([asked.sign * each.mean for each in samples])
    best = int(np.argmin(ranks))
    p = (compared_by_fisher if asked.show == "right" else compared_by_welch)(samples)[best]
    if np.isnan(np.delete(p, best)).all():
        p[best] = math.nan
    cells: list[Cell | None] = [None] * len(known)
    for place, sample, rank, value in zip(there, samples, ranks, p, strict=True):
        each = known[place]
        assert each is not None
        least = sample.mean == samples[best].mean
        cells[place] = Cell(
            sample.mean, sample.error, each.interval, sample.runs, float(rank), least, float(value),
            not least and bool(value >= LEVEL), each.heavy,
        )  # fmt: skip
    return tuple(cells)


def _ranks(columns: Sequence[Column], asked: Asked) -> Ranks | None:
    values = [[math.nan if cell is None else asked.sign * cell.value for cell in column.cells] for column in columns]
    return None if np.isnan(values).any() else mean_ranks(np.array(values))
