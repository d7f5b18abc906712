"""Measures of how much regret varies between runs, with the standard error of a standard deviation.

For n runs with mean m, standard deviation s, skewness γ and kurtosis κ, the asymptotic variance of s is
s² (κ − 1) / (4n), and its covariance with m is s² γ / (2n). Heavy tails have a large κ and so give wide intervals.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from duelbench.analysis.reproduction.estimates import Mean, inside, quotient, ratio
from duelbench.analysis.reproduction.measures import Finding, Library, Measure


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


def moments(library: Library, name: str, label: str, dataset: str) -> Moments:
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
        theirs = moments(library, name, base, dataset)
        own = theirs if label == base else moments(library, name, label, dataset)
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
        own, theirs = (moments(library, name, each, dataset).spread for each in (label, base))
        quota = ratio(own, theirs)
        words = f"{label} {own}; {base} {theirs}; quotient {quota.with_interval}, agreement is up to {factor:g}"
        return Finding(words, inside(quota, 0.0, factor))

    return measure
