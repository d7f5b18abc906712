"""The precision of a mean over runs: whether there are enough runs, and whether one run has most of the variance.

If the variance is finite, a rule that adds runs until the standard error is small gives confidence intervals with
asymptotically correct coverage (Chow & Robbins, On the asymptotic theory of fixed-width sequential confidence intervals
for the mean, Annals of Mathematical Statistics 36, 1965, 457–462). If rare runs have a large regret, however, it stops
too early, before such a run has occurred. The share of the largest term in the sum of squares detects this: it tends to
0 with more runs if and only if the variance is finite (O'Brien, A limit theorem for sample maxima and heavy branches in
Galton–Watson trees, Journal of Applied Probability 17, 1980, 539–545; Embrechts, Klüppelberg & Mikosch, Modelling
Extremal Events, 1997, section 6.2.6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from duelbench.arrays import Floats
from duelbench.results.files import RunFiles
from duelbench.results.identity import SeriesIdentity, Wanted
from duelbench.results.summary import Final
from duelbench.spec.values import Until

HEAVY = 0.25
"""Tails are heavy if the kurtosis exceeds this share of the number of runs.

Kurtosis divided by runs is at least the square of the largest share of a single run in the sum of squared deviations,
and at most that share. So a run with more than half of the variance is always detected, and a run with less than a
quarter never is.

Of 50 exponential numbers, whose tails are not heavy, this holds in 4 % of samples, and of 100 in 0.4 %; of Pareto
numbers with α = 1.2, whose variance is infinite, in 75 and 71 %."""
TOO_FEW = 50
"""The minimum number of runs for this test."""


def heavy_tailed(runs: float, kurtosis: float) -> bool:
    """Return whether a few runs, or one, have much of the variance."""
    return runs >= TOO_FEW and kurtosis > HEAVY * runs


def precise(values: Floats, share: float, of: float) -> bool:
    """Return whether the standard error of the mean of (runs,) values is at most this ``share`` of a number."""
    return len(values) > 1 and float(values.std(ddof=1)) / math.sqrt(len(values)) <= share * abs(of)


def lacks_precision(until: Until | None, label: str, final: Final) -> bool:
    """Return whether the standard error of the mean exceeds its target; False for algorithms in a difference."""
    if until is None or not final.runs or label in (until.difference or ()):
        return False
    return not (final.runs > 1 and final.std / math.sqrt(final.runs) <= until.until * abs(final.mean))


def enough(wanted: Wanted, series: SeriesIdentity, place: Path, asked: Sequence[int], final: Final) -> bool:
    """Return whether a series needs no more runs than the ``asked`` ones, all of which are in its directory.

    A series in a difference needs no more as long as runs of the other algorithm are missing.
    """
    until = wanted.until
    if until is None or not final.runs:  # if all runs failed, more would fail, too
        return True
    if until.difference is None or series.labels.algorithm not in until.difference:
        return not lacks_precision(until, series.labels.algorithm, final)
    both = [_ends(RunFiles(each, place.with_name(each.labels.algorithm)), asked) for each in _compared(wanted, series)]
    first, second = both
    if first is None or second is None:
        return True
    shared = [number for number in first if number in second]
    a, b = (np.array([each[number] for number in shared]) for each in (first, second))
    return not shared or precise(a - b, until.until, float(b.mean()))


def others(wanted: Wanted, series: SeriesIdentity) -> list[SeriesIdentity]:
    """Return the series whose number of runs depends on those of this one."""
    until = wanted.until
    if until is None or until.difference is None or series.labels.algorithm not in until.difference:
        return []
    return [each for each in _compared(wanted, series) if each.labels != series.labels]


def _compared(wanted: Wanted, series: SeriesIdentity) -> list[SeriesIdentity]:
    """Return the two series of the difference, on the dataset of this series."""
    assert wanted.until is not None
    there = {each.labels.algorithm: each for each in wanted.series if each.labels.dataset == series.labels.dataset}
    return [there[label] for label in wanted.until.difference or ()]


def _ends(runs: RunFiles, asked: Sequence[int]) -> dict[int, float] | None:
    """Return the final regret of the asked runs that have not failed; None if a run is missing."""
    ends = {}
    for number in asked:
        state, body = runs.examine(number)
        if state == "done":
            ends[number] = float(body.splitlines()[-1].split(",")[1])
        elif state != "failed":
            return None
    return ends
