"""The resolved spec in ``manifest.json``: every default and name is resolved and every grid expanded.

``duelbench run`` writes it; figures and reports read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from duelbench.spec.entries import Scalar
from duelbench.spec.figure_options import Figure
from duelbench.spec.model import Feedback
from duelbench.spec.titles import MOST_CHARACTERS, distinct_titles, point_title
from duelbench.spec.values import (
    Count,
    DirectoryName,
    Find,
    FindBy,
    Horizon,
    Horizons,
    OrderGoal,
    Recommend,
    RegretKind,
    Seed,
    TieOutcome,
    Title,
    Until,
    order_goal,
)

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm
    from duelbench.sources.sequences import AnyDataset

_OF_ARMS = ("arms", "size")
"""Parameters that are the number of arms of a dataset or of its submatrix; the title has it as K."""


class ResolvedEntry(BaseModel):
    """A dataset or an algorithm, a point of a grid: its label, which is the key of its results, and its titles.

    ``grid`` is the label that all points of the grid share, and ``point`` has the values in which they differ.
    ``grid_title`` is the title in the spec.
    """

    model_config = ConfigDict(frozen=True)

    label: DirectoryName
    grid: Annotated[str, Field(max_length=1000)] | None = None
    point: dict[str, Scalar] = Field(default_factory=dict)
    grid_title: Annotated[str, Field(max_length=2 * MOST_CHARACTERS)] | None = None
    citation: str = ""


class ResolvedDataset(ResolvedEntry):
    """A dataset with the ``title`` that describes it; the algorithm receives outcomes with ``delay``.

    ``identity`` determines its matrices: a generator with its parameters, or the digest of a matrix. ``code`` has the
    versions of the generators that draw a matrix for each run. ``origin`` is the name or the file in the spec.
    ``arm_names`` are the names of its arms, None if
    they have none. ``changes`` are the rounds in which its matrix changes, if they are the same in all runs, else None.

    ``source`` makes the matrices; a dataset read from a manifest has none.
    """

    title: Annotated[str, Field(max_length=1000)]
    arms: Annotated[int, Field(ge=2, le=10**9)]
    delay: Annotated[int, Field(ge=1, le=10**9)] = 1
    identity: dict[str, Any] = Field(default_factory=dict)
    code: dict[str, str] = Field(default_factory=dict)
    origin: Annotated[str, Field(max_length=1000)] | None = None
    arm_names: tuple[str, ...] | None = None
    changes: tuple[int, ...] | None = None
    _source: AnyDataset | None = PrivateAttr(None)

    @property
    def source(self) -> AnyDataset:
        """The source of its matrices."""
        assert self._source is not None
        return self._source

    def called(self, without: str | None = None) -> str:
        """Return the title for figures and summaries; ``without`` a parameter: of all points that differ only in it."""
        if self.grid_title:
            return point_title(self.grid_title, self.point, without)
        point = {name: value for name, value in self.point.items() if name not in (*_OF_ARMS, "delay")}
        if self.delay > 1:
            point["delay"] = self.delay
        return point_title(_without_arms(self.title) if without in _OF_ARMS else self.title, point, without)


class ResolvedAlgorithm(ResolvedEntry):
    """An algorithm with all its parameters, ready for JSON, and the versions and digests of its code.

    ``name`` is its name in the catalogue, or ``path.py:ClassName``; ``source`` is the text of that file. ``title`` is
    the print name of its class, None if the spec gives it a label. ``horizons``: a
    separate run is played for each, and gives a row of the results; None if one run gives all rows. ``ties``: how
    it receives a tie, None for its default.

    ``kind`` is its class; an algorithm read from a manifest has none.
    """

    name: str
    title: Annotated[str, Field(max_length=1000)] | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    horizons: tuple[Horizon, ...] | None = None
    code: dict[str, str] = Field(default_factory=dict)
    reference: bool = False
    source: str | None = None
    ties: TieOutcome | None = None
    _kind: type[Algorithm] | None = PrivateAttr(None)

    @property
    def kind(self) -> type[Algorithm]:
        """Its class."""
        assert self._kind is not None
        return self._kind

    def called(self, without: str | None = None) -> str:
        """Return the title for figures and summaries; ``without`` a parameter: of all points that differ only in it."""
        title = self.grid_title or self.title
        if title or without:
            return point_title(title or self.grid or self.label, self.point, without)
        return self.label


class ResolvedSpec(BaseModel):
    """An experiment as it was run. Unknown keys, which other versions may have written, are ignored.

    ``runs`` is the number of runs of each series. With ``only_runs`` these are the runs with those numbers. With
    ``until`` it is the maximum, and ``taken[dataset][algorithm]`` is the number that was needed.
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
    find: Find | OrderGoal | None = None
    by: FindBy | None = None
    regret: Annotated[tuple[RegretKind, ...], Field(min_length=1)]
    run_timeout: float | None = None
    feedback: Feedback = Feedback()
    checkpoints: tuple[Horizon, ...]
    datasets: Annotated[tuple[ResolvedDataset, ...], Field(min_length=1)]
    algorithms: Annotated[tuple[ResolvedAlgorithm, ...], Field(min_length=1)]
    figures: tuple[Figure, ...]

    @property
    def finds_order(self) -> bool:
        """Whether the goal is an order of the arms."""
        return order_goal(self.find) is not None

    def numbers(self, dataset: str, algorithm: str) -> range | tuple[int, ...]:
        """Return the run numbers of the series with these labels."""
        if self.only_runs is not None:
            return self.only_runs
        return range(self.taken.get(dataset, {}).get(algorithm, self.runs) if self.until else self.runs)

    def dataset_titles(self) -> dict[str, str]:
        """Return the title of each dataset by its label; all titles are different."""
        return distinct_titles([(each.label, each.called()) for each in self.datasets])

    def algorithm_titles(self) -> dict[str, str]:
        """Return the title of each algorithm by its label; all titles are different."""
        return distinct_titles([(each.label, each.called()) for each in self.algorithms])


def _without_arms(title: str) -> str:
    """Return the title of a dataset without its number of arms."""
    before, _, after = title.rpartition(", K = ")
    return ", ".join([before, *after.split(", ")[1:]]) if before else title
