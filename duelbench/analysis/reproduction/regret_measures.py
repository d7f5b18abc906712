"""Measures of regret, which check on results whether a statement holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from duelbench.analysis.reproduction.library import (
    Finding,
    Library,
    Mean,
    Measure,
    NotRunError,
    below,
    difference,
    inside,
    number,
    quotient,
    ratio,
    together,
)


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


def lower_on(count: int, label: str, other: str, figures: Mapping[str, str], factor: float = 1.0) -> Measure:
    """On exactly ``count`` of the figures the mean regret of ``label`` is below ``factor`` times that of ``other``.

    ``figures`` has the names of figures by title, each with one dataset.
    """

    def measure(library: Library) -> Finding:
        words, verdicts = [], []
        for title, name in figures.items():
            own, theirs = (library.mean(name, each, None) for each in (label, other))
            words.append(f"{title}: {own} against {theirs}")
            verdicts.append(below(own, theirs, factor))
        lowest, open_ = verdicts.count(True), verdicts.count(None)
        shown = f"{lowest} of {len(verdicts)}" + (f", {open_} undecided" if open_ else "")
        agrees = None if open_ and lowest <= count <= lowest + open_ else lowest == count
        return Finding(f"{'; '.join(words)}; {shown}", agrees)

    return measure


def degrades(label: str, base: str, easy: Mapping[str, str], hard: Mapping[str, str]) -> Measure:
    """The mean regret of ``label``, as a share of that of ``base``, is larger on each hard figure than on any easy one.

    ``easy`` and ``hard`` have the names of figures by title, each with one dataset.
    """

    def measure(library: Library) -> Finding:
        def shares(figures: Mapping[str, str]) -> dict[str, Mean]:
            return {
                title: ratio(library.mean(name, label, None), library.mean(name, base, None))
                for title, name in figures.items()
            }

        little, much = shares(easy), shares(hard)
        words = ", ".join(f"{title} {number(100 * each.value)} %" for title, each in (little | much).items())
        verdict = together([below(low, high) for low in little.values() for high in much.values()])
        return Finding(f"{label} in percent of {base}: {words}", verdict)

    return measure


def _under_delay(library: Library, name: str, label: str, delay: int, dataset: str) -> Mean:
    """Return the regret with a delay as a multiple of the regret without."""
    late, soon = (library.mean(name, label, f"{dataset}-delay={each}") for each in (delay, 1))
    return ratio(late, soon)


def robust(name: str, label: str, delays: tuple[int, ...], within: float, dataset: str) -> Measure:
    """The regret with each of the delays is at most ``within`` times the regret without."""

    def measure(library: Library) -> Finding:
        found = {delay: _under_delay(library, name, label, delay, dataset) for delay in delays}
        words = ", ".join(f"{each.with_interval} at delay {delay:,}" for delay, each in found.items())
        verdicts = [inside(each, 0.0, within) for each in found.values()]
        return Finding(f"regret is {words} of that without; agreement is up to {within:g}", together(verdicts))

    return measure


def hardier(name: str, label: str, other: str, delay: int, factor: float, dataset: str) -> Measure:
    """The factor by which a delay multiplies the regret of ``label`` is at most ``factor`` times that of ``other``."""

    def measure(library: Library) -> Finding:
        own, theirs = (_under_delay(library, name, each, delay, dataset) for each in (label, other))
        words = f"a delay of {delay:,} multiplies regret by {own.with_interval}, that of {other} by "
        words += f"{theirs.with_interval}; agreement is below {factor:g} of theirs"
        return Finding(words, below(own, theirs, factor))

    return measure


def bounds_ratio(name: str, smallest: float, largest: float) -> Measure:
    """The ratio LB/ECWB is within an interval."""

    def measure(library: Library) -> Finding:
        low, high = library.constant(name, "LB"), library.constant(name, "ECWB")
        found = low / high if high else math.nan
        words = (
            f"LB {number(low)}, ECWB {number(high)}; ratio {number(found)}, agreement is in {smallest:g}–{largest:g}"
        )
        return Finding(words, smallest <= found <= largest * (1 + 1e-9))  # allows for rounding

    return measure


def table_value(name: str, bound: str, stated: float, rounding: float) -> Measure:
    """A constant in a table equals the stated one, up to its rounding and the standard errors of both.

    ``rounding``: half a unit of the last digit. The paper has as many matrices as we, from the same distribution.
    """

    def measure(library: Library) -> Finding:
        table = library.table(name)
        if bound not in table:
            raise NotRunError(name)
        mean = table[bound]
        error = rounding + Mean(0.0, math.hypot(mean.sem, mean.sem)).ends[1]
        words = f"{mean}; agreement is in {number(stated - error)}–{number(stated + error)}"
        return Finding(words, abs(mean.value - stated) <= error)

    return measure


def table_ratio(name: str, bound: str, base: str, smallest: float, largest: float) -> Measure:
    """The quotient of two constants in a table is within an interval."""

    def measure(library: Library) -> Finding:
        table = library.table(name)
        if not {bound, base} <= table.keys():
            raise NotRunError(name)
        found = ratio(table[bound], table[base])
        words = f"ratio {found.with_interval}; agreement is in {number(smallest)}–{number(largest)}"
        return Finding(words, inside(found, smallest, largest))

    return measure


class Moments(NamedTuple):
    """Statistics of the regret at the horizon, from the summary."""

    mean: float
    std: float
    skewness: float
    kurtosis: float
    runs: float

    @property
    def spread(self) -> Mean:
        """The standard deviation."""
        return Mean(self.std, self.std * math.sqrt(max(self.kurtosis - 1, 0.0) / (4 * self.runs)))


def _moments(library: Library, name: str, label: str, dataset: str) -> Moments:
    """Return the moments of an algorithm's regret."""
    return Moments(*(library.value(name, column, label, dataset) for column in Moments._fields))


