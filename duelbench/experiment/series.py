"""What is played: an algorithm on a dataset, run after run, each run under the key of what determines its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from duelbench.algorithms.algorithm import Algorithm, as_its_key_says, parameters_of
from duelbench.arrays import Ints
from duelbench.experiment.code import code_of
from duelbench.experiment.trial.described import Described
from duelbench.layout import run_columns
from duelbench.results.identity import Labels, digest_of, key_of
from duelbench.sources.datasets import Dataset
from duelbench.sources.sequences import ChangingDataset
from duelbench.spec.titles import algorithm_title, dataset_title
from duelbench.spec.values import Count, Find, Recommend


@dataclass(frozen=True)
class PlannedDataset:
    """A dataset under its label, with the delay of the outcomes there.

    ``grid`` is the label that it shares with the other points of its grid of parameters or delays, if it is of one,
    ``point`` the values that tell it from them, and ``grid_title`` the title that the spec gives it. ``origin`` is the
    name or file by which the spec asks for it.
    """

    label: str
    dataset: Dataset | ChangingDataset
    delay: int = 1
    grid: str | None = None
    point: dict[str, Any] = field(default_factory=dict)
    grid_title: str | None = None
    origin: str | None = None

    @property
    def title(self) -> str:
        """What it is."""
        return self.dataset.title

    @property
    def arms(self) -> int:
        """The number of arms."""
        return self.dataset.arms

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What determines its matrices."""
        return self.dataset.identity()

    def called(self, without: str | None = None) -> str:
        """Return what figures and summaries call it; ``without`` a parameter, all that differ in that."""
        return dataset_title(self.title, self.delay, self.grid_title, self.point, without)


@dataclass(frozen=True)
class PlannedAlgorithm:
    """An algorithm with its parameters under its label.

    ``reference`` is its name, or ``path.py:ClassName``. ``horizons``: each is a run of its own, a row of the results;
    None when a single run to the largest horizon gives all rows. ``literal``: its transcription is run. ``grid``,
    ``point`` and ``grid_title`` are as those of a dataset.
    """

    label: str
    reference: str
    parameters: dict[str, Any]
    kind: type[Algorithm] | Described
    horizons: tuple[int, ...] | None
    literal: bool = False
    grid: str | None = None
    point: dict[str, Any] = field(default_factory=dict)
    grid_title: str | None = None

    def called(self, without: str | None = None) -> str:
        """Return what figures and summaries call it; ``without`` a parameter, all that differ in that."""
        return algorithm_title(self.label, self.grid, self.grid_title, self.point, without)

    def build(self) -> Algorithm:
        """Return the algorithm, made of what its keys are made of: for a class of a user's this runs its file."""
        return as_its_key_says(self.load()(**self.parameters))

    def load(self) -> type[Algorithm]:
        """Return the class; that of a user's is not loaded in the process of a command."""
        return self.kind.load() if isinstance(self.kind, Described) else self.kind

    @property
    def complete_parameters(self) -> Mapping[str, Any]:
        """All parameters, with those that are not given, ready for JSON."""
        return self.kind.parameters if isinstance(self.kind, Described) else parameters_of(self.kind(**self.parameters))


class PlannedRun(NamedTuple):
    """A run of a series: its number there, its seed, which of the runs of that seed it is, and its key."""

    number: int
    seed: int
    repeat: int
    key: str


@dataclass(frozen=True)
class Series:
    """All runs of one algorithm on one dataset; ``how`` is that of ``Plan``."""

    dataset: PlannedDataset
    algorithm: PlannedAlgorithm
    checkpoints: Ints
    regret: tuple[str, ...]
    shuffle_arms: bool
    delay: int
    count: Count = "rounds"
    recommend: Recommend = "none"
    how: str = ""
    find: Find | None = None

    @property
    def recommends(self) -> bool:
        """Whether an arm is recommended at each row."""
        return self.recommend != "none"

    @property
    def detects(self) -> bool:
        """Whether the algorithm looks for changes, and says when it has noticed one; its transcription does not."""
        return self.algorithm.kind.detects() and not self.algorithm.literal

    @property
    def rule(self) -> str:
        """The rule by which an arm is recommended, as ``rollout`` calls it; empty where none is."""
        if self.recommend == "own" and self.find == "borda":
            return "own or borda"
        return self.recommend if self.recommends else ""

    @property
    def labels(self) -> Labels:
        """What it is called."""
        return Labels(self.dataset.label, self.algorithm.label)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rounds t of the result rows."""
        return self.algorithm.horizons or tuple(self.checkpoints.tolist())

    @property
    def columns(self) -> list[str]:
        """The columns of the result rows."""
        return run_columns(self.regret, self.algorithm.kind.declares(), self.recommends, self.detects)

    @property
    def rounds(self) -> int:
        """The rounds, or votes, that one run plays."""
        return sum(self.algorithm.horizons) if self.algorithm.horizons else int(self.checkpoints[-1])

    @cached_property
    def code(self) -> dict[str, str]:
        """The digests of the code that determines the numbers; computed once, it travels to the workers."""
        return code_of(self.algorithm.kind, self.dataset.dataset.drawn_by, self.algorithm.literal)

    @property
    def determinants(self) -> dict[str, Any]:
        """Everything, ready for JSON, that determines the numbers besides seed and run: content, not names.

        Except for those of the classes in a file of the user's, as their code is that of the whole file.
        """
        kind = self.algorithm.kind
        return {
            "algorithm": kind.name,
            **({"class": kind.class_name} if isinstance(kind, Described) else {}),
            "parameters": self.algorithm.complete_parameters,
            "dataset": self.dataset.dataset.identity(),
            "rows": list(self.rows),
            "checkpoints": None if self.algorithm.horizons else self.checkpoints.tolist(),
            "regret": list(self.regret),
            "shuffle_arms": self.shuffle_arms,
            "delay": self.delay,
            "code": self.code,
            **({"literal": True} if self.algorithm.literal else {}),
            **({"count": self.count} if self.count != "rounds" else {}),
            **({"recommend": self.recommend} if self.recommends else {}),
            **({"find": self.find} if self.find else {}),
            **({"how": self.how} if self.how else {}),  # whoever looks for a mistake there wants to know whose runs
        }

    @cached_property
    def digest(self) -> str:
        """The digest of the determinants."""
        return digest_of(self.determinants)

    def key(self, seed: int, repeat: int) -> str:
        """Return the digest of everything that determines the numbers of a run."""
        return key_of(self.digest, seed, repeat)
