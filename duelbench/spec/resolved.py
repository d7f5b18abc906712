"""A spec with every default and name resolved and every grid expanded, as it stands in ``manifest.json``.

A run writes it from its plan; figures and reports read it back, from anybody's results.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from duelbench.spec.figures import Figure
from duelbench.spec.model import Feedback
from duelbench.spec.until import Until
from duelbench.spec.values import Count, DirectoryName, Horizon, Horizons, Recommend, RegretKind, Seed, Title


class ResolvedDataset(BaseModel):
    """A point of a grid of datasets: the label that keys the results and the title to print.

    ``grid`` is the label that the points of one grid share; they differ in ``arms``, ``delay`` or parameters.
    ``identity`` is what determines its matrices: a generator with its parameters, or the digest of a matrix.
    """

    model_config = ConfigDict(frozen=True)

    label: DirectoryName
    title: Annotated[str, Field(max_length=1000)]
    arms: Annotated[int, Field(ge=2, le=10**9)]
    delay: Annotated[int, Field(ge=1, le=10**9)] = 1
    grid: Annotated[str, Field(max_length=1000)] | None = None
    citation: str = ""
    identity: dict[str, Any] = Field(default_factory=dict)


class ResolvedAlgorithm(BaseModel):
    """A point of a grid of algorithms, with every parameter and the digests of the code behind it.

    ``horizons``: those it is run for separately; None where one run serves all. ``literal``: its transcription was run.
    ``source``: the text of a user's file.
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
