"""From a spec to what will be computed: every name resolved, every parameter checked, every run with its key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import find, find_text
from duelbench.arrays import Ints
from duelbench.engine.checkpoints import checkpoints
from duelbench.errors import UserError
from duelbench.preferences.regret import needs_condorcet_winner, regret_table
from duelbench.runs.code import code_of
from duelbench.runs.run import instance
from duelbench.sources.datasets import Dataset, dataset
from duelbench.spec.entries import AlgorithmEntry, AlgorithmSpec
from duelbench.spec.model import Spec
from duelbench.spec.validation import explain


@dataclass(frozen=True)
class PlannedDataset:
    """A dataset under its label, with the delay of the outcomes there.

    ``grid`` is the label that it shares with the other points of its grid of parameters or delays, if it is of one.
    """

    label: str
    dataset: Dataset
    delay: int = 1
    grid: str | None = None

    @property
    def title(self) -> str:
        """What figures and summaries call it."""
        return self.dataset.title + (f", delay {self.delay:,}" if self.delay > 1 else "")


@dataclass(frozen=True)
class PlannedAlgorithm:
    """An algorithm with its parameters under its label.

    ``reference`` and ``base`` find its class again in another process. ``horizons``: each is a run of its own, a row of
    the results; None when a single run to the largest horizon gives all rows. ``literal``: its transcription is run.
    """

    label: str
    reference: str
    base: Path
    parameters: dict[str, Any]
    kind: type[Algorithm]
    horizons: tuple[int, ...] | None
    literal: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        # The class of a user's file cannot be pickled: the other process, or machine, loads the same text again.
        return _rebuild, (
            self.label, self.reference, self.base, self.parameters, self.horizons, self.literal, self.kind.source_text
        )  # fmt: skip

    def build(self) -> Algorithm:
        """Return the algorithm."""
        return self.kind(**self.parameters)


def _rebuild(
    label: str,
    reference: str,
    base: Path,
    parameters: dict[str, Any],
    horizons: tuple[int, ...] | None,
    literal: bool,
    source_text: str,
) -> PlannedAlgorithm:
    kind = find_text(reference, base, source_text) if source_text else find(reference, base)
    return PlannedAlgorithm(label, reference, base, parameters, kind, horizons, literal)


@dataclass(frozen=True)
class Series:
    """All runs of one algorithm on one dataset."""

    dataset: PlannedDataset
    algorithm: PlannedAlgorithm
    checkpoints: Ints
    regret: tuple[str, ...]
    shuffle_arms: bool
    delay: int

    @property
    def rows(self) -> tuple[int, ...]:
        """The rounds t of the result rows."""
        return self.algorithm.horizons or tuple(self.checkpoints.tolist())

    @property
    def rounds(self) -> int:
        """The rounds that one run plays."""
        return sum(self.algorithm.horizons) if self.algorithm.horizons else int(self.checkpoints[-1])

    @cached_property
    def code(self) -> dict[str, str]:
        """The digests of the code that determines the numbers; computed once, it travels to the workers."""
        return code_of(self.algorithm.kind, self.dataset.dataset.varies, self.algorithm.literal)

    @property
    def determinants(self) -> dict[str, Any]:
        """Everything, ready for JSON, that determines the numbers besides seed and run: content, not names."""
        return {
            "algorithm": self.algorithm.kind.name,
            "parameters": self.algorithm.build().model_dump(mode="json"),
            "dataset": self.dataset.dataset.identity(),
            "rows": list(self.rows),
            "checkpoints": None if self.algorithm.horizons else self.checkpoints.tolist(),
            "regret": list(self.regret),
            "shuffle_arms": self.shuffle_arms,
            "delay": self.delay,
            "code": self.code,
            **({"literal": True} if self.algorithm.literal else {}),
        }

    @cached_property
    def digest(self) -> str:
        """The digest of the determinants."""
        return hashlib.sha256(json.dumps(self.determinants, sort_keys=True).encode()).hexdigest()

    def key(self, seed: int, run: int) -> str:
        """Return the digest of everything that determines the numbers of a run."""
        return hashlib.sha256(f"{self.digest} {seed} {run}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Plan:
    """What a spec asks for. Series come dataset by dataset in the order of the spec."""

    spec: Spec
    datasets: tuple[PlannedDataset, ...]
    algorithms: tuple[PlannedAlgorithm, ...]
    checkpoints: Ints

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """Every algorithm on every dataset."""
        spec = self.spec
        return tuple(
            Series(planned, algorithm, self.checkpoints, spec.regret, spec.shuffle_arms, planned.delay)
            for planned in self.datasets
            for algorithm in self.algorithms
        )

    @property
    def runs(self) -> int:
        """The runs of each series."""
        return len(self.spec.seeds) if self.spec.seeds is not None else self.spec.runs or 0

    def seed(self, number: int) -> tuple[int, int]:
        """Return the seed of a run, and its index among the runs of that seed."""
        return (self.spec.seeds[number], 0) if self.spec.seeds is not None else (self.spec.seed, number)

    @property
    def rounds(self) -> int:
        """The rounds of all runs together."""
        return sum(series.rounds for series in self.series) * self.runs


def make_plan(spec: Spec) -> Plan:
    """Resolve a spec.

    Raises UserError, with file and line, for anything that can be known to be wrong before computing: names,
    parameters, files, matrices, and regret that a matrix does not define.
    """
    base = spec.source.path.parent
    datasets = []
    for entry in spec.expanded_datasets():
        try:
            found = dataset(entry.name, entry.file, entry.parameters, entry.submatrix, base)
            planned = PlannedDataset(entry.label, found, entry.delay, entry.grid)
            _check_regret(planned, spec)
        except UserError as error:
            raise _located(error, spec, entry.key) from None
        datasets.append(planned)
    rounds = checkpoints(
        [*spec.horizons, *(figure.at for figure in spec.figures if figure.kind != "regret" and figure.at)],
        spec.checkpoints_per_decade,
    )
    algorithms = tuple(_algorithm(entry, spec, base, rounds) for entry in spec.expanded_algorithms())
    return Plan(spec, tuple(datasets), algorithms, rounds)


def _check_regret(planned: PlannedDataset, spec: Spec) -> None:
    for kind in spec.regret:
        if not needs_condorcet_winner(kind):
            continue
        runs = spec.run_seeds if planned.dataset.varies else spec.run_seeds[:1]
        for number, (seed, run) in enumerate(runs):
            try:
                regret_table(instance(planned, seed, run, shuffle_arms=False), kind)
            except UserError as error:
                if planned.dataset.varies:
                    error.message = f"in run {number}: {error.message}"
                raise


def _algorithm(entry: AlgorithmEntry, spec: Spec, base: Path, rounds: Ints) -> PlannedAlgorithm:
    try:
        kind = find(entry.name, base)
    except UserError as error:
        raise _located(error, spec, entry.key) from None
    try:
        kind.model_validate(entry.parameters)
    except ValidationError as error:
        sentence, key = explain(error, kind, also=AlgorithmSpec.model_fields)
        raise spec.source.error(sentence, (*entry.key, *key)) from None
    if max(spec.feedback.delay) > 1 and not kind.sequential:
        raise spec.source.error(
            f"{kind.name} waits for the outcomes of its batches, so feedback cannot be delayed: remove one of the two",
            entry.key,
        )
    horizons: tuple[int, ...] | None
    if entry.horizons is not None and not kind.uses_horizon:
        raise spec.source.error(
            f"{kind.name} does not use its horizon, one run gives every point of the curve: remove 'horizons'",
            (*entry.key, "horizons"),
        )
    if entry.horizons == "sweep":
        horizons = tuple(rounds.tolist())
    elif entry.horizons is not None:
        horizons = entry.horizons
    elif kind.uses_horizon and len(spec.horizons) > 1:
        horizons = spec.horizons
    else:
        horizons = None
    return PlannedAlgorithm(entry.label, entry.name, base, entry.parameters, kind, horizons, entry.literal)


def _located(error: UserError, spec: Spec, key: tuple[str | int, ...]) -> UserError:
    """Give an error the spec's line, unless it already points into a file of its own."""
    if error.source is not None and error.line is not None:
        return error
    message = f"{error.source}: {error.message}" if error.source else error.message
    return spec.source.error(message, (*key, *error.key))
