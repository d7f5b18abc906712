"""Whether two directories of results agree: to the byte, or in the mean, and what differs in how they came about."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.analysis.difference import Difference, Place, Rows, difference
from duelbench.errors import UserError
from duelbench.layout import (
    LARGEST,
    MANIFEST,
    MOST_BYTES_OF_A_MANIFEST,
    MOST_BYTES_OF_A_SUMMARY,
    SUMMARY,
    run_file,
)
from duelbench.reading import read_json, regular
from duelbench.results.files import examine, numbers_there
from duelbench.results.identity import Labels
from duelbench.results.record import recorded_identity
from duelbench.sealed import DIGESTS, check_seal
from duelbench.spec.resolved import ResolvedSpec
from duelbench.spec.values import directory_fault

MOST_RUNS = 10**9
MOST_PLACES = 10**6


@dataclass(frozen=True)
class SeriesComparison:
    """The runs of one (dataset, algorithm) in both directories.

    ``same`` runs have the same numbers in both, ``other`` runs do not, or one is damaged; ``only`` are in A alone and B
    alone. ``lost`` are in the summary of A, and of B, and their files are not there.
    """

    place: Place
    same: int
    other: int
    only: tuple[int, int]
    lost: tuple[int, int]

    @property
    def identical(self) -> bool:
        """Whether the numbers of all runs are the same."""
        return self.same > 0 and not self.other and self.only == self.lost == (0, 0)


@dataclass(frozen=True)
class Comparison:
    """``conditions`` are (what, in A, in B) of what differs in the manifests, ``missing`` places in one alone.

    ``unknown`` are the places of which nothing could be compared, and why: there is no number in A, in B or in both, as
    when all runs failed, or none at a regret and a t that both have. ``code``: the algorithms, by their labels, whose
    code is not the same, and the modules and libraries that are not.
    """

    series: list[SeriesComparison]
    differences: list[Difference]
    missing: list[tuple[Place, str]]
    unknown: list[tuple[Place, str]]
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
    def too_few(self) -> bool:
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
    manifests = _manifest(a), _manifest(b)
    summaries = _summary(a, manifests[0]), _summary(b, manifests[1])
    places = [{place for place, _ in summary} for summary in summaries]
    asked = [_asked(path, manifest) for path, manifest in zip((a, b), manifests, strict=True)]
    summed = [_runs(summary) for summary in summaries]
    series = [
        _compare_files(place, (a, b), asked, [each[place] for each in summed])
        for place in sorted(places[0] & places[1])
    ]
    identical = {each.place for each in series if each.identical}
    shared = [
        each
        for each in summaries[0]
        if each[0] not in identical and summaries[0][each].keys() & summaries[1].get(each, {}).keys()
    ]
    alike = {each.place for each in series if each.same and not each.other}
    differences = [
        difference(each, summaries[0][each], summaries[1][each], len(shared), each[0] in alike) for each in shared
    ]
    missing = [(place, "A") for place in sorted(places[0] - places[1])]
    missing += [(place, "B") for place in sorted(places[1] - places[0])]
    compared = identical.union(place for place, _ in shared)
    unknown = [
        (place, "no kind of regret, or no t, is in both summaries")
        for place in sorted(places[0] & places[1])
        if place not in compared
    ]
    unknown += [
        (place, "no run has finished in either")
        for place in sorted(asked[0].places | asked[1].places)
        if place not in places[0] | places[1]
    ]
    return Comparison(series, differences, missing, unknown, _conditions(*manifests), _code(*asked))


class _Asked(NamedTuple):
    """What a manifest asks for: its spec, and the places of its series."""

    places: set[Place]
    spec: ResolvedSpec


def _asked(directory: Path, manifest: dict[str, Any]) -> _Asked:
    try:
        spec = ResolvedSpec.model_validate(manifest["spec"])
        labels = [each.label for each in spec.datasets], [each.label for each in spec.algorithms]
        if math.prod(map(len, labels)) > MOST_PLACES:
            raise ValueError("more than any spec asks for")
        return _Asked(set(itertools.product(*labels)), spec)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise UserError(_NO_MANIFEST, source=str(directory / MANIFEST)) from None


def _compare_files(
    place: Place, directories: tuple[Path, Path], asked: Sequence[_Asked], summed: list[int]
) -> SeriesComparison:
    """Compare the files of the runs that the specs ask for; there may be others, of when they asked for more."""
    paths = [directory.joinpath(*place) for directory in directories]
    names = [
        {number for number in numbers_there(path) if number in each.spec.numbers(*place)}
        for path, each in zip(paths, asked, strict=True)
    ]
    known = [recorded_identity(path, each.spec, Labels(*place)) for path, each in zip(paths, asked, strict=True)]
    same = other = 0
    for number in names[0] & names[1]:
        found = [
            None if each is None else examine(path / run_file(number), each.key(number))
            for path, each in zip(paths, known, strict=True)
        ]
        if found[0] == found[1] and found[0] is not None and found[0][0] == "done":
            same += 1
        else:
            other += 1
    only = len(names[0] - names[1]), len(names[1] - names[0])
    lost = max(0, summed[0] - len(names[0])), max(0, summed[1] - len(names[1]))
    return SeriesComparison(place, same, other, only, lost)


def _runs(summary: dict[tuple[Place, str], Rows]) -> dict[Place, int]:
    """Return how many runs a summary is over, by place."""
    found: dict[Place, int] = {}
    for (place, _), rows in summary.items():
        found[place] = max(found.get(place, 0), *(runs for runs, _, _ in rows.values()))
    return found


def _summary(directory: Path, manifest: dict[str, Any]) -> dict[tuple[Place, str], Rows]:
    path = directory / SUMMARY
    found: dict[tuple[Place, str], Rows] = {}
    try:
        with regular(path, MOST_BYTES_OF_A_SUMMARY).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                place = row["dataset"], row["algorithm"]
                if any(map(directory_fault, place)):
                    raise ValueError("a label that leads elsewhere")
                rows = found.setdefault((place, row["regret"]), {})
                numbers = int(row["runs"]), float(row["mean"]), float(row["std"] or "nan")
                if not 1 <= numbers[0] <= MOST_RUNS or any(abs(number) > LARGEST for number in numbers[1:]):
                    raise ValueError("a number that is not a regret")
                rows[int(row["t"])] = numbers
        check_seal(path, manifest)
    except FileNotFoundError:
        raise UserError(f"{directory} has no {SUMMARY}: `duelbench run` its spec to make, or finish, it") from None
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        raise UserError("is not the summary of an experiment", source=str(path)) from None
    return found


_NO_MANIFEST = "is not a manifest of this version: `duelbench run` the spec again"


def _manifest(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    try:
        manifest = read_json(path, MOST_BYTES_OF_A_MANIFEST)
        executions = manifest["executions"]
        return {**(executions[-1] if executions else {}), "spec": manifest["spec"], DIGESTS: manifest.get(DIGESTS)}
    except FileNotFoundError:
        raise UserError(f"{directory} is not the results of an experiment: it has no {MANIFEST}") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(_NO_MANIFEST, source=str(path)) from None


OF_NO_CONSEQUENCE = (
    DIGESTS,
    "began",
    "ended",
    "command",
    "played",
    "kept",
    "failed",
    "spec.name",
    "spec.title",
    "spec.figures",
    "spec.taken",
)
CALLED = (".title", ".grid_title", ".origin", ".grid", ".arm_names")
"""What entries are called changes no number."""


def _conditions(a: dict[str, Any], b: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    flat = _flat(a), _flat(b)
    names = dict.fromkeys([*flat[0], *flat[1]])
    return [
        (name, flat[0].get(name), flat[1].get(name))
        for name in names
        if flat[0].get(name) != flat[1].get(name)
        and not name.startswith(OF_NO_CONSEQUENCE)
        and not name.endswith(CALLED)
    ]


def _code(a: _Asked, b: _Asked) -> list[tuple[str, list[str]]]:
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
