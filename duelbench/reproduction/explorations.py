"""Measures of algorithms that explore until they declare a winner: how soon, and how often it is wrong.

A run that has declared nothing counts with the horizon; right or wrong are those that have.
"""

from __future__ import annotations

import math

from duelbench.reproduction.measures import Finding, Library, Mean, Measure, below, number, quotient, together


def duels(library: Library, name: str, label: str, dataset: str) -> float:
    """Return the mean number of duels before a declaration, the horizon where there was none."""
    share = library.value(name, "declared", label, dataset)
    made = library.value(name, "duels_to_declaration", label, dataset) if share > 0 else 0.0
    return share * made + (1 - share) * max(library.figure(name).spec.horizons)


def wrong(library: Library, name: str, label: str, datasets: tuple[str, ...]) -> Mean | None:
    """Return the share of wrong ones among the winners declared on all the datasets; None where none was declared."""
    runs, mistakes = 0.0, 0.0
    for dataset in datasets:
        declared = library.value(name, "declared", label, dataset) * library.value(name, "runs", label, dataset)
        if declared > 0:
            runs += declared
            mistakes += declared * (1 - library.value(name, "right", label, dataset))
    if runs == 0:
        return None
    share = mistakes / runs
    return Mean(share, math.sqrt(share * (1 - share) / runs))


def sooner(name: str, label: str, *others: str, datasets: tuple[str, ...]) -> Measure:
    """On each dataset the mean number of duels is smaller. The runs of all have the same matrices and luck."""

    def measure(library: Library) -> Finding:
        found = [[duels(library, name, each, dataset) for each in (label, *others)] for dataset in datasets]
        words = "; ".join(
            f"{dataset}: {number(own)} to {', '.join(map(number, theirs))}"
            for dataset, (own, *theirs) in zip(datasets, found, strict=True)
        )
        return Finding(words, all(own < min(theirs) for own, *theirs in found))

    return measure


def as_soon(name: str, label: str, other: str, within: float, datasets: tuple[str, ...]) -> Measure:
    """On each dataset the mean numbers of duels differ by a factor of at most ``within``."""

    def measure(library: Library) -> Finding:
        ratios = [
            quotient(duels(library, name, label, dataset), duels(library, name, other, dataset)) for dataset in datasets
        ]
        words = ", ".join(f"{number(ratio)} ({dataset})" for ratio, dataset in zip(ratios, datasets, strict=True))
        agrees = all(1 / within <= ratio <= within for ratio in ratios)
        return Finding(f"ratio of duels {words}; agreement is up to {within:g}", agrees)

    return measure


def less_often_wrong(name: str, label: str, *others: str, datasets: tuple[str, ...]) -> Measure:
    """Of the winners declared on all the datasets a smaller share is wrong; undecided within two standard errors."""

    def measure(library: Library) -> Finding:
        shares = {each: wrong(library, name, each, datasets) for each in (label, *others)}
        words = [
            f"{each} none declared"
            if share is None
            else f"{each} {100 * share.value:.1f} ± {100 * share.sem:.1f} % wrong"
            for each, share in shares.items()
        ]
        own, theirs = shares[label], [shares[each] for each in others]
        verdicts = [None if own is None or each is None else below(own, each) for each in theirs]
        return Finding("; ".join(words), together(verdicts))

    return measure
