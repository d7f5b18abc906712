"""What determines the numbers of a series and of a run: plain data that a plan creates, ``series.json`` and keys."""

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.files import read_json, write_whole
from duelbench.layout import SERIES
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset, ResolvedSpec
from duelbench.spec.values import Until, order_goal
from duelbench.versions.record import EDITED

SEED = "seed"
"""The entry of a record that has the seed of the spec; all other entries determine the series."""


class Labels(NamedTuple):
    """The name of a series in results: the labels of its dataset and its algorithm."""

    dataset: str
    algorithm: str


def determinants(settings: Any, dataset: ResolvedDataset, algorithm: ResolvedAlgorithm) -> dict[str, Any]:
    """Return what determines the numbers of a series besides its seeds, ready for JSON, as far as a manifest has it.

    ``settings`` is the resolved spec, or a planned series, which has the same attributes. What is not set is left out,
    so that a new setting changes no key where it is not used.
    """
    goal = settings.find
    versions = {"engine": "", **dataset.code, **algorithm.code}  # the engine comes first
    optional = {
        "count": settings.count != "rounds" and settings.count,
        "recommend": settings.recommend != "none" and settings.recommend,
        "find": goal if goal is None or isinstance(goal, str) else goal.model_dump(),
        "by": order_goal(goal) is not None and (settings.by or "copeland"),
        "ties": algorithm.ties,
    }
    return {
        "parameters": algorithm.parameters,
        "dataset": dataset.identity,
        "rows": list(algorithm.horizons or map(int, settings.checkpoints)),
        "checkpoints": None if algorithm.horizons else [int(each) for each in settings.checkpoints],
        "regret": list(settings.regret),
        "shuffle_arms": settings.shuffle_arms,
        "delay": dataset.delay,
        "code": {name: version for name, version in versions.items() if version},
        **{name: value for name, value in optional.items() if value},
    }


