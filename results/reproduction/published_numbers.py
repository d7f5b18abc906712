"""Measures that compare our numbers with those of a paper."""

import csv
import math
from collections.abc import Iterator, Mapping

from duelbench.markup import number
from duelbench.results.results import Results
from results.reproduction.estimates import (
    Finding,
    Mean,
    NotRunError,
    Quantity,
    cell,
    difference,
    estimate,
    inside,
    ratio,
    share,
    together,
)

TABLE = "table.csv"
"""The file of a table of ``duelbench bounds``, in the directory of its results."""


def _pairs(
    stated: Mapping[str, float | Mean],
    runs: int | None,
    results: Results,
    algorithm: str,
    dataset: str | None,
    at: float | str | None,
    quantity: Quantity,
) -> Iterator[tuple[str, Mean, Mean]]:
    """Yield the keys of ``stated`` with our estimates and theirs.

    If the paper gives no standard error of a mean, it is ours, scaled to its number of ``runs``.
    """
    for key, theirs in stated.items():
        place = dataset.format(key) if dataset else None
        t = None if at is None else float(str(at).format(key))
        ours = estimate(results, algorithm.format(key), place, t, quantity)
        if not isinstance(theirs, Mean):
            if runs is None:
                raise ValueError("a number in `stated` has no error: write [number, standard error], or add `runs`")
            if quantity in ("right", "wrong"):
                theirs = share(theirs * runs, runs)
            else:
                played = cell(results, "runs", algorithm.format(key), place)
                theirs = Mean(theirs, theirs * ours.sem / ours.value * math.sqrt(played / runs))
        yield key, ours, theirs


def as_read(
    results: Results, algorithm: str, stated: dict[float, float], within: float, dataset: str | None = None
) -> Finding:
    """At these rounds the mean regret equals what is read off a figure, up to a factor."""
    words, verdicts = [], []
    for t, read in stated.items():
        ours = estimate(results, algorithm, dataset, t)
        words.append(f"{ours}, read off {number(read)}")
        verdicts.append(inside(ratio(ours, Mean(read, 0)), 1 / within, within))
    return f"{'; '.join(words)}; agreement is up to a factor of {within:g}", together(verdicts)


def within_factor(
    results: Results,
    algorithm: str,
    dataset: str,
    stated: dict[str, float | Mean],
    within: float,
    runs: int | None = None,
    quantity: Quantity = "duels",
    times: float = 1.0,
    plus: float = 0.0,
) -> Finding:
    """The means, multiplied by ``times`` and increased by ``plus``, equal the stated ones up to a factor."""
    words, verdicts = [], []
    for key, mean, theirs in _pairs(stated, runs, results, algorithm, dataset, None, quantity):
        ours = Mean(times * mean.value + plus, times * mean.sem)
        found = ratio(ours, theirs)
        words.append(f"{key}: {number(ours.value)}, {found.value:.3f} ± {found.sem:.3f}")
        verdicts.append(inside(found, 1 / within, within))
    change = (f" times {times:.3g}" if times != 1 else "") + (f" plus {number(plus)}" if plus else "")
    agreement = f"(ours, and its quotient by theirs); agreement is up to {within:g}"
    return f"{'; '.join(words)}{change and f',{change}'} {agreement}", together(verdicts)


def within_errors(
    results: Results,
    algorithm: str,
    stated: dict[str, float | Mean],
    dataset: str | None = None,
    at: float | str | None = None,
    runs: int | None = None,
    quantity: Quantity = "duels",
    within: float = 3.0,
) -> Finding:
    """The means equal the stated ones, up to so many standard errors."""
    words, verdicts = [], []
    for key, ours, theirs in _pairs(stated, runs, results, algorithm, dataset, at, quantity):
        apart = difference(ours, theirs)
        errors = apart.value / apart.sem if apart.sem else math.nan
        words.append(f"{key}: {ours} ({errors:+.1f})")
        verdicts.append(None if math.isnan(errors) else abs(errors) <= within)
    agreement = f"(in brackets the difference in standard errors); agreement is up to {within:g}"
    return f"{'; '.join(words)} {agreement}", together(verdicts)


