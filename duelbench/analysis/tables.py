"""The contents of tables: a statistic for each algorithm, dataset and round, with its error and test against the best.

All come from ``summary.csv``, except the errors of simple regret, the statistics of tails and the comparisons of pairs,
which come from the files of the runs.

The probability that a run of one algorithm has less regret than a run of another, with intervals of a bootstrap that is
stratified by dataset, is the "probability of improvement" of Agarwal et al., Deep reinforcement learning at the edge of
the statistical precipice, NeurIPS 2021.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import bootstrap, rankdata

from duelbench.analysis.assumptions import sentences
from duelbench.analysis.difference import LEVEL, Sample, compared_by_fisher, compared_by_welch
from duelbench.arrays import Floats
from duelbench.errors import UserError, choose_among, did_you_mean
from duelbench.ranks import Ranks, mean_ranks
from duelbench.results.manifest import Unmet
from duelbench.results.results import Results
from duelbench.results.summary import ROUNDING, uncertain
from duelbench.spec.figures import shown
from duelbench.spec.resolved import Labels
from duelbench.spec.values import Find, OrderGoal

_COLUMN: Mapping[str, str] = {
    "regret": "mean",
    "right": "recommended_right",
    "simple": "simple",
    "tau": "tau",
    "votes": "votes",
}
"""The columns of ``summary.csv`` by statistic."""


@dataclass(frozen=True)
class Cell:
    """A statistic over a number of ``runs``.

    ``error`` is its standard error, NaN if it is unknown, and ``interval`` Wilson's interval of a share. ``uncertain``:
    whether the error is uncertain. ``unmet``: the assumptions of the algorithm that the dataset does not meet.
    ``rank``: among the algorithms on the same dataset at the same round. ``best``: whether none of them is better.
    ``p``: the corrected p-value of the test against the best, NaN without a test, as with too few runs. ``alike``:
    whether it does not differ significantly from the best.
    """

    value: float
    error: float
    runs: int
    interval: tuple[float, float] | None = None
    uncertain: bool = False
    unmet: tuple[str, ...] = ()
    rank: float = math.nan
    best: bool = False
    p: float = math.nan
    alike: bool = False


@dataclass(frozen=True)
class TableColumn:
    """The cells of all algorithms on a dataset at a round, None for those without results.

    ``of``: the statistic of the tail, or the label of the algorithm with which the others are compared on all datasets.
    """

    dataset: str
    t: int
    cells: tuple[Cell | None, ...]
    of: str = ""


@dataclass(frozen=True)
class Table:
    """Columns by dataset, then by round, and mean ranks by round; ``find`` is the goal of the runs.

    ``algorithms`` and ``datasets`` are titles by label, in order. ``unmet`` has sentences on the assumptions that
    datasets do not meet. The ranks of a round are None if an algorithm lacks results on some dataset; ``ranks`` is
    empty if there are fewer than two algorithms or two datasets.
    """

    request: Request
    name: str
    find: Find | OrderGoal | None
    algorithms: Mapping[str, str]
    datasets: Mapping[str, str]
    counted: str
    columns: tuple[TableColumn, ...]
    ranks: Mapping[int, Ranks | None]
    unmet: tuple[str, ...] = ()

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
        """For each comparison with the best that was not tested, the smaller of the two numbers of runs."""
        found = []
        for column in self.columns:
            there = [cell for cell in column.cells if cell is not None]
            best = min((cell.runs for cell in there if cell.best), default=0)
            found += [min(cell.runs, best) for cell in there if not cell.best and math.isnan(cell.p)]
        return found


def make_table(results: Results, request: Request, runs: pd.DataFrame | None = None) -> Table:
    """Return the requested table; ``runs`` are the runs of ``load_results``, for the errors of simple regret."""
    unmet: Unmet = {}
    if request.show == "tail":
        columns = tuple(_columns_of_tails(results, request))
    elif request.show == "better":
        columns = tuple(_columns_of_pairs(results, request))
    else:
        unmet = results.unmet
        errors = _errors_of_simple(runs, request) if runs is not None else {}
        columns = tuple(
            TableColumn(
                dataset,
                t,
                _tested([_cell(results, request, dataset, each, t, errors) for each in request.algorithms], request),
            )
            for dataset in request.datasets
            for t in request.rounds
        )
    titles, names = results.titles, dict(results.panels)
    grids = results.grids
    ranked = request.ranks and request.show not in OF_RUNS and len(request.algorithms) > 1
    several = ranked and len({grids[dataset] for dataset in request.datasets}) > 1
    algorithms = {label: titles[label] for label in request.algorithms}
    return Table(
        request,
        results.spec.name,
        results.spec.find,
        algorithms,
        {label: names[label] for label in request.datasets},
        results.spec.count,
        columns,
        {t: _ranks([column for column in columns if column.t == t], request, grids) for t in request.rounds}
        if several
        else {},
        tuple(
            sentences(
                unmet, (each for each in results.spec.datasets if each.label in request.datasets), names, algorithms
            )
        ),
    )


def _cell(
    results: Results,
    request: Request,
    dataset: str,
    algorithm: str,
    t: int,
    errors: Mapping[tuple[str, str, int], float],
) -> Cell | None:
    rows = results.series(dataset, algorithm, request.kind)
    found = rows[rows["t"] == t]
    if found.empty or math.isnan(value := float(found.iloc[0][_COLUMN[request.show]])):
        return None
    row = found.iloc[0]
    runs = int(row["runs"])
    error, interval, heavy = math.nan, None, False
    match request.show:
        case "regret":
            error = float(row["sem"])
            heavy = uncertain(value, error, runs, float(row["kurtosis"]))
        case "right":
            interval = float(row["right_low"]), float(row["right_high"])
        case "votes" | "tau":
            error = float(row[f"{request.show}_sem"])
        case "simple":
            error = errors.get((dataset, algorithm, t), math.nan)
    return Cell(value, error, runs, interval, heavy, results.unmet.get(Labels(dataset, algorithm), ()))


def _errors_of_simple(runs: pd.DataFrame, request: Request) -> dict[tuple[str, str, int], float]:
    wanted = runs[(runs["regret"] == request.kind) & runs["t"].isin(request.rounds)]
    errors = wanted.groupby(["dataset", "algorithm", "t"], observed=True)["simple"].agg(["mean", "sem"]).reset_index()
    errors.loc[errors["sem"] <= ROUNDING * errors["mean"].abs(), "sem"] = 0.0
    places = zip(errors["dataset"].astype(str), errors["algorithm"].astype(str), errors["t"].astype(int), strict=True)
    return dict(zip(places, errors["sem"].astype(float), strict=True))


def _tested(cells: Sequence[Cell | None], request: Request) -> tuple[Cell | None, ...]:
    """Return the cells of one dataset and round, ranked and tested against the best."""
    there = [cell for cell in cells if cell is not None]
    if not there:
        return tuple(cells)
    ranks = rankdata([request.sign * cell.value for cell in there])
    best = int(np.argmin(ranks))
    samples = [Sample(cell.value, cell.error, cell.runs) for cell in there]
    p = (compared_by_fisher if request.show == "right" else compared_by_welch)(samples)[best]
    if request.show == "tail":
        p[:] = math.nan
    if np.isnan(np.delete(p, best)).all():
        p[best] = math.nan
    least = [cell.value == there[best].value for cell in there]
    tested = (
        replace(cell, rank=rank, best=equal, p=value, alike=not equal and value >= LEVEL)
        for cell, rank, equal, value in zip(there, ranks.tolist(), least, p.tolist(), strict=True)
    )
    return tuple(None if cell is None else next(tested) for cell in cells)


def _ranks(columns: Sequence[TableColumn], request: Request, grids: Mapping[str, str]) -> Ranks | None:
    values = [[math.nan if cell is None else request.sign * cell.value for cell in column.cells] for column in columns]
    grids_of_columns = [grids[column.dataset] for column in columns]
    return None if np.isnan(values).any() else mean_ranks(np.array(values), grids_of_columns)


def _columns_of_tails(results: Results, request: Request) -> Iterator[TableColumn]:
    for dataset, t in product(request.datasets, request.rounds):
        regrets = [results.regret_of_runs(dataset, label, request.kind, t) for label in request.algorithms]
        for statistic in TAIL:
            cells = [Cell(*of_the_tail(statistic, regret)) if len(regret) else None for regret in regrets]
            yield TableColumn(dataset, t, _tested(cells, request), statistic)


def _columns_of_pairs(results: Results, request: Request) -> Iterator[TableColumn]:
    for t in request.rounds:
        regrets = {
            label: [results.regret_of_runs(dataset, label, request.kind, t) for dataset in request.datasets]
            for label in request.algorithms
        }
        found: dict[tuple[str, str], Cell] = {}
        for one, other in combinations([label for label in regrets if min(map(len, regrets[label]))], 2):
            share, (low, high) = better(regrets[one], regrets[other])
            runs = min(map(len, (*regrets[one], *regrets[other])))
            for pair, value, ends in (
                ((one, other), share, (low, high)),
                ((other, one), 1 - share, (1 - high, 1 - low)),
            ):
                found[pair] = Cell(value, math.nan, runs, ends, best=ends[0] > 0.5)
        for other in request.algorithms:
            yield TableColumn("", t, tuple(found.get((one, other)) for one in request.algorithms), other)


Show = Literal["regret", "right", "simple", "tau", "votes", "tail", "better"]
OF_RUNS = ("tail", "better")
"""The statistics of regret that are computed from the files of the runs."""


@dataclass(frozen=True)
class Request:
    """The requested content of a table.

    ``show``: the regret, the share of runs that are ``right``, the ``simple`` regret, the Kendall ``tau`` distance, the
    votes, the ``tail`` of the regret, or the probability that an algorithm is ``better`` than another.
    ``kind``: the kind of regret. ``datasets`` and ``algorithms`` are labels. ``ranks``: whether mean ranks are shown.
    """

    show: Show
    kind: str
    rounds: tuple[int, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    ranks: bool = True

    @property
    def sign(self) -> int:
        """1 if smaller numbers are better, else -1."""
        return -1 if self.show == "right" else 1


def request_of(
    results: Results,
    *,
    show: Show = "regret",
    kind: str | None = None,
    rounds: Sequence[int] = (),
    datasets: Sequence[str] = (),
    algorithms: Sequence[str] = (),
    ranks: bool = True,
) -> Request:
    """Return the requested content. Defaults: the spec's first regret, the horizon, all datasets and all algorithms.

    Raises UserError when the results do not have it.
    """
    source = str(results.directory)
    if show not in ("regret", *OF_RUNS) and results.spec.recommend == "none":
        raise UserError(
            f"--show {show} needs recommended arms, which these runs did not record: add a 'budget', or "
            "'recommend: own', to the spec and run again",
            source=source,
        )
    if show == "tau" and results.spec.order_goal is None:
        raise UserError("--show tau needs an order: add 'find: ranking' to the spec and run again", source=source)
    kinds = results.spec.regret
    if kind is not None and kind not in kinds:
        raise UserError(
            f"the runs recorded {', '.join(kinds)} regret, not {kind!r}{did_you_mean(kind, kinds)}: "
            "choose one of these, or add it to the spec's `regret` and run again",
            source=source,
        )
    for t in rounds:
        if t not in results.checkpoints:
            counted = "votes" if results.spec.count == "votes" else "t"
            nearest = min(results.checkpoints, key=lambda each: abs(each - t))
            raise UserError(
                f"nothing was recorded at {counted} = {t:,}: the nearest checkpoint is {nearest:,}", source=source
            )
    return Request(
        show,
        kind or kinds[0],
        tuple(dict.fromkeys(rounds)) or (max(results.spec.horizons),),
        _labels(datasets, results.spec.datasets, "dataset", source),
        _labels(algorithms, results.spec.algorithms, "algorithm", source),
        ranks,
    )


def _labels(named: Sequence[str], entries: Sequence[Any], what: str, source: str) -> tuple[str, ...]:
    try:
        return tuple(each.label for each in shown(named or None, entries))
    except KeyError as missing:
        (name,) = missing.args
        known = choose_among(name, (each.label for each in entries))
        raise UserError(f"the results have no {what} {name!r}{known}", source=source) from None


_RESAMPLES = 1000
_AT_ONCE = 10**7
"""Maximum number of values resampled at once."""


def _shortfall(regret: Floats, axis: int = -1) -> Any:
    """Return the mean of the largest 5 % of the numbers."""
    worst = math.ceil(0.05 * regret.shape[axis])
    return np.sort(regret, axis=axis).take(range(-worst, 0), axis=axis).mean(axis=axis)


def _quantile(share: float) -> Callable[..., Any]:
    return lambda regret, axis=-1: np.quantile(regret, share, axis=axis)


TAIL: dict[str, Callable[..., Any]] = {
    "median": _quantile(0.5),
    "95 % quantile": _quantile(0.95),
    "99 % quantile": _quantile(0.99),
    "shortfall": _shortfall,
}
"""Statistics of the tail; the expected shortfall is the mean of the worst 5 % of the runs."""


def of_the_tail(statistic: str, regret: Floats) -> Sample:
    """Return a statistic of the runs with its bootstrap standard error."""
    error = math.nan
    if len(regret) > 1:
        error = _resampled([regret], TAIL[statistic], vectorized=True).standard_error
    return Sample(float(TAIL[statistic](regret)), float(error), len(regret))


def better(ours: Sequence[Floats], others: Sequence[Floats]) -> tuple[float, tuple[float, float]]:
    """Return the probability that a run of ours has less regret than one of the others, and its 95 % interval.

    Each argument has the regrets of the runs on each dataset. The probability is averaged over datasets; ties count
    half.
    """

    def share(*runs: Floats) -> float:
        pairs = zip(runs[: len(ours)], runs[len(ours) :], strict=True)
        return float(np.mean([_less(np.sort(a), b) for a, b in pairs]))

    found = share(*ours, *others)
    if min(map(len, (*ours, *others))) < 2:
        return found, (math.nan, math.nan)
    interval = _resampled([*ours, *others], share, vectorized=False).confidence_interval
    return found, (float(interval.low), float(interval.high))


def _less(sorted_ours: Floats, others: Floats) -> float:
    at_most = sum(np.searchsorted(sorted_ours, others, side).sum() for side in ("left", "right"))
    return float(at_most) / (2 * len(sorted_ours) * len(others))


def _resampled(samples: Sequence[Floats], statistic: Callable[..., Any], *, vectorized: bool) -> Any:
    return bootstrap(
        samples, statistic, vectorized=vectorized, n_resamples=_RESAMPLES, method="percentile",
        batch=max(1, _AT_ONCE // max(map(len, samples))), random_state=np.random.default_rng(0),
    )  # fmt: skip
