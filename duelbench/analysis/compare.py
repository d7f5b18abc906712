"""Whether two directories of results agree: to the byte, or in the mean, and what differs in how they came about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelbench.analysis.difference import Difference, Sample, difference
from duelbench.errors import UserError
from duelbench.results.files import numbers_there
from duelbench.results.identity import Labels
from duelbench.results.reader import Results

MOST_SERIES = 10**6


@dataclass(frozen=True)
class SeriesComparison:
    """The runs of one series in both directories.

    ``same`` runs have the same numbers in both, ``other`` runs do not, or one is damaged; of these ``unlike`` have the
    same key, so they should not differ. ``only`` are in A alone and B alone. ``lost`` are in the summary of A, and of
    B, and their files are not there.
    """

    labels: Labels
    same: int
    other: int
    unlike: int
    only: tuple[int, int]
    lost: tuple[int, int]

    @property
    def identical(self) -> bool:
        """Whether the numbers of all runs are the same."""
        return self.same > 0 and not self.other and self.only == self.lost == (0, 0)


@dataclass(frozen=True)
class Comparison:
    """``conditions`` are (what, in A, in B) of what differs in the manifests, ``missing`` series in one alone.

    ``unknown`` are the series of which nothing could be compared, and why: there is no number in A, in B or in both, as
    when all runs failed, or none at a regret and a t that both have. ``code``: the algorithms, by their labels, whose
    code is not the same, and the modules and libraries that are not.
    """

    series: list[SeriesComparison]
    differences: list[Difference]
    missing: list[tuple[Labels, str]]
    unknown: list[tuple[Labels, str]]
    conditions: list[tuple[str, Any, Any]]
    code: list[tuple[str, list[str]]]

    @property
    def identical(self) -> bool:
        """Whether all numbers of all runs are the same."""
        return self._everything and all(each.identical for each in self.series)

    @property
    def agrees(self) -> bool:
        """Whether both have the same series, with no difference of means beyond chance."""
        return self._everything and all(each.agrees for each in self.differences)

    @property
    def inconclusive(self) -> bool:
        """Whether nothing speaks against agreement but that there are too few runs to tell."""
        return self._everything and not self.agrees and not any(each.differs for each in self.differences)

    @property
    def _everything(self) -> bool:
        return bool(self.series) and not self.missing and not self.unknown


def compare(a: Path, b: Path) -> Comparison:
    """Compare two directories of results.

    Statistics are of the series that are not identical: the difference of mean regret at the last t that both have,
    with its interval, widened (Bonferroni) so that all of them hold together with 95 %.

    Raises UserError when one is not a complete experiment.
    """
    both = Results(a), Results(b)
    known = [_series(each) for each in both]
    there = [
        {labels for labels in series if any(len(_t(each, labels, kind)) for kind in each.spec.regret)}
        for each, series in zip(both, known, strict=True)
    ]
    common = sorted(there[0] & there[1])
    series = [_compare_files(labels, both) for labels in common]
    alike = {each.labels for each in series if each.same and not each.other}
    shared = [
        (each.labels, kind, max(t))
        for each in series
        if not each.identical
        for kind in both[0].spec.regret
        if (t := set(_t(both[0], each.labels, kind)) & set(_t(both[1], each.labels, kind)))
    ]
    family = len(shared)
    differences = [
        difference(labels, kind, t, *_samples(both, labels, kind, t), family, alike=labels in alike)
        for labels, kind, t in shared
    ]
    missing = [(labels, "A") for labels in sorted(there[0] - there[1])]
    missing += [(labels, "B") for labels in sorted(there[1] - there[0])]
    compared = {each.labels for each in series if each.identical}.union(labels for labels, _, _ in shared)
    unknown = [
        (labels, "no kind of regret, or no t, is in both summaries") for labels in common if labels not in compared
    ]
    unknown += [
        (labels, "no run has finished in either")
        for labels in sorted(known[0] | known[1])
        if labels not in there[0] | there[1]
    ]
    return Comparison(series, differences, missing, unknown, _conditions(*both), _code(*both))


def _series(results: Results) -> set[Labels]:
    if len(results.spec.datasets) * len(results.spec.algorithms) > MOST_SERIES:
        raise UserError("has more series than any spec asks for", source=str(results.directory))
    return set(results.labels())


def _t(results: Results, labels: Labels, kind: str) -> list[int]:
    return [int(t) for t in results.column("t", *labels, kind)]


def _samples(both: tuple[Results, Results], labels: Labels, kind: str, t: int) -> tuple[Sample, Sample]:
    return _sample(both[0], labels, kind, t), _sample(both[1], labels, kind, t)


def _sample(results: Results, labels: Labels, kind: str, t: int) -> Sample:
    mean, std, runs = (results.value(column, *labels, kind, t) for column in ("mean", "std", "runs"))
    assert mean is not None and std is not None and runs is not None
    return Sample(mean, std / math.sqrt(runs), int(runs))


def _compare_files(labels: Labels, both: tuple[Results, Results]) -> SeriesComparison:
    """Compare the files of the runs that the specs ask for; there may be others, of when they asked for more."""
    numbers = [
        {each for each in numbers_there(results.directory.joinpath(*labels)) if each in results.spec.numbers(*labels)}
        for results in both
    ]
    runs = [results.recorded(labels) for results in both]
    same = other = unlike = 0
    for number in numbers[0] & numbers[1]:
        (state, body), (state_b, body_b) = (("", "") if each is None else each.examine(number) for each in runs)
        if state == state_b == "done" and body == body_b:
            same += 1
        else:
            other += 1
            keys = {each.series.key(number) for each in runs if each is not None}
            unlike += state == state_b == "done" and len(keys) == 1
    only = len(numbers[0] - numbers[1]), len(numbers[1] - numbers[0])
    summed = [max(map(int, each.series_runs(labels))) for each in both]
    lost = max(0, summed[0] - len(numbers[0])), max(0, summed[1] - len(numbers[1]))
    return SeriesComparison(labels, same, other, unlike, only, lost)


OF_NO_CONSEQUENCE = (
    *("shard", "began", "ended", "command", "played", "kept", "failed"),
    *("spec.name", "spec.title", "spec.figures", "spec.taken"),
)
CALLED = (".title", ".grid_title", ".origin", ".grid", ".arm_names")
"""What entries are called changes no number."""


def _conditions(a: Results, b: Results) -> list[tuple[str, Any, Any]]:
    flat = [
        _flat({**(each.manifest.executions[-1] if each.manifest.executions else {}), "spec": each.manifest.spec})
        for each in (a, b)
    ]
    names = dict.fromkeys([*flat[0], *flat[1]])
    return [
        (name, flat[0].get(name), flat[1].get(name))
        for name in names
        if flat[0].get(name) != flat[1].get(name)
        and not name.startswith(OF_NO_CONSEQUENCE)
        and not name.endswith(CALLED)
    ]


def _code(a: Results, b: Results) -> list[tuple[str, list[str]]]:
    """Return what differs in the code of each algorithm that both have."""
    there = {each.label: each.code for each in b.spec.algorithms}
    found = [
        (each.label, _differing(each.code, there[each.label])) for each in a.spec.algorithms if each.label in there
    ]
    return [(label, names) for label, names in found if names]


def _differing(a: dict[str, str], b: dict[str, str]) -> list[str]:
    return [name for name in sorted({*a, *b}) if a.get(name) != b.get(name)]


def _flat(tree: Any, name: str = "") -> dict[str, Any]:
    """Return the leaves by their dotted names; the entries of a list by their labels, where they have any."""
    if isinstance(tree, dict):
        code = ("code",) if {"label", "code"} <= tree.keys() else ()  # which is said of each algorithm in one line
        items = [(str(key), value) for key, value in tree.items() if key not in code]
    elif isinstance(tree, list) and tree and all(isinstance(each, dict) and "label" in each for each in tree):
        items = [(str(each["label"]), each) for each in tree]
    else:
        return {name: tree}
    return {path: leaf for key, value in items for path, leaf in _flat(value, f"{name}.{key}" if name else key).items()}
