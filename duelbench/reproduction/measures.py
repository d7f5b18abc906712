"""Ways to ask results whether a statement holds; every answer is computed, with its numbers in words.

A *measure* takes the results at hand and returns a ``Finding``. A comparison of means agrees or disagrees when the
difference is more than two standard errors; between that it is undecided.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from duelbench.errors import UserError
from duelbench.layout import MOST_BYTES_OF_A_RECORD, SUMMARY, TABLE
from duelbench.plots.results import Results
from duelbench.reading import regular

SIGNIFICANT = 2.0
SMALLEST = 1e-9
"""What is smaller is printed with an exponent."""


class NotRunError(Exception):
    """The results that a measure needs are not there."""


class Finding(NamedTuple):
    """What was measured, in words, and whether it agrees; None where the runs are too few to tell."""

    measured: str
    agrees: bool | None


class Mean(NamedTuple):
    """A mean over runs and its standard error."""

    value: float
    sem: float

    def __str__(self) -> str:
        return f"{number(self.value)} ± {number(self.sem)}"


class Library:
    """The results under a directory, by name, read when asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.figure = cache(self._figure)

    def _figure(self, name: str) -> Results:
        if not os.path.lexists(self.root / name / SUMMARY):
            raise NotRunError(name)
        return Results(self.root / name)

    def mean(self, name: str, label: str, dataset: str | None, share: float = 1.0) -> Mean:
        """Return the mean regret of an algorithm at the checkpoint nearest to a share of the horizon.

        ``dataset`` may be None where there is one.
        """
        results = self.figure(name)
        rows = results.series(dataset or results.spec.datasets[0].label, label, results.spec.regret[0])
        if rows.empty:
            raise NotRunError(name)
        at = share * max(results.spec.horizons)
        row = rows.iloc[(rows["t"] - at).abs().to_numpy().argmin()]
        return Mean(float(row["mean"]), 0.0 if math.isnan(row["sem"]) else float(row["sem"]))

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
        """Return the rows of a table of bounds. Raises UserError when it is something else."""
        path = self.root / name / TABLE
        if not os.path.lexists(path):
            raise NotRunError(name)
        try:
            with regular(path, MOST_BYTES_OF_A_RECORD).open(encoding="utf-8", newline="") as file:
                return {row["bound"]: Mean(float(row["mean"]), float(row["sem"] or 0)) for row in csv.DictReader(file)}
        except (OSError, ValueError, KeyError, TypeError, csv.Error):
            raise UserError("is not a table of bounds: make it again, or remove it", source=str(path)) from None


Measure = Callable[[Library], Finding]


def number(value: float) -> str:
    """Print three digits, or all before the point."""
    if value == 0 or abs(value) < SMALLEST or not math.isfinite(value):
        return f"{value:.3g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"


def quotient(a: float, b: float) -> float:
    """Return a / b; infinity where b is 0."""
    return a / b if b else math.inf


def below(a: Mean, b: Mean, factor: float = 1.0) -> bool | None:
    """Tell whether a < factor · b; None within two standard errors of equality."""
    difference, error = a.value - factor * b.value, math.hypot(a.sem, factor * b.sem)
    return None if abs(difference) <= SIGNIFICANT * error else difference < 0


def together(verdicts: list[bool | None]) -> bool | None:
    """Combine verdicts: one that disagrees decides, then one that cannot tell."""
    return False if False in verdicts else None if None in verdicts else True


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
        return Finding(words, together(list(verdicts.values())))

    return measure


def ordered(name: str, *labels: str, dataset: str | None = None) -> Measure:
    """At the horizon the mean regrets increase in this order."""

    def measure(library: Library) -> Finding:
        means = [library.mean(name, label, dataset) for label in labels]
        words = "; ".join(f"{label} {mean}" for label, mean in zip(labels, means, strict=True))
        return Finding(words, together([below(a, b) for a, b in pairwise(means)]))

    return measure


