"""A spec with every default and name resolved and every grid expanded, as it stands in ``manifest.json``.

A run writes it from its plan; figures and reports read it back, from anybody's results.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from duelbench.spec.figures import Figure
from duelbench.spec.model import Feedback
from duelbench.spec.values import Count, DirectoryName, Horizon, Horizons, Recommend, RegretKind, Seed, Title


class ResolvedDataset(BaseModel):
    """A point of a grid of datasets: the label that keys the results and the title to print.

    ``grid`` is the label that the points of one grid share; they differ in ``arms``, ``delay`` or parameters.
    ``identity`` is what determines its matrices: a generator with its parameters, or the digest of a matrix.
    ``parameters`` are those of its generator, also where that always makes the same matrix; in old results none.
    """

    model_config = ConfigDict(frozen=True)

    label: DirectoryName
    title: Annotated[str, Field(max_length=1000)]
    arms: Annotated[int, Field(ge=2, le=10**9)]
    delay: Annotated[int, Field(ge=1, le=10**9)] = 1
    grid: Annotated[str, Field(max_length=1000)] | None = None
    citation: str = ""
    identity: dict[str, Any] = Field(default_factory=dict)
    parameters: dict[str, Any] = Field(default_factory=dict)


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
    """An experiment as it was run. Keys that are not here, of another version, are ignored."""

    model_config = ConfigDict(frozen=True)

    name: DirectoryName
    title: Title
    horizons: Horizons
    runs: Annotated[int, Field(ge=1)]
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
