"""The summary of an experiment: over runs, for every dataset, algorithm, regret kind and t."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from duelbench.arrays import Floats
from duelbench.runs.plan import Plan, Series
from duelbench.runs.results import finished, read_regret, run_path, write_whole

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
COLUMNS = "dataset,algorithm,regret,t,runs,mean,std,sem,q05,q25,q50,q75,q95"


def series_regret(plan: Plan, series: Series, directory: Path) -> Floats:
    """Return the (runs, kinds, rows) regret of the finished runs of a series."""
    found = []
    for number, (seed, run) in enumerate(plan.spec.run_seeds):
        path = run_path(directory, series, number)
        if finished(path, series.key(seed, run)):
            found.append(read_regret(path))
    return np.array(found).reshape(len(found), len(series.regret), len(series.rows))


def write_summary(plan: Plan, directory: Path) -> dict[tuple[str, str], Floats]:
    """Write ``summary.csv`` from the files of the finished runs.

    Returns the (runs, kinds) regret at the last row of each (dataset, algorithm) label.
    """
    lines = [COLUMNS]
    final = {}
    for series in plan.series():
        regret = series_regret(plan, series, directory)
        final[series.dataset.label, series.algorithm.label] = regret[:, :, -1]
        if len(regret):
            lines.extend(_lines(series, regret))
    write_whole(directory / "summary.csv", "\n".join(lines) + "\n")
    return final


def _lines(series: Series, regret: Floats) -> Iterator[str]:
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
            yield ",".join([series.dataset.label, series.algorithm.label, name, str(t), str(runs), *numbers])
