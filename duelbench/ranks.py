"""Mean ranks of algorithms over datasets, and the difference that is statistically significant.

Friedman's test, in the form of Iman and Davenport, tests whether any two algorithms differ; Nemenyi's post-hoc test
tells which ones differ. See Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7, 2006, 1–30, section 3.2.2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import f, rankdata, studentized_range

from duelbench.arrays import Floats

FEWEST = 5
"""The smallest number of datasets for the tests: both are valid only for many datasets."""
LEVEL = 0.05


@dataclass(frozen=True)
class Ranks:
    """Mean ranks, and the tests on them.

    ``mean``: (algorithms,) the mean rank of each, 1 for an algorithm that is the best on all ``datasets``. ``p``: the
    p-value of Friedman's test of equal expected ranks. ``critical``: the smallest difference of mean ranks that is
    significant in Nemenyi's test, at a family-wise level of 5 %.
    """

    mean: Floats
    datasets: int
    p: float
    critical: float

    @property
    def enough(self) -> bool:
        """Whether there are enough datasets for the tests."""
        return self.datasets >= FEWEST

    @property
    def differ(self) -> bool:
        """Whether Friedman's test is significant; otherwise Nemenyi's test is not made."""
        return self.p < LEVEL

    def alike(self) -> list[tuple[int, int]]:
        """Return the maximal groups of algorithms that do not differ significantly.

        A group has at least two algorithms. It is given by its first and last position in the order from the best
        algorithm to the worst. No group contains another.
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


def mean_ranks(values: Floats, grids: Sequence[str] = ()) -> Ranks:
    """Return the mean ranks for (datasets, algorithms) values, at least (2, 2); smaller is better, ties share ranks.

    Datasets with the same entry in ``grids`` are points of a grid. They count as one dataset, on which algorithms rank
    by their mean rank over the points.
    """
    ranks = rankdata(values, axis=1)
    if grids:
        places = [[each == grid for each in grids] for grid in dict.fromkeys(grids)]
        ranks = rankdata([ranks[place].mean(axis=0) for place in places], axis=1)
    datasets, algorithms = ranks.shape
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
    """Return a p-value as text, with mathtext."""
    return "$p$ < 0.001" if p < 0.001 else f"$p$ = {p:.3f}" if p < 0.0995 else f"$p$ = {p:.2f}"