def close(name: str, a: str, b: str, within: float, dataset: str | None = None) -> Measure:
    """At the horizon the mean regrets differ by a factor of at most ``within``."""

    def measure(library: Library) -> Finding:
        first, second = library.mean(name, a, dataset), library.mean(name, b, dataset)
        ratio = quotient(first.value, second.value)
        words = f"{a} {first}; {b} {second}; ratio {number(ratio)}, agreement is up to {within:g}"
        return Finding(words, 1 / within <= ratio <= within)

    return measure


def slope(name: str, a: str, b: str, within: float) -> Measure:
    """The regret that the last decade of rounds adds differs by a factor of at most ``within``."""

    def measure(library: Library) -> Finding:
        gain = {
            label: library.mean(name, label, None).value - library.mean(name, label, None, share=0.1).value
            for label in (a, b)
        }
        ratio = quotient(gain[a], gain[b])
        words = (
            f"last decade: {a} +{number(gain[a])}, {b} +{number(gain[b])}; agreement is up to a factor of {within:g}"
        )
        return Finding(words, 1 / within <= ratio <= within)

    return measure


def linear(name: str, label: str) -> Measure:
    """The regret grows at least eightfold over the last decade of rounds."""

    def measure(library: Library) -> Finding:
        last, before = library.mean(name, label, None), library.mean(name, label, None, share=0.1)
        ratio = quotient(last.value, before.value)
        return Finding(f"grows {number(ratio)}-fold over the last decade; agreement is from 8 on", ratio >= 8)

    return measure


def std_share(name: str, label: str, base: str, stated: float, within: float, dataset: str) -> Measure:
    """The standard deviation, in percent of the mean regret of ``base``, is ``stated`` up to a factor ``within``."""

    def measure(library: Library) -> Finding:
        mean = library.mean(name, base, dataset).value
        share = quotient(100 * library.value(name, "std", label, dataset), mean)
        words = f"{number(share)} %; agreement is up to a factor of {within:g}"
        return Finding(words, stated / within <= share <= stated * within)

    return measure


def at_most_std(name: str, label: str, base: str, factor: float, dataset: str) -> Measure:
    """The standard deviation of ``label`` is at most ``factor`` times that of ``base``."""

    def measure(library: Library) -> Finding:
        own, theirs = (library.value(name, "std", each, dataset) for each in (label, base))
        return Finding(f"{label} {number(own)}; {base} {number(theirs)}", own <= factor * theirs)

    return measure


def bounds_ratio(name: str, smallest: float, largest: float) -> Measure:
    """The ratio LB/ECWB is within an interval."""

    def measure(library: Library) -> Finding:
        low, high = library.constant(name, "LB"), library.constant(name, "ECWB")
        ratio = low / high if high else math.nan
        words = (
            f"LB {number(low)}, ECWB {number(high)}; ratio {number(ratio)}, agreement is in {smallest:g}–{largest:g}"
        )
        return Finding(words, smallest <= ratio <= largest * (1 + 1e-9))  # equal but for rounding

    return measure


def table_value(name: str, bound: str, stated: float, within: float) -> Measure:
    """A constant in a table is ``stated`` up to a factor ``within``."""

    def measure(library: Library) -> Finding:
        table = library.table(name)
        if bound not in table:
            raise NotRunError(name)
        mean = table[bound]
        words = f"{mean}; agreement is up to a factor of {within:g}"
        return Finding(words, stated / within <= mean.value <= stated * within)

    return measure


def robust(name: str, label: str, delays: tuple[int, ...], within: float, dataset: str) -> Measure:
    """Regret under each of the delays is at most ``within`` times that without."""

    def measure(library: Library) -> Finding:
        base, *late = (library.mean(name, label, f"{dataset}-delay={delay}") for delay in (1, *delays))
        ratios = [quotient(each.value, base.value) for each in late]
        words = ", ".join(f"{number(ratio)} at delay {delay:,}" for ratio, delay in zip(ratios, delays, strict=True))
        return Finding(f"regret is {words} of that without; agreement is up to {within:g}", max(ratios) <= within)

    return measure