@dataclass(frozen=True)
class SeriesIdentity:
    """The identity of a series and the format of its files.

    ``columns`` and ``rows`` (the rounds t) are those of the files of its runs, and ``regret`` the kinds of regret in
    them. ``rounds``: the number of rounds that a run plays. ``record``: everything that determines the numbers, ready
    for JSON: content, not names. Its seed is None if the spec lists the ``seeds`` of its runs.
    """

    labels: Labels
    columns: list[str]
    rows: tuple[int, ...]
    regret: tuple[str, ...]
    rounds: int
    record: dict[str, Any]
    seeds: tuple[int, ...] | None

    @property
    def recommends(self) -> bool:
        """Whether an arm is recommended at each row."""
        return "recommended" in self.columns

    @property
    def finds_order(self) -> bool:
        """Whether an order of all arms is judged at each row."""
        return "tau" in self.columns

    @property
    def epsilon(self) -> float:
        """The ε of the algorithm's guarantee, 0 if it has none."""
        return float(self.record.get("parameters", {}).get("epsilon") or 0.0)

    @cached_property
    def digest(self) -> str:
        """The digest of everything that determines the numbers except the seed and the run number."""
        determined = {name: value for name, value in self.record.items() if name != SEED}
        return hashlib.sha256(json.dumps(determined, sort_keys=True).encode()).hexdigest()

    def key(self, number: int) -> str:
        """Return the key of a run, the digest of everything that determines its numbers."""
        seed, repeat = seed_of(self.seeds, self.record[SEED] or 0, number)
        return hashlib.sha256(f"{self.digest} {seed} {repeat}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Wanted:
    """The series of an experiment and the ``numbers`` of their runs, ascending.

    With ``until`` the number of runs depends on the results, and ``numbers`` are all possible run numbers.
    """

    series: tuple[SeriesIdentity, ...]
    numbers: range | tuple[int, ...]
    until: Until | None = None

    @property
    def batches(self) -> Iterator[range | tuple[int, ...]]:
        """The sets of run numbers after which it is checked whether they are enough: a single set without ``until``."""
        if self.until is None:
            yield self.numbers
        else:
            yield from map(range, self.until.batches())


def seed_of(seeds: tuple[int, ...] | None, seed: int, number: int) -> tuple[int, int]:
    """Return the seed of a run, and its index among the runs of that seed, from a spec's ``seeds`` and ``seed``."""
    return (seeds[number], 0) if seeds is not None else (seed, number)


def write_record(directory: Path, record: dict[str, Any]) -> None:
    """Write the record of a series into its directory."""
    write_whole(directory / SERIES, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def read_record(directory: Path) -> dict[str, Any] | None:
    """Return the record in the directory of a series; None if there is none, or it cannot be read."""
    try:
        record = read_json(directory / SERIES)
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def recorded_identity(directory: Path, spec: ResolvedSpec, labels: Labels) -> SeriesIdentity | None:
    """Return the identity of the runs in the directory of a series, from the record there, which has no columns.

    None if the record is not of the series with these labels in the spec of the manifest.
    """
    record = read_record(directory)
    if record is None or not (asked := _entries(spec, labels)):
        return None
    known, code = determinants(spec, *asked), record.get("code")
    if any(record.get(name) != known[name] for name in ("dataset", "parameters", "delay")) or not (
        isinstance(code, dict) and asked[1].code.items() <= code.items()
    ):
        return None
    rows = asked[1].horizons or spec.checkpoints
    rounds = sum(rows) if asked[1].horizons else rows[-1]
    return SeriesIdentity(labels, [], rows, spec.regret, rounds, {**record, SEED: spec.seed}, spec.seeds)


def summarised_record(spec: ResolvedSpec, labels: Labels, now: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a series of which only the summary was kept; what a manifest lacks is as in ``now``."""
    asked = _entries(spec, labels)
    assert asked is not None
    unknown = {name: now.get(name) for name in ("algorithm", "class", "checkpoints", "how")}
    return {**determinants(spec, *asked), SEED: spec.seed, **unknown}


def _entries(spec: ResolvedSpec, labels: Labels) -> tuple[ResolvedDataset, ResolvedAlgorithm] | None:
    """Return the dataset and the algorithm of a spec with these labels, if it has them."""
    both = itertools.product(spec.datasets, spec.algorithms)
    return next(((one, other) for one, other in both if (one.label, other.label) == labels), None)


def changes(before: dict[str, Any] | None, now: dict[str, Any]) -> list[str]:
    """Return the differences between two records as text: ``alpha 0.51 → 0.6``, ``code of kernels.ucb``."""
    if before is None:
        return ["their record is missing"]
    differences = []
    for name in dict.fromkeys([*now, *before]):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if name == "code":
            differences += _code_changes(old if isinstance(old, dict) else {}, new or {})
        elif isinstance(old, dict) and isinstance(new, dict):
            differences += [_change(each, old.get(each), new.get(each)) for each in dict.fromkeys([*new, *old])
                            if old.get(each) != new.get(each)]  # fmt: skip
        else:
            differences.append(_change(name, old, new))
    return differences


def _code_changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [_code_change(name, old.get(name), new.get(name)) for name in sorted({*old, *new})
            if old.get(name) != new.get(name)]  # fmt: skip


def _code_change(name: str, old: Any, new: Any) -> str:
    if EDITED in str(new):
        return f"{name} edited: it may play other paths"
    if EDITED in str(old):
        return f"{name} was edited when they were played"
    if name.startswith("its "):
        return f"code of {name}"
    return _change(f"version of {name}" if str(old or new).isdecimal() else name, old, new)


def _change(name: str, old: Any, new: Any) -> str:
    shown = [json.dumps(each, ensure_ascii=False) if each is not None else "none" for each in (old, new)]
    return f"{name} {' → '.join(shown)}" if len("".join(shown)) <= 60 and name != "matrix" else name
