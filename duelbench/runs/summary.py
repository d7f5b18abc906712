"""The summary of an experiment: over runs, for every dataset, algorithm, regret kind and t."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.arrays import Floats
from duelbench.runs.plan import Series

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
COLUMNS = "dataset,algorithm,regret,t,runs,mean,std,sem,q05,q25,q50,q75,q95,declared,duels_to_declaration,right"


@dataclass(frozen=True)
class Final:
    """The regret at the last row, of the first kind, over runs; NaN where there are too few of them."""

    runs: int
    mean: float
    std: float


def summarize(series: Series, runs: Sequence[Floats]) -> tuple[str, Final]:
    """Return the lines of ``summary.csv`` on a series, and its end, from the (columns, rows) numbers of its runs.

    Of algorithms that declare a winner the lines also have the share of runs that had ``declared`` one by t, their mean
    number of ``duels_to_declaration``, and the share of them that were ``right``: whose arm has no regret.
    """
    if not runs:
        return "", Final(0, math.nan, math.nan)
    values = np.array(runs)
    kinds = len(series.regret)
    last = values[:, 0, -1]
    final = Final(len(runs), float(last.mean()), float(last.std(ddof=1)) if len(runs) > 1 else math.nan)
    return "".join(f"{line}\n" for line in _lines(series, values[:, :kinds], values[:, kinds:])), final


def _lines(series: Series, regret: Floats, declared: Floats) -> Iterator[str]:
    runs = len(regret)
    mean = regret.mean(axis=0)
    quantiles = np.quantile(regret, QUANTILES, axis=0)
    std = regret.std(axis=0, ddof=1) if runs > 1 else None
    for kind, name in enumerate(series.regret):
        for row, t in enumerate(series.rows):
            spread = ["", ""]
            if std is not None:
                spread = [repr(float(std[kind, row])), repr(float(std[kind, row]) / math.sqrt(runs))]
            numbers = [repr(float(mean[kind, row])), *spread, *map(repr, quantiles[:, kind, row].tolist())]
            ending = _declarations(declared[:, 0, row], declared[:, 1 + kind, row]) if declared.size else ["", "", ""]
            yield ",".join([series.dataset.label, series.algorithm.label, name, str(t), str(runs), *numbers, *ending])


def _declarations(duels: Floats, right: Floats) -> list[str]:
    """Return the cells on declarations, from those of every run; NaN is a run without one."""
    made = ~np.isnan(duels)
    if not made.any():
        return ["0.0", "", ""]
    return [repr(float(value)) for value in (made.mean(), duels[made].mean(), right[made].mean())]
