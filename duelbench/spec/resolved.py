"""A spec with every default and name resolved and every grid expanded, as it stands in ``manifest.json``.

A run writes it from its plan; figures and reports read it back, from anybody's results.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from duelbench.spec.entries import Scalar
from duelbench.spec.figures import Figure
from duelbench.spec.model import Feedback
from duelbench.spec.titles import MOST_CHARACTERS, algorithm_title, dataset_title, distinct_titles
from duelbench.spec.until import Until
from duelbench.spec.values import Count, DirectoryName, Find, Horizon, Horizons, Recommend, RegretKind, Seed, Title


class ResolvedDataset(BaseModel):
    """A point of a grid of datasets: the label that keys the results, and what it is, its ``title``.

    ``grid`` is the label that the points of one grid share; they differ in ``arms``, ``delay`` or parameters: in
    ``point``. ``grid_title`` is the title that the spec gives it. ``identity`` is what determines its matrices: a
    generator with its parameters, or the digest of a matrix. ``origin`` is the name or the file by which the spec asks
    for it. Earlier versions did not write ``point``, ``grid_title`` and ``origin``.
    ``arm_names`` are what its arms are called, ``changes`` the rounds in which its matrix changes, the same in all
    runs; None where there are none such.
    """

    model_config = ConfigDict(frozen=True)

    label: DirectoryName
    title: Annotated[str, Field(max_length=1000)]
    arms: Annotated[int, Field(ge=2, le=10**9)]
    delay: Annotated[int, Field(ge=1, le=10**9)] = 1
    grid: Annotated[str, Field(max_length=1000)] | None = None
    citation: str = ""
    identity: dict[str, Any] = Field(default_factory=dict)
    point: dict[str, Scalar] = Field(default_factory=dict)
    grid_title: Annotated[str, Field(max_length=2 * MOST_CHARACTERS)] | None = None
    origin: Annotated[str, Field(max_length=1000)] | None = None
    arm_names: tuple[str, ...] | None = None
    changes: tuple[int, ...] | None = None

    def called(self, without: str | None = None) -> str:
        """Return what people read of it; ``without`` a parameter, of all that differ in that."""
        return dataset_title(self.title, self.delay, self.grid_title, self.point, without)


class ResolvedAlgorithm(BaseModel):
    """A point of a grid of algorithms, with every parameter and the digests of the code behind it.

    ``horizons``: those it is run for separately; None where one run serves all. ``literal``: its transcription was run.
    ``source``: the text of a user's file. ``grid``, ``point`` and ``grid_title`` are as those of a dataset.
    """

    model_config = ConfigDict(frozen=True)

    label: DirectoryName
    name: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    horizons: tuple[Horizon, ...] | None = None
    citation: str = ""
    code: dict[str, str] = Field(default_factory=dict)
    literal: bool = False
    source: str | None = None
    grid: Annotated[str, Field(max_length=1000)] | None = None
    point: dict[str, Scalar] = Field(default_factory=dict)
    grid_title: Annotated[str, Field(max_length=2 * MOST_CHARACTERS)] | None = None

    def called(self, without: str | None = None) -> str:
        """Return what people read of it; ``without`` a parameter, of all that differ in that."""
        return algorithm_title(self.label, self.grid, self.grid_title, self.point, without)


class ResolvedSpec(BaseModel):
    """An experiment as it was run. Keys that are not here, of another version, are ignored.

    ``runs`` is how many each series has: with ``only_runs`` those of these numbers, with ``until`` at most so many, and
    ``taken[dataset][algorithm]`` is how many it took.
    """

    model_config = ConfigDict(frozen=True)

    name: DirectoryName
    title: Title
    horizons: Horizons
    runs: Annotated[int, Field(ge=1)]
    only_runs: tuple[Annotated[int, Field(ge=0)], ...] | None = None
    until: Until | None = None
    taken: dict[str, dict[str, Annotated[int, Field(ge=0)]]] = Field(default_factory=dict)
    seeds: tuple[Seed, ...] | None = None
    seed: Seed | None = None
    shuffle_arms: bool = True
    count: Count = "rounds"
    recommend: Recommend = "none"
    find: Find | None = None
    regret: Annotated[tuple[RegretKind, ...], Field(min_length=1)]
    run_timeout: float | None = None
    feedback: Feedback = Feedback()
    checkpoints: tuple[Horizon, ...]
    datasets: Annotated[tuple[ResolvedDataset, ...], Field(min_length=1)]
    algorithms: Annotated[tuple[ResolvedAlgorithm, ...], Field(min_length=1)]
    figures: tuple[Figure, ...]

    def numbers(self, dataset: str, algorithm: str) -> range | tuple[int, ...]:
        """Return the numbers of the runs of a series, by its labels."""
        if self.only_runs is not None:
            return self.only_runs
        return range(self.taken.get(dataset, {}).get(algorithm, self.runs) if self.until else self.runs)

    def dataset_titles(self) -> dict[str, str]:
        """Return the title of each dataset by its label; no two read alike."""
        return distinct_titles([(each.label, each.called()) for each in self.datasets])

    def algorithm_titles(self) -> dict[str, str]:
        """Return the title of each algorithm by its label; no two read alike."""
        return distinct_titles([(each.label, each.called()) for each in self.algorithms])
