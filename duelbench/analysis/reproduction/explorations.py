"""Measures for algorithms that explore until they declare a winner: when they do, and how often it is wrong.

A run that has declared nothing counts with the horizon, and as wrong.
"""

from __future__ import annotations

from duelbench.analysis.reproduction.estimates import Mean, below, number, quotient, share, together
from duelbench.analysis.reproduction.measures import Finding, Library, Measure


def duels(library: Library, name: str, label: str, dataset: str) -> float:
    """Return the mean number of duels before a declaration; runs without one count with the horizon."""
    declared = library.value(name, "declared", label, dataset)
    made = library.value(name, "duels_to_declaration", label, dataset) if declared > 0 else 0.0
    return declared * made + (1 - declared) * max(library.figure(name).spec.horizons)


def not_right(library: Library, name: str, label: str, datasets: tuple[str, ...]) -> Mean:
    """Return the share of the runs on all the datasets that have not declared a best arm."""
    runs, misses = 0.0, 0.0
    for dataset in datasets:
        played = library.value(name, "runs", label, dataset)
        declared = library.value(name, "declared", label, dataset)
        right = declared * library.value(name, "right", label, dataset) if declared > 0 else 0.0
        runs += played
        misses += played * (1 - right)
    return share(misses, runs)


def sooner(name: str, label: str, *others: str, datasets: tuple[str, ...]) -> Measure:
    """On each dataset the mean number of duels is smaller; all algorithms have the same matrices and random streams."""

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
    """On all the datasets together a smaller share of the runs has not declared a best arm."""

    def measure(library: Library) -> Finding:
        shares = {each: not_right(library, name, each, datasets) for each in (label, *others)}
        words = [f"{each} not right in {100 * p.value:.1f} ± {100 * p.sem:.1f} %" for each, p in shares.items()]
        return Finding("; ".join(words), together([below(shares[label], shares[each]) for each in others]))

    return measure
