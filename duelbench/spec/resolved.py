"""The resolved spec, with every default and name resolved and every grid expanded, and its series of runs.

The planner makes it and ``manifest.json`` stores it, so a plan and a directory of results have the same series. The key
of a run is a digest of everything that determines its numbers: content, not names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from duelbench.layout import run_columns
from duelbench.spec.entries import Scalar
from duelbench.spec.model import AnyFigure, Feedback
from duelbench.spec.titles import MOST_CHARACTERS, distinct_titles, point_title
from duelbench.spec.values import (
    Count,
    DirectoryName,
    Find,
    FindBy,
    Horizon,
    Horizons,
    Mode,
    OrderGoal,
    Recommend,
    RegretKind,
    Seed,
    TieOutcome,
    Title,
    Until,
    order_goal,
    tier_sizes,
)

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm
    from duelbench.sources.sequences import AnyDataset
    from duelbench.spec.model import Spec

Numbers = range | tuple[int, ...]
"""Numbers of runs, ascending."""
SEED = "seed"
"""Entry of a record with the seed of the spec. All other entries determine the series."""
_OF_ARMS = ("arms", "size")
"""Parameters for the number of arms of a dataset or of its submatrix, which titles show as K."""


class ResolvedEntry(BaseModel):
    """A dataset or an algorithm (a point of a grid), with its titles and the label that identifies its results.

    ``grid`` is the label shared by all points of the grid, and ``point`` has the values in which they differ.
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
    ``arm_names`` is None if arms have no names. ``changes`` are the rounds in which the matrix changes, if they are the
    same in all runs, else None.

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
        """Return the title for figures and summaries; it covers all values of the parameter ``without``, if given."""
        if self.grid_title:
            return point_title(self.grid_title, self.point, without)
        point = {name: value for name, value in self.point.items() if name not in (*_OF_ARMS, "delay")}
        if self.delay > 1:
            point["delay"] = self.delay
        return point_title(_without_arms(self.title) if without in _OF_ARMS else self.title, point, without)


class ResolvedAlgorithm(ResolvedEntry):
    """An algorithm with all its parameters, ready for JSON, and the versions and digests of its code.

    ``name`` is its name in the catalogue, or ``path.py:ClassName``; ``source`` is the text of that file. ``title`` is
    the print name of its class, None if the spec gives it a label. ``horizons``: a separate run is played for each and
    gives one row; None if one run gives all rows. ``ties``: how it receives a tie, None for its default. ``in_keys``:
    the names in the keys of runs, namely the algorithm's and, in a user's file, the class's, since the digest of the
    code covers the whole file. ``depends_on``: whether a row depends on the other checkpoints, and on the horizon.

    ``kind`` is its class; an algorithm read from a manifest has none.
    """

    name: str
    title: Annotated[str, Field(max_length=1000)] | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    horizons: tuple[Horizon, ...] | None = None
    code: dict[str, str] = Field(default_factory=dict)
    source: str | None = None
    ties: TieOutcome | None = None
    in_keys: dict[str, str]
    depends_on: tuple[Literal["checkpoints", "horizon"], ...] = ("checkpoints", "horizon")
    _kind: type[Algorithm] | None = PrivateAttr(None)

    @property
    def kind(self) -> type[Algorithm]:
        """Its class."""
        assert self._kind is not None
        return self._kind

    def called(self, without: str | None = None) -> str:
        """Return the title for figures and summaries; it covers all values of the parameter ``without``, if given."""
        title = self.grid_title or self.title
        if title or without:
            return point_title(title or self.grid or self.label, self.point, without)
        return self.label


