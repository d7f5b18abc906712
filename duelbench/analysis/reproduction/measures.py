"""Measures, which check on results whether a statement holds.

A *measure* takes the results and returns a ``Finding``: its numbers as text, and whether they agree with the statement.
It is undecided if a change by two standard errors would reverse it (see ``estimates``). A run without a declaration
counts with the horizon where duels until a declaration are counted, and as wrong where right declarations are.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from duelbench.analysis.reproduction.estimates import (
    Mean,
    below,
    difference,
    inside,
    number,
    ratio,
    together,
)
from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.files import MOST_BYTES, regular
from duelbench.layout import TABLE
from duelbench.results.reader import Results


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


def lower(name: str, label: str, *others: str, factor: float = 1.0, dataset: str | None = None) -> Measure:
    """At the horizon the mean regret of ``label`` is below ``factor`` times that of each of the ``others``."""

    def measure(library: Library) -> Finding:
        own = library.mean(name, label, dataset)
        theirs = {other: library.mean(name, other, dataset) for other in others}
        verdicts = {other: below(own, mean, factor) for other, mean in theirs.items()}
        shown = theirs
        if len(theirs) > 3:  # the closest one, and all that do not agree
            best = min(theirs, key=lambda other: theirs[other].value)
            shown = {other: mean for other, mean in theirs.items() if other == best or verdicts[other] is not True}
        words = "; ".join(f"{other} {mean}" for other, mean in {label: own, **shown}.items())
        if factor != 1:
            words += f"; agreement is below {number(factor)} of theirs"
        return Finding(words, together(list(verdicts.values())))

    return measure


def groups(name: str, *labels: tuple[str, ...], within: float) -> Measure:
    """Regrets within each group are equal up to a factor, and those of later groups are below all earlier ones."""

    def measure(library: Library) -> Finding:
        means = [[library.mean(name, label, None) for label in group] for group in labels]
        alike = [inside(ratio(max(group), min(group)), 0.0, within) for group in means]
        falling = [below(max(after), min(before)) for before, after in pairwise(means)]
        words = "; ".join(
            ", ".join(f"{label} {mean}" for label, mean in zip(group, found, strict=True))
            for group, found in zip(labels, means, strict=True)
        )
        return Finding(f"{words}; alike is up to a factor of {within:g}", together(alike + falling))

    return measure


def on_the_axis(name: str, top: float, *labels: str) -> Measure:
    """The mean regret is below ``top`` at every checkpoint."""

    def measure(library: Library) -> Finding:
        found = {label: library.highest(name, label) for label in labels}
        words = "; ".join(f"{label} {mean}" for label, mean in found.items())
        verdicts = [below(mean, Mean(top, 0.0)) for mean in found.values()]
        return Finding(f"at most {words}; the axis ends at {number(top)}", together(verdicts))

    return measure


def as_read(name: str, label: str, readings: dict[float, float], within: float, dataset: str | None = None) -> Measure:
    """At these shares of the horizon the mean regret equals the ``readings`` from a figure, up to a factor."""

    def measure(library: Library) -> Finding:
        found = [(library.mean(name, label, dataset, share), read) for share, read in readings.items()]
        words = "; ".join(f"{mean}, read off {number(read)}" for mean, read in found)
        verdicts = [inside(ratio(mean, Mean(read, 0.0)), 1 / within, within) for mean, read in found]
        return Finding(f"{words}; agreement is up to a factor of {within:g}", together(verdicts))

    return measure


def ordered(name: str, *labels: str, dataset: str | None = None, share: float = 1.0) -> Measure:
    """At the horizon, or at a share of it, the mean regrets increase in this order."""

    def measure(library: Library) -> Finding:
        means = [library.mean(name, label, dataset, share) for label in labels]
        words = "; ".join(f"{label} {mean}" for label, mean in zip(labels, means, strict=True))
        return Finding(words, together([below(a, b) for a, b in pairwise(means)]))

    return measure


def close(name: str, a: str, b: str, within: float, dataset: str | None = None) -> Measure:
    """At the horizon the mean regrets differ by a factor of at most ``within``."""

    def measure(library: Library) -> Finding:
        first, second = library.mean(name, a, dataset), library.mean(name, b, dataset)
        found = ratio(first, second)
        words = f"{a} {first}; {b} {second}; ratio {found.with_interval}, agreement is up to {within:g}"
        return Finding(words, inside(found, 1 / within, within))

    return measure


def close_on(name: str, a: str, b: str, within: float, datasets: tuple[str, ...]) -> Measure:
    """On each dataset the mean regrets at the horizon differ by a factor of at most ``within``."""

    def measure(library: Library) -> Finding:
        found = {each: ratio(library.mean(name, a, each), library.mean(name, b, each)) for each in datasets}
        words = "; ".join(f"{each}: ratio {factor.with_interval}" for each, factor in found.items())
        verdicts = [inside(factor, 1 / within, within) for factor in found.values()]
        return Finding(f"{words}; agreement is up to {within:g}", together(verdicts))

    return measure


def slope(name: str, a: str, b: str, within: float) -> Measure:
    """The regret that the last decade of rounds adds differs by a factor of at most ``within``."""

    def measure(library: Library) -> Finding:
        first, second = (  # treats the two ends as independent, which can only overestimate the error
            difference(library.mean(name, label, None), library.mean(name, label, None, share=0.1)) for label in (a, b)
        )
        found = ratio(first, second)
        words = f"last decade: {a} +{first}, {b} +{second}; ratio {found.with_interval}, agreement is up to {within:g}"
        return Finding(words, inside(found, 1 / within, within))

    return measure


def linear(name: str, label: str) -> Measure:
    """The regret grows at least eightfold over the last decade of rounds."""

    def measure(library: Library) -> Finding:
        growth = ratio(library.mean(name, label, None), library.mean(name, label, None, share=0.1))
        words = f"grows {growth.with_interval}-fold over the last decade; agreement is from 8 on"
        return Finding(words, inside(growth, 8, math.inf))

    return measure


def grows(name: str, label: str, sizes: Mapping[str, int], low: float = 0.0, high: float = math.inf) -> Measure:
    """From the first dataset to the last the mean regret grows with a power of the arms between ``low`` and ``high``.

    ``sizes`` has the number of arms of each dataset.
    """

    def measure(library: Library) -> Finding:
        first, *_, last = sizes
        means = [library.mean(name, label, each) for each in (first, last)]
        factor, scale = ratio(means[1], means[0]), math.log(sizes[last] / sizes[first])
        power = Mean(math.log(factor.value) / scale, factor.sem / factor.value / scale)
        bound = f"up to {high:g}" if low == 0 else f"from {low:g} on"
        words = f"K = {sizes[first]}: {means[0]}; K = {sizes[last]}: {means[1]}; as K to the power "
        return Finding(f"{words}{power.with_interval}, agreement is {bound}", inside(power, low, high))

    return measure


def near(name: str, a: str, b: str, axis: str, within: float, dataset: str | None = None) -> Measure:
    """The mean regrets of ``a`` and ``b`` differ by at most a share of that of ``axis``, the top of a linear axis."""

    def measure(library: Library) -> Finding:
        first, second, top = (library.mean(name, label, dataset) for label in (a, b, axis))
        apart = ratio(Mean(abs(first.value - second.value), math.hypot(first.sem, second.sem)), top)
        words = (
            f"{a} {first}; {b} {second}; {number(100 * apart.value)} ± {number(100 * apart.sem)} % of {axis}'s "
            f"{number(top.value)} apart, agreement is up to {100 * within:g} %; "
            f"ratio {number(ratio(first, second).value)}"
        )
        return Finding(words, below(apart, Mean(within, 0.0)))

    return measure


def approaches(name: str, start: str, end: str, goal: str, dataset: str | None = None) -> Measure:
    """The mean regret of ``end`` exceeds that of ``goal`` by less than half as much as that of ``start`` does."""

    def measure(library: Library) -> Finding:
        first, last, aim = (library.mean(name, label, dataset) for label in (start, end, goal))
        far, left = (difference(each, aim) for each in (first, last))
        words = f"{start} {first}; {end} {last}; {goal} {aim}; {number(100 * ratio(left, far).value)} %"
        return Finding(f"{words} of the distance is left, agreement is below 50 %", below(left, far, 0.5))

    return measure
