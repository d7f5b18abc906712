"""Series: the runs of an algorithm on a dataset. The key of a run is a digest of everything that determines it.

This includes the code: versions, and digests of users' files.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from duelbench import engine
from duelbench.algorithms.algorithm import Algorithm, as_its_key_says
from duelbench.algorithms.catalogue import catalogue, catalogue_bases
from duelbench.arrays import Ints
from duelbench.compiling.digest import code_digest
from duelbench.layout import run_columns
from duelbench.results.identity import SEED, Labels, SeriesIdentity, determinants, seed_of
from duelbench.sources.sequences import AnyDataset
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset
from duelbench.spec.values import Count, Find, FindBy, OrderGoal, Recommend, TieOutcome, order_goal, tier_sizes
from duelbench.versions.record import Subject, stream_digest, version_in_keys

ENGINE = Subject("engine", "engine", engine.VERSION, ("duelbench.engine", "duelbench.experiment.run"))
"""The modules that play a run."""


def subject_of(kind: type[Algorithm]) -> Subject:
    """Return an algorithm of the catalogue as a subject with a version."""
    return Subject("algorithms", kind.name, kind.version, (kind.__module__,))


def code_of(algorithm: type[Algorithm], drawn_by: Iterable[Subject] = ()) -> dict[str, str]:
    """Return versions and digests, by name, of the code that determines the numbers of an algorithm.

    These are the versions of the engine, of the generators that draw the matrix of each run (``drawn_by``) and of the
    algorithm, and the digest of a few draws from NumPy's random streams. For a user's algorithm they are instead of
    its version the digests of its file and of the modules that it imports from its folder, and the versions of the
    catalogue's algorithms that its class derives from.
    """
    code = {each.name: version_in_keys(each) for each in (ENGINE, *drawn_by)} | {"random streams": stream_digest()}
    if algorithm.source_text:
        code["its file"] = code_digest(algorithm.source_text)
        code |= {f"its module {name}": code_digest(helper.text) for name, helper in algorithm.helpers.items()}
        return code | {name: version_in_keys(subject_of(catalogue()[name])) for name in catalogue_bases(algorithm)}
    return code | {algorithm.name: version_in_keys(subject_of(algorithm))}


def labelled_dataset(source: AnyDataset, *, label: str, **entry: Any) -> ResolvedDataset:
    """Return a dataset with its label; ``entry`` has the other settings of its entry in the spec."""
    made = ResolvedDataset(
        label=label,
        title=source.title,
        arms=source.arms,
        citation=source.citation,
        identity=source.identity(),
        code={each.name: version_in_keys(each) for each in source.drawn_by},
        arm_names=source.arm_names,
        changes=source.shared_changes,
        **entry,
    )
    made._source = source
    return made


def labelled_algorithm(kind: type[Algorithm], *, label: str, **entry: Any) -> ResolvedAlgorithm:
    """Return an algorithm with its label; ``entry`` has the other settings of its entry in the spec."""
    made = ResolvedAlgorithm(
        label=label,
        citation=kind.citation,
        code=code_of(kind),
        source=kind.source_text or None,
        **entry,
    )
    made._kind = kind
    return made


class PlannedRun(NamedTuple):
    """A run of a series: its number, its seed, its index among the runs of that seed, and its key."""

    number: int
    seed: int
    repeat: int
    key: str


@dataclass(frozen=True, kw_only=True)
class Series:
    """All runs of one algorithm on one dataset; ``how``: see ``Plan``. ``seed`` is None where there are ``seeds``."""

    dataset: ResolvedDataset
    algorithm: ResolvedAlgorithm
    checkpoints: Ints
    regret: tuple[str, ...]
    shuffle_arms: bool
    count: Count = "rounds"
    recommend: Recommend = "none"
    how: str = ""
    find: Find | OrderGoal | None = None
    by: FindBy = "copeland"
    seed: int | None = 0
    seeds: tuple[int, ...] | None = None

    @property
    def order_goal(self) -> OrderGoal | None:
        """The goal if it is an order of the arms."""
        return order_goal(self.find)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the tiers to find, best first; empty if the goal is one arm."""
        return tier_sizes(self.order_goal, self.dataset.arms) if self.order_goal else ()

    @property
    def declares(self) -> bool:
        """Whether the algorithm declares what is to be found."""
        kind = self.algorithm.kind
        return kind.declares() and (kind.declares_tiers or not self.order_goal)

    def build(self) -> Algorithm:
        """Return the algorithm with the parameters that the keys contain."""
        return as_its_key_says(self.algorithm.kind(**self.algorithm.parameters))

    @property
    def recommends(self) -> bool:
        """Whether an arm is recommended at each row."""
        return self.recommend != "none"

    @property
    def detects(self) -> bool:
        """Whether the algorithm reports the changes that it detects."""
        return self.algorithm.kind.detects()

    @property
    def ties(self) -> TieOutcome:
        """How the algorithm receives a tie."""
        return self.algorithm.ties or ("keep" if self.algorithm.kind.takes_ties else "coin")

    @property
    def rule(self) -> str:
        """The name of the recommendation rule for ``rollout``; empty if no arm is recommended."""
        if self.order_goal:
            borda = self.recommend == "posterior" and self.by == "borda"
            return "posterior borda" if borda else self.recommend
        if self.recommend == "own" and self.find == "borda":
            return "own or borda"
        if self.recommend == "posterior" and self.find in ("borda", "condorcet"):
            return f"posterior {self.find}"
        return self.recommend if self.recommends else ""

    @property
    def delay(self) -> int:
        """The rounds after which outcomes arrive."""
        return self.dataset.delay

    @property
    def labels(self) -> Labels:
        """The labels of the dataset and the algorithm."""
        return Labels(self.dataset.label, self.algorithm.label)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rounds t of the result rows."""
        return self.algorithm.horizons or tuple(self.checkpoints.tolist())

    @property
    def columns(self) -> list[str]:
        """The columns of the result rows."""
        return run_columns(self.regret, self.declares, self.recommends, self.detects, bool(self.order_goal))

    @property
    def rounds(self) -> int:
        """The number of rounds, or votes, of one run."""
        return sum(self.algorithm.horizons) if self.algorithm.horizons else int(self.checkpoints[-1])

    @cached_property
    def identity(self) -> SeriesIdentity:
        """What identifies its runs in results.

        Content counts, not names, except for the names of classes in a user's file: the digest of code is that of the
        whole file.
        """
        kind = self.algorithm.kind
        record = {
            "algorithm": kind.name,
            **({"class": kind.__name__} if kind.source_text else {}),
            **determinants(self, self.dataset, self.algorithm),
            **({"how": self.how} if self.how else {}),  # keeps results apart when looking for a mistake
            SEED: self.seed,
        }
        return SeriesIdentity(self.labels, self.columns, self.rows, self.regret, self.rounds, record, self.seeds)

    def run(self, number: int) -> PlannedRun:
        """Return a run, by its number."""
        seed, repeat = seed_of(self.seeds, self.seed or 0, number)
        return PlannedRun(number, seed, repeat, self.identity.key(number))