class ResolvedSpec(BaseModel):
    """An experiment as it was run. Unknown keys, which other versions may have written, are ignored.

    ``runs`` is the number of runs of each series. With ``only_runs`` these are the runs with those numbers. With
    ``until`` it is the maximum, and ``taken[dataset][algorithm]`` is the number that was needed. The ``mode`` is in the
    keys, so that interpreted and compiled runs do not mix, though they should be equal.

    ``written`` is the spec as in its file; a spec read from a manifest has none.
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
    figures: tuple[AnyFigure, ...]

    mode: Mode = "compiled"
    _written: Spec | None = PrivateAttr(None)

    @property
    def written(self) -> Spec:
        """The spec as in its file."""
        assert self._written is not None
        return self._written

    @property
    def order_goal(self) -> OrderGoal | None:
        """The goal if it is an order of the arms."""
        return order_goal(self.find)

    @property
    def numbers(self) -> Numbers:
        """The numbers of the runs of each series; all possible ones with ``until``."""
        return self.only_runs or range(self.runs)

    @property
    def batches(self) -> Iterator[Numbers]:
        """The sets of run numbers after which ``until`` is checked; a single set without ``until``."""
        yield from [self.numbers] if self.until is None else map(range, self.until.batches())

    @property
    def series(self) -> tuple[Series, ...]:
        """Every algorithm on every dataset, ordered by dataset."""
        return tuple(Series(self, dataset, algorithm) for dataset in self.datasets for algorithm in self.algorithms)

    @property
    def rounds(self) -> int:
        """The rounds, or votes, of all runs together."""
        return sum(series.rounds for series in self.series) * self.runs

    def seed_of(self, number: int) -> tuple[int, int]:
        """Return the seed of a run, and its index among the runs of that seed."""
        return seed_of(self.seeds, self.seed, number)

    def recorded(self) -> dict[str, Any]:
        """Return the content for ``manifest.json``: unset keys are omitted, but parameters that are None are kept."""
        content = self.model_dump(mode="json", exclude_none=True)
        for entry, dataset in zip(content["datasets"], self.datasets, strict=True):
            entry |= {"identity": dataset.identity, "point": dataset.point}
        for entry, algorithm in zip(content["algorithms"], self.algorithms, strict=True):
            entry |= {"parameters": algorithm.parameters, "point": algorithm.point}
        return content

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


def seed_of(seeds: Sequence[int] | None, seed: int | None, number: int) -> tuple[int, int]:
    """Return the seed of a run, and its index among the runs of that seed."""
    return (seed or 0, number) if seeds is None else (seeds[number], 0)


class Labels(NamedTuple):
    """The name of a series in results: the labels of its dataset and its algorithm."""

    dataset: str
    algorithm: str


@dataclass(frozen=True, eq=False)
class Series:
    """All runs of one algorithm on one dataset of a spec."""

    spec: ResolvedSpec
    dataset: ResolvedDataset
    algorithm: ResolvedAlgorithm

    def __reduce__(self) -> Any:
        """Pickle only this dataset and this algorithm of the spec, for workers."""
        only = {"datasets": (self.dataset,), "algorithms": (self.algorithm,), "figures": ()}
        alone = self.spec.model_copy(update=only)
        alone._written = None
        return Series, (alone, self.dataset, self.algorithm)

    @property
    def labels(self) -> Labels:
        """The labels of the dataset and the algorithm."""
        return Labels(self.dataset.label, self.algorithm.label)

    @property
    def numbers(self) -> Numbers:
        """The numbers of its runs: with ``until`` those that were needed, if that is known."""
        taken = self.spec.taken.get(self.dataset.label, {}).get(self.algorithm.label)
        return self.spec.numbers if taken is None else range(taken)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rounds t of the rows of a run."""
        return self.algorithm.horizons or self.spec.checkpoints

    @property
    def rounds(self) -> int:
        """The number of rounds, or votes, of a run."""
        return sum(self.rows) if self.algorithm.horizons else self.rows[-1]

    @property
    def columns(self) -> list[str]:
        """The columns of a run."""
        spec, detects = self.spec, self.algorithm.kind.detects()
        return run_columns(spec.regret, self.declares, self.recommends, detects, spec.order_goal is not None)

    @property
    def declares(self) -> bool:
        """Whether the algorithm declares a result of the kind that the goal asks for."""
        kind = self.algorithm.kind
        return kind.declares() and (kind.declares_tiers or not self.spec.order_goal)

    @property
    def recommends(self) -> bool:
        """Whether an arm is recommended at each row."""
        return self.spec.recommend != "none"

    @property
    def rule(self) -> str:
        """The name of the recommendation rule for ``rollout``; empty if no arm is recommended."""
        spec = self.spec
        if spec.order_goal:
            return "posterior borda" if spec.recommend == "posterior" and spec.by == "borda" else spec.recommend
        if spec.recommend == "own" and spec.find == "borda":
            return "own or borda"
        if spec.recommend == "posterior" and spec.find in ("borda", "condorcet"):
            return f"posterior {spec.find}"
        return spec.recommend if self.recommends else ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the tiers to find, best first; empty if the goal is one arm."""
        return tier_sizes(self.spec.order_goal, self.dataset.arms) if self.spec.order_goal else ()

    @property
    def ties(self) -> TieOutcome:
        """How the algorithm receives a tie."""
        return self.algorithm.ties or ("keep" if self.algorithm.kind.takes_ties else "coin")

    def build(self) -> Algorithm:
        """Return the algorithm with the parameters that enter the keys."""
        from duelbench.algorithms.algorithm import (
            canonical,
        )  # imports numba, which readers of results do not need

        return canonical(self.algorithm.kind(**self.algorithm.parameters))

    @cached_property
    def record(self) -> dict[str, Any]:
        """Everything that determines the numbers, ready for JSON; the seed is None if the spec lists ``seeds``.

        Unset settings are omitted, so that a new kind of setting does not change existing keys.
        """
        spec, algorithm, goal = self.spec, self.algorithm, self.spec.find
        code = {"engine": "", **self.dataset.code, **algorithm.code}  # the engine comes first
        optional = {
            "count": spec.count != "rounds" and spec.count,
            "recommend": self.recommends and spec.recommend,
            "find": goal if goal is None or isinstance(goal, str) else goal.model_dump(),
            "by": spec.order_goal is not None and (spec.by or "copeland"),
            "ties": algorithm.ties,
            "how": spec.mode != "compiled" and spec.mode,
        }
        return {
            **algorithm.in_keys,
            "parameters": algorithm.parameters,
            "dataset": self.dataset.identity,
            "rows": list(self.rows),
            "checkpoints": None if algorithm.horizons else list(spec.checkpoints),
            "regret": list(spec.regret),
            "shuffle_arms": spec.shuffle_arms,
            "delay": self.dataset.delay,
            "code": {name: version for name, version in code.items() if version},
            **{name: value for name, value in optional.items() if value},
            SEED: spec.seed,
        }

    @cached_property
    def digest(self) -> str:
        """The digest of everything that determines the numbers except the seed and the run number."""
        return digest_of(self.record)

    def key(self, number: int, digest: str | None = None) -> str:
        """Return the key of a run of this series, or of a series with another ``digest``."""
        seed, repeat = self.spec.seed_of(number)
        return hashlib.sha256(f"{digest or self.digest} {seed} {repeat}".encode()).hexdigest()[:32]

    def is_part_of(self, record: dict[str, Any]) -> bool:
        """Return whether runs with another record contain all rows of the runs of this series.

        They do if only rows differ: the other runs have more checkpoints, more horizons, or a longer horizon. A longer
        horizon is not enough if arms are recommended, as the last row differs then, or if a budget limits the votes.
        """
        rows, spec, depends_on = record.get("rows"), self.spec, self.algorithm.depends_on
        same = record | {name: self.record[name] for name in ("rows", "checkpoints")} == self.record
        if not (same and isinstance(rows, list) and {*self.rows} <= {each for each in rows if isinstance(each, int)}):
            return False
        if self.algorithm.horizons or not record.get("checkpoints"):
            return bool(self.algorithm.horizons) and not record.get("checkpoints")
        prefix = "horizon" not in depends_on and not self.recommends and spec.count == "rounds"
        return "checkpoints" not in depends_on and (rows[-1] == self.rows[-1] or prefix)


def digest_of(record: dict[str, Any]) -> str:
    """Return the digest of everything in a record except the seed."""
    determined = {name: value for name, value in record.items() if name != SEED}
    return hashlib.sha256(json.dumps(determined, sort_keys=True).encode()).hexdigest()
