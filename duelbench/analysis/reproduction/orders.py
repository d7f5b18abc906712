"""Measures for algorithms that find an order: numbers that equal the stated ones within three standard errors.

The standard error is that of the difference; both numbers are means over independent runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from duelbench.analysis.reproduction.counts import counted_mean
from duelbench.analysis.reproduction.estimates import Mean, below, difference, share, together
from duelbench.analysis.reproduction.measures import Finding, Library, Measure, NotRunError

MOST = 3.0
"""The largest difference that is agreement, in standard errors."""


def equal_counts(name: str, label: str, stated: Mapping[str, Mean]) -> Measure:
    """On each dataset the mean number of duels until a declaration equals the stated one."""

    def measure(library: Library) -> Finding:
        return _equal(
            {
                dataset: (counted_mean(library, name, label, dataset, "duels")[0], theirs)
                for dataset, theirs in stated.items()
            }
        )

    return measure


def equal_distances(name: str, stated: Mapping[str, Mean], votes: int, dataset: str | None = None) -> Measure:
    """After so many votes the mean Kendall tau distance of each algorithm equals the stated one."""

    def measure(library: Library) -> Finding:
        return _equal(
            {label: (distance(library, name, label, votes, dataset), theirs) for label, theirs in stated.items()}
        )

    return measure


def equal_shares(name: str, stated: Mapping[str, float], votes: int, runs: int) -> Measure:
    """After so many votes each algorithm finds the order in the stated share of ``runs`` runs."""

    def measure(library: Library) -> Finding:
        found = {}
        for label, theirs in stated.items():
            right, played = (_at(library, name, column, label, votes) for column in ("recommended_right", "runs"))
            found[label] = share(right * played, played), share(theirs * runs, runs)
        return _equal(found)

    return measure


def nearer(name: str, label: str, *others: str, votes: int, dataset: str) -> Measure:
    """After so many votes the mean Kendall tau distance is below that of each of the others."""

    def measure(library: Library) -> Finding:
        own, *theirs = (distance(library, name, each, votes, dataset) for each in (label, *others))
        words = "; ".join(f"{each} {mean}" for each, mean in zip((label, *others), (own, *theirs), strict=True))
        return Finding(words, together([below(own, each) for each in theirs]))

    return measure


def distance(library: Library, name: str, label: str, votes: int, dataset: str | None = None) -> Mean:
    """Return the mean Kendall tau distance of an algorithm after so many votes."""
    return Mean(*(_at(library, name, column, label, votes, dataset) for column in ("tau", "tau_sem")))


def _at(library: Library, name: str, column: str, label: str, votes: int, dataset: str | None = None) -> float:
    spec = library.figure(name).spec
    found = library.figure(name).value(column, dataset or spec.datasets[0].label, label, spec.regret[0], votes)
    if found is None:
        raise NotRunError(name)
    return found


def _equal(found: Mapping[str, tuple[Mean, Mean]]) -> Finding:
    """Compare pairs of our number and theirs."""
    words, verdicts = [], []
    for key, (ours, theirs) in found.items():
        apart = difference(ours, theirs)
        errors = apart.value / apart.sem if apart.sem > 0 else math.nan
        words.append(f"{key}: {ours} ({errors:+.1f})")
        verdicts.append(None if math.isnan(errors) else abs(errors) <= MOST)
    return Finding(
        f"{'; '.join(words)} (in brackets the difference in standard errors); agreement is up to {MOST:g}",
        together(verdicts),
    )
