"""The identity of series and runs: plain data that a plan creates and results store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from duelbench.spec.values import Until

SEED = "seed"
"""The entry of a record that has the seed of the spec; all other entries determine the series."""


class Labels(NamedTuple):
    """The name of a series in results: the labels of its dataset and its algorithm."""

    dataset: str
    algorithm: str


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
        return digest_of({name: value for name, value in self.record.items() if name != SEED})

    def key(self, number: int) -> str:
        """Return the key of a run, the digest of everything that determines its numbers."""
        return key_of(self.digest, *seed_of(self.seeds, self.record[SEED] or 0, number))


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


def digest_of(determinants: dict[str, Any]) -> str:
    """Return the digest of what determines the numbers of a series, except the seed and the run number."""
    return hashlib.sha256(json.dumps(determinants, sort_keys=True).encode()).hexdigest()


def key_of(digest: str, seed: int, repeat: int) -> str:
    """Return the key of a run, from the digest of its series."""
    return hashlib.sha256(f"{digest} {seed} {repeat}".encode()).hexdigest()[:32]


def seed_of(seeds: tuple[int, ...] | None, seed: int, number: int) -> tuple[int, int]:
    """Return the seed of a run, and its index among the runs of that seed, from a spec's ``seeds`` and ``seed``."""
    return (seeds[number], 0) if seeds is not None else (seed, number)