def sooner(name: str, label: str, *others: str, datasets: tuple[str, ...]) -> Measure:
    """A winner is declared after fewer duels, runs without one counting with the horizon, on each dataset."""

    def measure(library: Library) -> Finding:
        horizon = max(library.figure(name).spec.horizons)

        def duels(each: str, dataset: str) -> float:
            share = library.value(name, "declared", each, dataset)
            made = library.value(name, "duels_to_declaration", each, dataset) if share > 0 else 0.0
            return share * made + (1 - share) * horizon

        pairs = [(dataset, duels(label, dataset), [duels(each, dataset) for each in others]) for dataset in datasets]
        words = "; ".join(
            f"{dataset}: {number(own)} to {', '.join(map(number, theirs))}" for dataset, own, theirs in pairs
        )
        return Finding(words, all(own < min(theirs) for _, own, theirs in pairs))

    return measure


def more_often_right(name: str, label: str, *others: str, dataset: str) -> Measure:
    """Among the runs that declared a winner, fewer were wrong."""

    def measure(library: Library) -> Finding:
        wrong = {each: 1 - library.value(name, "right", each, dataset) for each in (label, *others)}
        words = "; ".join(f"{each} {100 * share:.0f} % wrong" for each, share in wrong.items() if not math.isnan(share))
        shares = [wrong[each] for each in others]
        if any(map(math.isnan, wrong.values())):
            return Finding(f"{words}; not all declare a winner", None)
        return Finding(words, wrong[label] < min(shares))

    return measure


def grows_like(name: str, label: str, datasets: tuple[tuple[int, str], ...], power: float, within: float) -> Measure:
    """The duels until a declaration grow with K to a power, between the first and the last of (K, dataset)."""

    def measure(library: Library) -> Finding:
        (small, first), (large, last) = datasets[0], datasets[-1]
        few, many = (library.value(name, "duels_to_declaration", label, dataset) for dataset in (first, last))
        if not (few > 0 and many > 0):  # NaN where no run has declared one
            return Finding("no winner declared", None)
        exponent = math.log(many / few) / math.log(large / small)
        words = f"K = {small}: {number(few)}; K = {large}: {number(many)}; exponent {exponent:.1f} ± {within:g} agrees"
        return Finding(words, abs(exponent - power) <= within)

    return measure


def near(name: str, a: str, b: str, axis: str, within: float, dataset: str | None = None) -> Measure:
    """On a linear axis up to the mean regret of ``axis`` those of ``a`` and ``b`` are at most a share of it apart."""

    def measure(library: Library) -> Finding:
        first, second, top = (library.mean(name, label, dataset) for label in (a, b, axis))
        apart = share_of(Mean(abs(first.value - second.value), math.hypot(first.sem, second.sem)), top)
        words = (
            f"{a} {first}; {b} {second}; {number(100 * apart.value)} ± {number(100 * apart.sem)} % of {axis}'s "
            f"{number(top.value)} apart, agreement is up to {100 * within:g} %; "
            f"ratio {number(quotient(first.value, second.value))}"
        )
        return Finding(words, below(apart, Mean(within, 0.0)))

    return measure


def share_of(part: Mean, whole: Mean) -> Mean:
    """Return part / whole, as if their errors were independent."""
    share = quotient(part.value, whole.value)
    return Mean(share, quotient(math.hypot(part.sem, share * whole.sem), abs(whole.value)))


def approaches(name: str, start: str, end: str, goal: str, dataset: str | None = None) -> Measure:
    """The mean regret of ``end`` is less than half as far above that of ``goal`` as that of ``start``."""

    def measure(library: Library) -> Finding:
        first, last, aim = (library.mean(name, label, dataset) for label in (start, end, goal))
        far, left = (Mean(each.value - aim.value, math.hypot(each.sem, aim.sem)) for each in (first, last))
        words = f"{start} {first}; {end} {last}; {goal} {aim}; {number(100 * quotient(left.value, far.value))} %"
        return Finding(f"{words} of the distance is left, agreement is below 50 %", below(left, far, 0.5))

    return measure
