"""Measures for published numbers: the duels until the best arm is known, and how often it is right.

Published numbers are estimates, too. If a paper gives no standard error, ours is used, scaled to its number of runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

from duelbench.analysis.reproduction.estimates import Mean, difference, inside, number, ratio, share, together
from duelbench.analysis.reproduction.explorations import not_right
from duelbench.analysis.reproduction.measures import Finding, Library, Measure, NotRunError


class Adjusted(NamedTuple):
    """A change of our number before the comparison: it is multiplied by ``factor``, then ``plus`` is added."""

    factor: float = 1.0
    plus: float = 0.0

    def of(self, mean: Mean) -> Mean:
        """Return the changed mean."""
        return Mean(self.factor * mean.value + self.plus, self.factor * mean.sem)


def as_many(
    name: str,
    label: str,
    dataset: str,
    stated: Mapping[str, float | Mean],
    *,
    within: float,
    runs: int = 0,
    counted: Literal["duels", "votes"] = "duels",
    adjusted: Adjusted | None = None,
) -> Measure:
    """On each dataset the mean count equals the stated one up to a factor ``within``.

    ``{}`` in ``dataset`` stands for the keys of ``stated``, whose values are means over ``runs`` runs, or have their
    own error. ``counted``: the duels until a winner is declared, or all votes. A run that declares nothing counts with
    the horizon.
    """
    change = adjusted or Adjusted()

    def measure(library: Library) -> Finding:
        words, verdicts = [], []
        for key, given in stated.items():
            mean, played = counted_mean(library, name, label, dataset.format(key), counted)
            ours = change.of(mean)
            theirs = given
            if not isinstance(theirs, Mean):
                theirs = Mean(theirs, theirs * ratio(Mean(mean.sem, 0), mean).value * math.sqrt(played / runs))
            found = ratio(ours, theirs)
            words.append(f"{key}: {number(ours.value)}, {found.value:.3f} ± {found.sem:.3f}")
            verdicts.append(inside(found, 1 / within, within))
        changed = _words(change)
        return Finding(
            f"{'; '.join(words)}{changed} (ours, and its quotient by theirs); agreement is up to {within:g}",
            together(verdicts),
        )

    return measure


def counted_mean(library: Library, name: str, label: str, dataset: str, counted: str) -> tuple[Mean, float]:
    """Return the mean count of an algorithm at the horizon, and its number of runs."""
    runs = library.value(name, "runs", label, dataset)
    if counted == "votes":
        return Mean(
            library.value(name, "votes", label, dataset), library.value(name, "votes_sem", label, dataset)
        ), runs
    declared = library.value(name, "declared", label, dataset)
    if not declared:
        return Mean(float(max(library.figure(name).spec.horizons)), 0.0), runs
    made = Mean(*(library.value(name, column, label, dataset) for column in ("duels_to_declaration", "duels_sem")))
    return Mean(declared * made.value + (1 - declared) * max(library.figure(name).spec.horizons), made.sem), runs


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


def _words(change: Adjusted) -> str:
    times = f" times {change.factor:.3g}" if change.factor != 1 else ""
    plus = f" plus {number(change.plus)}" if change.plus else ""
    return f",{times}{plus}" if times or plus else ""