def relative_error(own: Moments, base: Moments, runs: float) -> float:
    """Return the relative error of the ratio of ``own``'s standard deviation to ``base``'s mean, for ``runs`` runs.

    The two are treated as independent unless they are the same object, that is, from the same runs.
    """
    variation = quotient(base.std, base.mean)
    variance = (own.kurtosis - 1) / 4 + variation * variation - (own.skewness * variation if own is base else 0.0)
    return math.sqrt(max(variance, 0.0) / runs)


def std_share(name: str, label: str, base: str, stated: float, runs: int, within: float, dataset: str) -> Measure:
    """The standard deviation, in percent of the mean regret of ``base``, is ``stated`` up to a factor ``within``.

    The stated number is an estimate, too: its error is ours, scaled to its number of ``runs``.
    """

    def measure(library: Library) -> Finding:
        theirs = _moments(library, name, base, dataset)
        own = theirs if label == base else _moments(library, name, label, dataset)
        share = quotient(100 * own.std, theirs.mean)
        ours, of_paper = (relative_error(own, theirs, n) for n in (own.runs, runs))
        measured, factor = Mean(share, share * ours), Mean(share / stated, share / stated * math.hypot(ours, of_paper))
        words = (
            f"{measured.with_interval} %; theirs is known to ± {100 * of_paper:.0f} %; "
            f"quotient {factor.with_interval}, agreement is up to {within:g}"
        )
        return Finding(words, inside(factor, 1 / within, within))

    return measure


def at_most_std(name: str, label: str, base: str, factor: float, dataset: str) -> Measure:
    """The standard deviation of ``label`` is at most ``factor`` times that of ``base``."""

    def measure(library: Library) -> Finding:
        own, theirs = (_moments(library, name, each, dataset).spread for each in (label, base))
        quota = ratio(own, theirs)
        words = f"{label} {own}; {base} {theirs}; quotient {quota.with_interval}, agreement is up to {factor:g}"
        return Finding(words, inside(quota, 0.0, factor))

    return measure
