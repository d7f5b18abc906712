"""The precision of a mean over runs: whether they are enough, and whether one run has most of the variance.

A rule that stops where the standard error is small, and looks at ever more runs, gives intervals whose probability is
right in the limit of small ones (Chow & Robbins, On the asymptotic theory of fixed-width sequential confidence
intervals for the mean, Annals of Mathematical Statistics 36, 1965, 457–462), if the variance is finite. Where runs that
are rare cost much, it stops too soon: they have not happened yet. To tell that, there is the share of the largest term
in a sum of squares. It tends to 0 with more runs if, and only if, the variance is finite (O'Brien, A limit theorem for
sample maxima and heavy branches in Galton–Watson trees, Journal of Applied Probability 17, 1980, 539–545; Embrechts,
Klüppelberg & Mikosch, Modelling Extremal Events, 1997, section 6.2.6).
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
from duelbench.spec.until import Until

HEAVY = 0.25
"""A kurtosis of this share of the runs, which is at least the square of the share of the sum of squared deviations that
a single run has, and at most that share: one with more than half of the variance always shows, and none that has less
than a quarter.

Of 50 exponential numbers, whose tails are not heavy, that is so in 4 % of samples, of 100 in 0.4 %; of Pareto ones with
α = 1.2, whose variance is infinite, in 75 and 71 %."""
TOO_FEW = 50
"""Runs from which that can be told."""


def heavy_tailed(runs: float, kurtosis: float) -> bool:
    """Return whether one run, or a few, have much of the variance."""
    return runs >= TOO_FEW and kurtosis > HEAVY * runs


def precise(values: Floats, share: float, of: float) -> bool:
    """Tell whether the standard error of the mean of (runs,) values is at most this ``share`` of a number."""
    return len(values) > 1 and float(values.std(ddof=1)) / math.sqrt(len(values)) <= share * abs(of)


def lacks_precision(until: Until | None, label: str, final: Final) -> bool:
    """Tell whether the standard error of the mean is larger than asked for; it never is of one in a difference."""
    if until is None or not final.runs or label in (until.difference or ()):
        return False
    return not (final.runs > 1 and final.std / math.sqrt(final.runs) <= until.until * abs(final.mean))


def enough(wanted: Wanted, series: SeriesIdentity, place: Path, asked: Sequence[int], final: Final) -> bool:
    """Tell whether a series in its directory, all of whose ``asked`` runs are there, needs no more of them.

    Of a difference, it has enough for the moment while runs of the other algorithm are missing.
    """
    until = wanted.until
    if until is None or not final.runs:  # where all fail, more of them would
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
    """Return the two series whose difference counts, on the dataset of this one."""
    assert wanted.until is not None
    there = {each.labels.algorithm: each for each in wanted.series if each.labels.dataset == series.labels.dataset}
    return [there[label] for label in wanted.until.difference or ()]


def _ends(runs: RunFiles, asked: Sequence[int]) -> dict[int, float] | None:
    """Return the regret at the end of the asked runs that have not failed; None while one is missing."""
    ends = {}
    for number in asked:
        state, body = runs.examine(number)
        if state == "done":
            ends[number] = float(body.splitlines()[-1].split(",")[1])
        elif state != "failed":
            return None
    return ends
