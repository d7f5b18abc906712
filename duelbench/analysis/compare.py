"""Comparing two directories of results: identical runs, agreement of means, and differences in how they were made."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelbench.analysis.difference import MeanDifference, Sample, difference
from duelbench.results.results import Results
from duelbench.spec.resolved import Labels


@dataclass(frozen=True)
class SeriesComparison:
    """The numbers of runs of one series in two directories, A and B.

    ``same`` runs have the same numbers in both; ``other`` runs differ, or are damaged in one. ``unlike`` counts the
    other runs with the same key, which should not differ. ``only`` has the numbers of runs that only A has, and only B.
    ``lost`` has the numbers of runs that the summaries of A and B contain, but whose files are missing.
    """

    labels: Labels
    same: int
    other: int
    unlike: int
    only: tuple[int, int]
    lost: tuple[int, int]

    @property
    def identical(self) -> bool:
        """Whether all runs have the same numbers."""
        return self.same > 0 and not self.other and self.only == self.lost == (0, 0)


@dataclass(frozen=True)
class Comparison:
    """The comparison of two directories of results, A and B.

    ``missing``: series that only one of them has, and which one. ``unknown``: series that cannot be compared, and why.
    ``conditions``: (name, value in A, value in B) for all entries of the manifests that differ. ``code``: the labels of
    algorithms whose code differs, and the modules and libraries in which it does.
    """

    series: list[SeriesComparison]
    differences: list[MeanDifference]
    missing: list[tuple[Labels, str]]
    unknown: list[tuple[Labels, str]]
    conditions: list[tuple[str, Any, Any]]
    code: list[tuple[str, list[str]]]

    @property
    def identical(self) -> bool:
        """Whether all runs of all series have the same numbers."""
        return self._everything and all(each.identical for each in self.series)

    @property
    def agrees(self) -> bool:
        """Whether both have the same series and their means agree."""
        return self._everything and all(each.agrees for each in self.differences)

    @property
    def inconclusive(self) -> bool:
        """Whether no means differ significantly, but some series have too few runs to show agreement."""
        return self._everything and not self.agrees and not any(each.differs for each in self.differences)

    @property
    def _everything(self) -> bool:
        return bool(self.series) and not self.missing and not self.unknown


def compare(a: Path, b: Path) -> Comparison:
    """Compare two directories of results.

    Series that are not identical are compared by their mean regret at the last common t. The intervals of these
    differences hold simultaneously with 95 % confidence (Bonferroni).

    Raises UserError when one of the directories is not a complete experiment.
    """
    both = Results(a), Results(b)
    known = [set(each.runs) for each in both]
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
        (labels, "the summaries share no kind of regret, or no t") for labels in common if labels not in compared
    ]
    unknown += [
        (labels, "no run has finished in either directory")
        for labels in sorted(known[0] | known[1])
        if labels not in there[0] | there[1]
    ]
    return Comparison(series, differences, missing, unknown, _conditions(*both), _code(*both))


def _t(results: Results, labels: Labels, kind: str) -> list[int]:
    return [int(t) for t in results.column("t", *labels, kind)]


def _samples(both: tuple[Results, Results], labels: Labels, kind: str, t: int) -> tuple[Sample, Sample]:
    return _sample(both[0], labels, kind, t), _sample(both[1], labels, kind, t)


def _sample(results: Results, labels: Labels, kind: str, t: int) -> Sample:
    mean, std, runs = (results.value(column, *labels, kind, t) for column in ("mean", "std", "runs"))
    assert mean is not None and std is not None and runs is not None
    return Sample(mean, std / math.sqrt(runs), int(runs))


def _compare_files(labels: Labels, both: tuple[Results, Results]) -> SeriesComparison:
    """Compare the files of the runs that the specs ask for; other files, from earlier specs, are ignored."""
    numbers = [
        {number for number in results.runs[labels].numbers if number in results.runs[labels].asked} for results in both
    ]
    runs = [results.runs[labels] for results in both]
    same = other = unlike = 0
    for number in numbers[0] & numbers[1]:
        (state, body), (state_b, body_b) = (each.examine(number) for each in runs)
        if state == state_b == "done" and body == body_b:
            same += 1
        else:
            other += 1
            same_key = len({each.series.key(number) for each in runs}) == 1
            unlike += state == state_b == "done" and same_key
    only = len(numbers[0] - numbers[1]), len(numbers[1] - numbers[0])
    summed = [max(map(int, each.series_runs(labels))) for each in both]
    lost = max(0, summed[0] - len(numbers[0])), max(0, summed[1] - len(numbers[1]))
    return SeriesComparison(labels, same, other, unlike, only, lost)


_WITHOUT_EFFECT = (
    *("shard", "began", "ended", "command", "series", "played", "kept", "failed"),
    *("spec.name", "spec.title", "spec.figures", "spec.taken"),
)
"""Prefixes of manifest entries that do not affect the numbers in results."""
_TITLES = (".title", ".grid_title", ".origin", ".grid", ".arm_names")
"""Suffixes of manifest entries with titles and names, which do not affect them either."""


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
        and not name.startswith(_WITHOUT_EFFECT)
        and not name.endswith(_TITLES)
    ]


def _code(a: Results, b: Results) -> list[tuple[str, list[str]]]:
    """Return the differences in the code of each algorithm that both have."""
    code_of_b = {each.label: each.code for each in b.spec.algorithms}
    differing = [
        (each.label, _differing(each.code, code_of_b[each.label]))
        for each in a.spec.algorithms
        if each.label in code_of_b
    ]
    return [(label, names) for label, names in differing if names]


def _differing(a: dict[str, str], b: dict[str, str]) -> list[str]:
    return [name for name in sorted({*a, *b}) if a.get(name) != b.get(name)]


def _flat(tree: Any, name: str = "") -> dict[str, Any]:
    """Return the leaves of a tree by their dotted names; entries of a list are named by their labels, if any."""
    if isinstance(tree, dict):
        code = ("code",) if {"label", "code"} <= tree.keys() else ()  # compared for each algorithm by ``_code``
        items = [(str(key), value) for key, value in tree.items() if key not in code]
    elif isinstance(tree, list) and tree and all(isinstance(each, dict) and "label" in each for each in tree):
        items = [(str(each["label"]), each) for each in tree]
    else:
        return {name: tree}
    return {path: leaf for key, value in items for path, leaf in _flat(value, f"{name}.{key}" if name else key).items()}
