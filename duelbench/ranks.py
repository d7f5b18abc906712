"""Mean ranks of algorithms over datasets, and how far apart they must be for chance not to explain it.

Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7, 2006,
1–30, section 3.2.2: Friedman's test in the form of Iman and Davenport, which says whether any two algorithms differ,
and Nemenyi's, which says which.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import f, rankdata, studentized_range

from duelbench.arrays import Floats

FEWEST = 5
"""Datasets below which ranks are taken to tell nothing: both tests hold for many datasets only."""
LEVEL = 0.05


@dataclass(frozen=True)
class Ranks:
    """``mean``: (algorithms,) the mean rank of each, 1 where it is the best on all of so many ``datasets``.

    ``p``: of Friedman's test that all have the same expected rank. ``critical``: the difference of mean ranks from
    which on Nemenyi's test, at 5 % for all pairs together, is significant.
    """

    mean: Floats
    datasets: int
    p: float
    critical: float

    @property
    def enough(self) -> bool:
        """Whether the datasets are enough for the tests."""
        return self.datasets >= FEWEST

    @property
    def differ(self) -> bool:
        """Whether Friedman's test finds that some differ; else Nemenyi's is not asked which."""
        return self.p < LEVEL

    def alike(self) -> list[tuple[int, int]]:
        """Return the longest stretches of the algorithms, from the best on, without a significant difference.

        Each is the places of its first and last one in that order; of more than one algorithm, and none within another.
        """
        ordered = np.sort(self.mean)
        if not self.differ:
            return [(0, len(ordered) - 1)]
        lasts = [int(np.searchsorted(ordered, low + self.critical, side="left")) - 1 for low in ordered]
        return [
            (first, last)
            for first, last in enumerate(lasts)
            if last > first and (first == 0 or last > lasts[first - 1])
        ]


def mean_ranks(values: Floats) -> Ranks:
    """Rank (datasets, algorithms) numbers of which smaller ones are better, two of each at least; equal ones share."""
    datasets, algorithms = values.shape
    ranks = rankdata(values, axis=1)
    spread = float(((ranks - (algorithms + 1) / 2) ** 2).sum())
    between = datasets * float(((ranks.mean(axis=0) - (algorithms + 1) / 2) ** 2).sum())
    within = spread - between
    # Friedman's χ² is datasets · (algorithms − 1) · between / spread; this is F of Iman and Davenport.
    freedom = (algorithms - 1, (algorithms - 1) * (datasets - 1))
    if spread == 0:
        p = 1.0
    else:
        p = float(f.sf((datasets - 1) * between / within, *freedom)) if within > 1e-9 * spread else 0.0
    critical = _quantile(algorithms) * math.sqrt(algorithms * (algorithms + 1) / (6 * datasets))
    return Ranks(ranks.mean(axis=0), datasets, p, critical)


@cache
def _quantile(algorithms: int) -> float:
    return float(studentized_range.ppf(1 - LEVEL, algorithms, np.inf)) / math.sqrt(2)


def p_said(p: float) -> str:
    """Return a p-value in words, with mathtext."""
    return "$p$ < 0.001" if p < 0.001 else f"$p$ = {p:.3f}" if p < 0.0995 else f"$p$ = {p:.2f}"
