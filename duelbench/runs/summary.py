"""The summary of an experiment: over runs, for every dataset, algorithm, regret kind and t."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from duelbench.arrays import Floats
from duelbench.runs.plan import Plan, Series
from duelbench.runs.results import finished, read_run, run_path, write_whole

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
COLUMNS = "dataset,algorithm,regret,t,runs,mean,std,sem,q05,q25,q50,q75,q95,declared,duels_to_declaration,right"


def write_summary(plan: Plan, directory: Path) -> dict[tuple[str, str], Floats]:
    """Write ``summary.csv`` from the files of the finished runs.

    Of algorithms that declare a winner it also has the share of runs that had ``declared`` one by t, their mean
    number of ``duels_to_declaration``, and the share of them that were ``right``: whose arm has no regret.

    Returns the (runs, kinds) regret at the last row of each (dataset, algorithm) label.
    """
    lines = [COLUMNS]
    final = {}
    for series in plan.series():
        runs = _finished_runs(plan, series, directory)
        kinds = len(series.regret)
        final[series.dataset.label, series.algorithm.label] = runs[:, :kinds, -1]
        if len(runs):
            lines.extend(_lines(series, runs[:, :kinds], runs[:, kinds:]))
    write_whole(directory / "summary.csv", "\n".join(lines) + "\n")
    return final


def _finished_runs(plan: Plan, series: Series, directory: Path) -> Floats:
    """Return the (runs, columns, rows) numbers of the finished runs of a series."""
    found = []
    for number, (seed, run) in enumerate(plan.spec.run_seeds):
        path = run_path(directory, series, number)
        if finished(path, series.key(seed, run)):
            found.append(read_run(path))
    return np.array(found) if found else np.empty((0, len(series.regret), len(series.rows)))


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
