"""The summary of an experiment: over runs, for every dataset, algorithm, regret kind and t."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.layout import QUANTILES
from duelbench.runs.files import numbers_of
from duelbench.runs.series import Series

BLOCK = 1 << 14
"""Numbers looked at together."""


@dataclass(frozen=True)
class Final:
    """The regret at the last row, of the first kind, over runs; NaN where there are too few of them."""

    runs: int
    mean: float
    std: float


class SeriesSummary(NamedTuple):
    """The ``lines`` of ``summary.csv`` on a series, and its end."""

    lines: str
    final: Final


class Runs:
    """The numbers of the finished runs of a series, for its summary: 8 bytes for each, of one series at a time."""

    def __init__(self, series: Series, at_most: int) -> None:
        self._values = np.empty((at_most, len(series.columns) - 1, len(series.rows)))
        self._series = series
        self._runs = 0

    def add(self, path: Path, body: str) -> None:
        """Add ``body``, what follows the first line of a run's file ``path``; UserError if it is not of this series."""
        self._values[self._runs] = numbers_of(path, body, self._series)
        self._runs += 1

    def summary(self) -> SeriesSummary:
        """Return the summary of the runs that were added.

        Of algorithms that declare a winner the lines also have the share of runs that had ``declared`` one by t, their
        mean number of ``duels_to_declaration``, and the share of them that were ``right``: whose arm has no regret.
        """
        if not self._runs:
            return SeriesSummary("", Final(0, math.nan, math.nan))
        values = self._values[: self._runs]
        last = values[:, 0, -1]
        final = Final(self._runs, float(last.mean()), float(last.std(ddof=1)) if self._runs > 1 else math.nan)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(_lines(self._series, values))
        return SeriesSummary(text.getvalue(), final)


def _lines(series: Series, values: Floats) -> Iterator[list[str]]:
    runs, kinds, rows = len(values), len(series.regret), len(series.rows)
    width = max(1, BLOCK // runs)  # statistics make copies
    for kind, name in enumerate(series.regret):
        for start in range(0, rows, width):
            block = slice(start, start + width)
            regret = np.ascontiguousarray(values[:, kind, block])
            mean = regret.mean(axis=0)
            std = regret.std(axis=0, ddof=1) if runs > 1 else None
            quantiles = np.quantile(regret, QUANTILES, axis=0, overwrite_input=True)
            for column, t in enumerate(series.rows[block]):
                spread = ["", ""]
                if std is not None:
                    spread = [repr(float(std[column])), repr(float(std[column]) / math.sqrt(runs))]
                cells = [repr(float(mean[column])), *spread, *map(repr, quantiles[:, column].tolist())]
                row = start + column
                ending = ["", "", ""]
                if values.shape[1] > kinds:
                    ending = _declarations(values[:, kinds, row], values[:, kinds + 1 + kind, row])
                yield [series.dataset.label, series.algorithm.label, name, str(t), str(runs), *cells, *ending]


def _declarations(duels: Floats, right: Floats) -> list[str]:
    """Return the cells on declarations, from those of every run; NaN is a run without one."""
    made = ~np.isnan(duels)
    if not made.any():
        return ["0.0", "", ""]
    return [repr(float(value)) for value in (made.mean(), duels[made].mean(), right[made].mean())]