def within_points(
    results: Results,
    algorithm: str,
    stated: dict[str, float],
    runs: int,
    within: float,
    dataset: str | None = None,
    at: float | str | None = None,
    quantity: Quantity = "wrong",
) -> Finding:
    """Shares of runs equal the stated shares of ``runs`` runs, up to a difference.

    Runs that have declared nothing do not count among the ``wrong`` ones; the finding gives their share.
    """
    words, silent, verdicts = [], [], []
    for key, ours, theirs in _pairs(stated, runs, results, algorithm, dataset, at, quantity):
        words.append(f"{key}: {ours.percent}")
        verdicts.append(inside(difference(ours, theirs), -within, within))
        declared = cell(results, "declared", algorithm, dataset.format(key)) if dataset else 1
        if declared < 1:
            silent.append(f"{key}: {100 * (1 - declared):.1f} %")
    nothing = f"; nothing declared in {', '.join(silent)} of the runs" if silent else ""
    return f"{'; '.join(words)}; agreement is up to {100 * within:g} points{nothing}", together(verdicts)


def relative_error(results: Results, algorithm: str, to: str, dataset: str, runs: float | None = None) -> float:
    """Return the relative error of the ratio of the standard deviation to the mean of ``to``, for so many runs.

    The two are treated as independent unless they are of the same algorithm.
    """
    columns = ("kurtosis", "skewness", "runs")
    kurtosis, skewness, played = (cell(results, column, algorithm, dataset) for column in columns)
    variation = cell(results, "std", to, dataset) / cell(results, "mean", to, dataset)
    variance = (kurtosis - 1) / 4 + variation * variation - (skewness * variation if algorithm == to else 0.0)
    return math.sqrt(max(variance, 0.0) / (runs or played))


def std_in_percent(
    results: Results, algorithm: str, to: str, dataset: str, stated: float, runs: int, within: float
) -> Finding:
    """The standard deviation in percent of the mean regret of ``to`` equals the stated one, up to a factor."""
    percent = 100 * cell(results, "std", algorithm, dataset) / cell(results, "mean", to, dataset)
    error, theirs = (relative_error(results, algorithm, to, dataset, each) for each in (None, runs))
    ours = Mean(percent, percent * error)
    found = ratio(ours, Mean(stated, stated * theirs))
    words = f"{ours.with_interval} %; theirs is known to ± {100 * theirs:.0f} %; quotient {found.with_interval}"
    return f"{words}, agreement is up to {within:g}", inside(found, 1 / within, within)


# Constants of bounds


def bounds_ratio(results: Results, least: float, most: float) -> Finding:
    """The ratio LB/ECWB is within an interval."""
    low, high = (results.bounds.get((results.spec.datasets[0].label, bound)) for bound in ("LB", "ECWB"))
    if low is None or high is None:
        raise NotRunError(f"{results.directory.name} has no bounds")
    words = f"LB {number(low)}, ECWB {number(high)}; ratio {number(low / high)}"
    agrees = least <= low / high <= most * (1 + 1e-9)  # allows for rounding
    return f"{words}, agreement is in {least:g}–{most:g}", agrees


def _constant(results: Results, bound: str) -> Mean:
    """Return a row of a table of ``duelbench bounds``."""
    with (results.directory / TABLE).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["bound"] == bound:
                return Mean(float(row["mean"]), float(row["sem"] or 0))
    raise NotRunError(f"{results.directory.name} has no bound {bound}")


def table_value(results: Results, bound: str, stated: float, rounding: float) -> Finding:
    """A constant in a table equals the stated one, up to its rounding and the standard errors of both.

    ``rounding``: half a unit of the last digit. The paper has as many matrices as we, from the same distribution.
    """
    mean = _constant(results, bound)
    error = rounding + 2 * math.hypot(mean.sem, mean.sem)
    words = f"{mean}; agreement is in {number(stated - error)}–{number(stated + error)}"
    return words, abs(mean.value - stated) <= error


def table_ratio(results: Results, bound: str, to: str, least: float, most: float) -> Finding:
    """The quotient of two constants in a table is within an interval."""
    found = ratio(_constant(results, bound), _constant(results, to))
    words = f"ratio {found.with_interval}; agreement is in {number(least)}–{number(most)}"
    return words, inside(found, least, most)
