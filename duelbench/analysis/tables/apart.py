"""Which algorithms runs tell apart: tests between every two of them, corrected for their number.

What is tested is every pair, so that it does not matter that the best one is chosen by the same runs: whichever it is,
its comparisons with the others are among those that were corrected for. (To test the others against the best as if
it had been chosen before finds a difference too often where there is none.)

Means are compared by Welch's t. It allows for unequal variances, and it is a test of what the table shows: a rank test
is one of medians, and where tails are heavy the algorithm with the better median may have the worse mean. A rare run
that costs much makes t cautious, as it enlarges the error with the mean. Shares of runs are compared by Fisher's exact
test.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import fisher_exact, ttest_ind_from_stats

from duelbench.arrays import Floats

LEVEL = 0.05


class Sample(NamedTuple):
    """The mean over so many ``runs`` and its standard error; of a share no error is needed."""

    mean: float
    error: float
    runs: int


def compared_by_welch(samples: Sequence[Sample]) -> Floats:
    """Return (samples, samples) p-values of equal means, corrected by Holm for all pairs; of two runs or more each."""
    mean, error, runs = (np.array(each, float) for each in zip(*samples, strict=True))
    a, b = np.triu_indices(len(samples), 1)
    std = error * np.sqrt(runs)
    with np.errstate(all="ignore"):
        test = ttest_ind_from_stats(mean[a], std[a], runs[a], mean[b], std[b], runs[b], equal_var=False)
    without_errors = (mean[a] == mean[b]).astype(float)  # and so without doubt
    return _of_pairs(len(samples), np.where(np.isnan(test.pvalue), without_errors, test.pvalue).tolist())


def compared_by_fisher(samples: Sequence[Sample]) -> Floats:
    """Return the same of equal shares."""

    def p(a: Sample, b: Sample) -> float:
        right = [round(each.mean * each.runs) for each in (a, b)]
        table = [[right[0], a.runs - right[0]], [right[1], b.runs - right[1]]]
        return float(fisher_exact(table).pvalue)

    return _of_pairs(len(samples), [p(a, b) for a, b in combinations(samples, 2)])


def _of_pairs(count: int, values: list[float]) -> Floats:
    found = np.ones((count, count))
    for (a, b), value in zip(combinations(range(count), 2), holm(values), strict=True):
        found[a, b] = found[b, a] = value
    return found


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values that are corrected for their number, by Holm's step-down procedure."""
    order = np.argsort(values, kind="stable")
    steps = [min(1.0, (len(values) - step) * values[place]) for step, place in enumerate(order)]
    corrected = np.empty(len(values))
    corrected[order] = np.maximum.accumulate(steps) if steps else []
    return corrected.tolist()
