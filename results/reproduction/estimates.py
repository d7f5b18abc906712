"""Estimates from the summary of an experiment, with standard errors, and verdicts on them.

A verdict is True or False if a change by two standard errors does not reverse it, else None. Standard errors of
quotients are first-order approximations, and assume that the two numbers are independent.
"""

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np

from duelbench.markup import number
from duelbench.results.results import Results

Verdict = bool | None
_SIGNIFICANT = 2.0


class Mean(NamedTuple):
    """A mean over runs, or another estimate, and its standard error."""

    value: float
    sem: float

    def __str__(self) -> str:
        return f"{number(self.value)} ± {number(self.sem)}"

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of two standard errors on either side."""
        return self.value - _SIGNIFICANT * self.sem, self.value + _SIGNIFICANT * self.sem

    @property
    def with_interval(self) -> str:
        """The value and, in brackets, its interval."""
        return f"{number(self.value)} ({number(self.ends[0])} to {number(self.ends[1])})"

    @property
    def percent(self) -> str:
        """A share in percent."""
        return f"{100 * self.value:.1f} ± {100 * self.sem:.1f} %"


def ratio(a: Mean, b: Mean) -> Mean:
    """Return a / b, or NaN if b is 0."""
    value = a.value / b.value if b.value else math.nan
    return Mean(value, math.hypot(a.sem, value * b.sem) / abs(b.value) if b.value else math.nan)


def difference(a: Mean, b: Mean) -> Mean:
    """Return a − b."""
    return Mean(a.value - b.value, math.hypot(a.sem, b.sem))


def share(hits: float, runs: float) -> Mean:
    """Return the share ``hits / runs`` by the method of Agresti and Coull, which adds two hits and two misses.

    This makes the standard error adequate for a share near 0 or 1, too.
    """
    p = (hits + 2) / (runs + 4)
    return Mean(p, math.sqrt(p * (1 - p) / (runs + 4)))


def inside(estimate: Mean, low: float, high: float) -> Verdict:
    """Return whether an estimate is between two numbers, inclusive; None if only part of its interval is."""
    first, last = estimate.ends
    if low <= first and last <= high:
        return True
    return False if last < low or first > high else None


def below(a: Mean, b: Mean, factor: float = 1.0) -> Verdict:
    """Return whether a < factor · b; None within two standard errors of equality."""
    gap = difference(a, Mean(factor * b.value, factor * b.sem))
    return gap.value < 0 if abs(gap.value) > _SIGNIFICANT * gap.sem else None


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the combined verdict: False if any is False, else None if any is None, else True."""
    found = [*verdicts]
    return False if False in found else None if None in found else True


class NotRunError(Exception):
    """The results that a measure needs are missing."""


def cell(results: Results, column: str, algorithm: str, dataset: str | None = None, at: float | None = None) -> float:
    """Return a number of the summary at the checkpoint nearest to ``at``; NaN if there is none."""
    series = dataset or results.spec.datasets[0].label, algorithm, results.spec.regret[0]
    t = results.column("t", *series)
    if not len(t):
        raise NotRunError(f"{results.directory.name} has no {algorithm!r} on {series[0]!r}")
    nearest = np.abs(t - (at or max(results.spec.horizons))).argmin()
    return float(results.column(column, *series)[nearest]) if column in results.summary else math.nan


Quantity = Literal["regret", "std", "votes", "duels", "right", "wrong", "tau"]


def estimate(
    results: Results,
    algorithm: str,
    dataset: str | None = None,
    at: float | None = None,
    quantity: Quantity = "regret",
) -> Mean:
    """Return the mean regret or its standard deviation, or another mean or share of runs."""

    def read(*columns: str) -> list[float]:
        return [cell(results, column, algorithm, dataset, at) for column in columns]

    match quantity:
        case "regret":
            return Mean(*read("mean", "sem"))
        case "std":
            std, kurtosis, runs = read("std", "kurtosis", "runs")
            return Mean(std, std * math.sqrt(max(kurtosis - 1, 0.0) / (4 * runs)))
        case "duels":  # until a declaration
            declared, made, error = read("declared", "duels_to_declaration", "duels_sem")
            silent = (1 - declared) * max(results.spec.horizons)
            return Mean(silent + declared * made, error) if declared else Mean(silent, 0.0)
        case "right":  # of recommendations
            right, runs = read("recommended_right", "runs")
            return share(right * runs, runs)
        case "wrong":  # of declarations
            runs, declared, right = read("runs", "declared", "right")
            return share(runs * (declared * (1 - right)) if declared else 0.0, runs * declared)
        case "votes" | "tau":
            return Mean(*read(quantity, f"{quantity}_sem"))


def estimates(
    results: Results,
    algorithms: Iterable[str],
    dataset: str | None = None,
    at: float | None = None,
    quantity: Quantity = "regret",
) -> dict[str, Mean]:
    """Return the estimates of several algorithms by label."""
    return {each: estimate(results, each, dataset, at, quantity) for each in algorithms}


def every_dataset(results: Results) -> list[str]:
    """Return the labels of the datasets."""
    return [each.label for each in results.spec.datasets]


def not_right(results: Results, algorithm: str, datasets: Iterable[str]) -> Mean:
    """Return the share of the runs on all datasets that fail to declare what is right."""
    misses = total = 0.0
    for each in datasets:
        runs, declared, right = (cell(results, name, algorithm, each) for name in ("runs", "declared", "right"))
        misses += runs * (1 - (declared * right if declared else 0.0))
        total += runs
    return share(misses, total)


Finding = tuple[str, Verdict]
"""Numbers as text, and whether they agree with a statement."""
