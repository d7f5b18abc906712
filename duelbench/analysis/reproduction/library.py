"""Results that measures read, estimates with standard errors, and verdicts on them.

A verdict is True or False if a change by two standard errors does not reverse it, else None. Standard errors of
quotients are first-order approximations, and assume that the two numbers are independent.

A *measure* takes the results and returns a ``Finding``: its numbers as text, and whether they agree with the statement.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.files import MOST_BYTES, regular
from duelbench.layout import TABLE
from duelbench.results.reader import Results

_SIGNIFICANT = 2.0
_SMALLEST = 1e-9
"""Smaller numbers are printed with an exponent."""


class Mean(NamedTuple):
    """A mean over runs, or another estimate, and its standard error."""

    value: float
    sem: float

    def __str__(self) -> str:
        return f"{number(self.value)} ± {number(self.sem)}"

    @property
    def ends(self) -> tuple[float, float]:
        """The interval that extends two standard errors to either side."""
        return self.value - _SIGNIFICANT * self.sem, self.value + _SIGNIFICANT * self.sem

    @property
    def with_interval(self) -> str:
        """The value and, in brackets, its interval."""
        return f"{number(self.value)} ({number(self.ends[0])} to {number(self.ends[1])})"


def number(value: float) -> str:
    """Return a number with three significant digits, or with all digits before the point."""
    if value == 0 or abs(value) < _SMALLEST or not math.isfinite(value):
        return f"{value:.3g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def quotient(a: float, b: float) -> float:
    """Return a / b; infinity where b is 0."""
    return a / b if b else math.inf


def ratio(a: Mean, b: Mean) -> Mean:
    """Return a / b."""
    value = quotient(a.value, b.value)
    if not math.isfinite(value) or value == 0:
        return Mean(value, quotient(a.sem, abs(b.value)))
    return Mean(value, abs(value) * math.hypot(a.sem / a.value, b.sem / b.value))


def difference(a: Mean, b: Mean) -> Mean:
    """Return a − b."""
    return Mean(a.value - b.value, math.hypot(a.sem, b.sem))


def inside(estimate: Mean, low: float, high: float) -> bool | None:
    """Return whether an estimate is between two numbers, inclusive; None if only part of its interval is."""
    if math.isnan(estimate.value) or math.isnan(estimate.sem):
        return None
    if not estimate.sem:
        return low <= estimate.value <= high
    first, last = estimate.ends
    if low <= first and last <= high:
        return True
    return False if last < low or first > high else None


def below(a: Mean, b: Mean, factor: float = 1.0) -> bool | None:
    """Return whether a < factor · b; None within two standard errors of equality."""
    gap, error = a.value - factor * b.value, math.hypot(a.sem, factor * b.sem)
    return None if math.isnan(gap) or abs(gap) <= _SIGNIFICANT * error else gap < 0


def together(verdicts: list[bool | None]) -> bool | None:
    """Return the combined verdict: False if any is False, else None if any is None, else True."""
    return False if False in verdicts else None if None in verdicts else True


def share(hits: float, runs: float) -> Mean:
    """Return the share ``hits / runs`` by the method of Agresti and Coull, which adds two hits and two misses.

    So its standard error is also adequate for a share near 0 or 1.
    """
    n = runs + 4
    p = (hits + 2) / n
    return Mean(p, math.sqrt(p * (1 - p) / n))


class NotRunError(Exception):
    """The results that a measure needs are missing."""


class Finding(NamedTuple):
    """What was measured, as text, and whether it agrees; None if there are too few runs to decide."""

    measured: str
    agrees: bool | None


class Library:
    """The results in the subdirectories of ``root``, read on first use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.figure = cache(self._figure)

    def _figure(self, name: str) -> Results:
        results = Results(self.root / name)
        if not results.finished:
            raise NotRunError(name)
        return results

    def mean(self, name: str, label: str, dataset: str | None, share: float = 1.0) -> Mean:
        """Return the mean regret of an algorithm at the checkpoint nearest to a share of the horizon.

        ``dataset`` may be None if there is only one.
        """
        at = share * max(self.figure(name).spec.horizons)
        t, mean, sem = self._curve(name, label, dataset)
        return _mean(mean, sem, int(np.abs(t - at).argmin()))

    def highest(self, name: str, label: str) -> Mean:
        """Return the largest mean regret that an algorithm has at any checkpoint, on the only dataset."""
        _, mean, sem = self._curve(name, label, None)
        return _mean(mean, sem, int(mean.argmax()))

    def _curve(self, name: str, label: str, dataset: str | None) -> tuple[Floats, Floats, Floats]:
        """Return the checkpoints, and the means and standard errors of the regret there."""
        results = self.figure(name)
        place = dataset or results.spec.datasets[0].label, label, results.spec.regret[0]
        t, mean, sem = (results.column(column, *place) for column in ("t", "mean", "sem"))
        if not len(t):
            raise NotRunError(name)
        return t, mean, sem

    def value(self, name: str, column: str, label: str, dataset: str | None, regret: str | None = None) -> float:
        """Return a number of the summary at the horizon."""
        results = self.figure(name)
        kind = regret or results.spec.regret[0]
        panel = dataset or results.spec.datasets[0].label
        found = results.value(column, panel, label, kind, max(results.spec.horizons))
        if found is None:
            raise NotRunError(name)
        return found

    def constant(self, name: str, bound: str) -> float:
        """Return the constant of a bound on the only dataset."""
        results = self.figure(name)
        constant = results.bounds.get((results.spec.datasets[0].label, bound))
        if constant is None:
            raise NotRunError(name)
        return constant

    def table(self, name: str) -> dict[str, Mean]:
        """Return the rows of a table of bounds. Raises UserError if the file is not such a table."""
        path = self.root / name / TABLE
        if not os.path.lexists(path):
            raise NotRunError(name)
        try:
            with regular(path, MOST_BYTES).open(encoding="utf-8", newline="") as file:
                return {row["bound"]: Mean(float(row["mean"]), float(row["sem"] or 0)) for row in csv.DictReader(file)}
        except (OSError, ValueError, KeyError, TypeError, csv.Error):
            raise UserError("is not a table of bounds: make it again, or remove it", source=str(path)) from None


def _mean(mean: Floats, sem: Floats, at: int) -> Mean:
    return Mean(float(mean[at]), 0.0 if math.isnan(sem[at]) else float(sem[at]))


Measure = Callable[[Library], Finding]


class Statement(NamedTuple):
    """A statement of a paper about one of its figures."""

    text: str
    measure: Measure
    otherwise: str = ""


class Figure(NamedTuple):
    """A figure or table of a paper: the name of its results, and the statements about it.

    The name is empty if the statements are about several figures.
    """

    name: str
    title: str
    statements: tuple[Statement, ...]


class Paper(NamedTuple):
    """A paper, its figures, and a note on how we read it, which is always printed."""

    citation: str
    figures: tuple[Figure, ...]
    note: str = ""
