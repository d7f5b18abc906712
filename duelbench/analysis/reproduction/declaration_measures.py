"""Measures of the duels until a best arm or an order is declared, how often it is right, and how near an order comes.

A run without a declaration counts with the horizon where duels are counted, and as wrong where right declarations are.
Published numbers are estimates, too. If a paper gives no standard error, ours is used, scaled to its number of runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

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
    share,
    together,
)


def as_many(
    name: str,
    label: str,
    dataset: str,
    stated: Mapping[str, float | Mean],
    *,
    within: float,
    runs: int = 0,
    counted: Literal["duels", "votes"] = "duels",
    factor: float = 1.0,
    plus: float = 0.0,
) -> Measure:
    """On each dataset the mean count equals the stated one up to a factor ``within``.

    ``{}`` in ``dataset`` stands for the keys of ``stated``, whose values are means over ``runs`` runs, or have their
    own error. ``counted``: the duels until a winner is declared, or all votes. A run that declares nothing counts with
    the horizon. Before the comparison our number is multiplied by ``factor``, then ``plus`` is added.
    """
    change = f" times {factor:.3g}" if factor != 1 else ""
    change += f" plus {number(plus)}" if plus else ""
    change = change and f",{change}"

    def measure(library: Library) -> Finding:
        words, verdicts = [], []
        for key, given in stated.items():
            mean = _mean_count(library, name, label, dataset.format(key), counted)
            ours = Mean(factor * mean.value + plus, factor * mean.sem)
            theirs = given
            if not isinstance(theirs, Mean):
                played = library.value(name, "runs", label, dataset.format(key))
                theirs = Mean(theirs, theirs * ratio(Mean(mean.sem, 0), mean).value * math.sqrt(played / runs))
            found = ratio(ours, theirs)
            words.append(f"{key}: {number(ours.value)}, {found.value:.3f} ± {found.sem:.3f}")
            verdicts.append(inside(found, 1 / within, within))
        return Finding(
            f"{'; '.join(words)}{change} (ours, and its quotient by theirs); agreement is up to {within:g}",
            together(verdicts),
        )

    return measure


def duels(library: Library, name: str, label: str, dataset: str) -> float:
    """Return the mean number of duels until a declaration; without one, the horizon counts."""
    declared = library.value(name, "declared", label, dataset)
    made = library.value(name, "duels_to_declaration", label, dataset) if declared > 0 else 0.0
    return declared * made + (1 - declared) * max(library.figure(name).spec.horizons)


def _mean_count(library: Library, name: str, label: str, dataset: str, counted: str = "duels") -> Mean:
    """Return the mean number of duels until a declaration, or of all votes."""
    if counted == "votes":
        return Mean(*(library.value(name, column, label, dataset) for column in ("votes", "votes_sem")))
    declared = library.value(name, "declared", label, dataset)
    error = library.value(name, "duels_sem", label, dataset) if declared > 0 else 0.0
    return Mean(duels(library, name, label, dataset), error)


def always_right(name: str, *labels: str, datasets: tuple[str, ...], at_most: float) -> Measure:
    """At most this share of all runs on the datasets has not declared a best arm."""

    def measure(library: Library) -> Finding:
        shares = {label: not_right(library, name, label, datasets) for label in labels}
        words = "; ".join(f"{label} {_percent(each)}" for label, each in shares.items())
        verdicts = [inside(each, -math.inf, at_most) for each in shares.values()]
        return Finding(f"not right: {words}; agreement is up to {100 * at_most:g} %", together(verdicts))

    return measure


def wrong_as_often(
    name: str, label: str, dataset: str, stated: Mapping[str, float], *, runs: int, within: float
) -> Measure:
    """On each dataset the share of declared arms that are not best equals the stated one, up to ``within``.

    Runs that have declared nothing do not count; the finding gives their number.
    """

    def measure(library: Library) -> Finding:
        found, silent = {}, []
        for key in stated:
            place = dataset.format(key)
            played, declared = (library.value(name, column, label, place) for column in ("runs", "declared"))
            wrong = declared * (1 - library.value(name, "right", label, place)) if declared else 0.0
            found[key] = share(played * wrong, played * declared)
            if declared < 1:
                silent.append(f"{key}: {100 * (1 - declared):.1f} %")
        measured, agrees = _shares(found, stated, runs, within)
        return Finding(measured + (f"; nothing declared in {', '.join(silent)} of the runs" if silent else ""), agrees)

    return measure


def named_as_often(
    name: str, stated: Mapping[str, float], place: Mapping[str, tuple[str, int]], *, runs: int, within: float
) -> Measure:
    """The share of runs that name a best arm equals the stated one, up to ``within``, on the only dataset.

    ``place``: the algorithm and the number of votes for each key of ``stated``.
    """

    def measure(library: Library) -> Finding:
        results = library.figure(name)
        panel, kind = results.spec.datasets[0].label, results.spec.regret[0]
        found = {}
        for key in stated:
            label, at = place[key]
            right, played = (results.value(column, panel, label, kind, at) for column in ("recommended_right", "runs"))
            if right is None or played is None:
                raise NotRunError(name)
            found[key] = share(right * played, played)
        return _shares(found, stated, runs, within)

    return measure


def _shares(found: Mapping[str, Mean], stated: Mapping[str, float], runs: int, within: float) -> Finding:
    apart = {key: difference(each, share(stated[key] * runs, runs)) for key, each in found.items()}
    words = "; ".join(f"{key}: {_percent(each)}" for key, each in found.items())
    verdicts = [inside(each, -within, within) for each in apart.values()]
    return Finding(f"{words}; agreement is up to {100 * within:g} points", together(verdicts))


def _percent(share: Mean) -> str:
    return f"{100 * share.value:.1f} ± {100 * share.sem:.1f} %"


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
        ratios = [quotient(*(duels(library, name, each, dataset) for each in (label, other))) for dataset in datasets]
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


_MOST = 3.0
"""The largest difference that is agreement, in standard errors."""


def equal_counts(name: str, label: str, stated: Mapping[str, Mean]) -> Measure:
    """On each dataset the mean number of duels until a declaration equals the stated one."""

    def measure(library: Library) -> Finding:
        return _equal(
            {dataset: (_mean_count(library, name, label, dataset), theirs) for dataset, theirs in stated.items()}
        )

    return measure


def equal_distances(name: str, stated: Mapping[str, Mean], votes: int, dataset: str | None = None) -> Measure:
    """After so many votes the mean Kendall tau distance of each algorithm equals the stated one."""

    def measure(library: Library) -> Finding:
        return _equal(
            {label: (_distance(library, name, label, votes, dataset), theirs) for label, theirs in stated.items()}
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
        own, *theirs = (_distance(library, name, each, votes, dataset) for each in (label, *others))
        words = "; ".join(f"{each} {mean}" for each, mean in zip((label, *others), (own, *theirs), strict=True))
        return Finding(words, together([below(own, each) for each in theirs]))

    return measure


def _distance(library: Library, name: str, label: str, votes: int, dataset: str | None = None) -> Mean:
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
        verdicts.append(None if math.isnan(errors) else abs(errors) <= _MOST)
    return Finding(
        f"{'; '.join(words)} (in brackets the difference in standard errors); agreement is up to {_MOST:g}",
        together(verdicts),
    )
