"""The model of a spec: a frozen object, complete and consistent once created."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictBool,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from duelbench.arguments import MAX_DELAY
from duelbench.errors import Key, UserError, choose_among
from duelbench.layout import EXPERIMENT_FILES
from duelbench.parameters import WHOLE
from duelbench.spec.entries import (
    AlgorithmEntry,
    AlgorithmField,
    DatasetEntry,
    DatasetField,
    GridPoint,
    distinct_labels,
)
from duelbench.spec.figures import FigureEntry, Look, figure_kinds
from duelbench.spec.titles import written_title
from duelbench.spec.validation import below, explain, mistake
from duelbench.spec.values import (
    DIRECTORY_CHARACTERS,
    MAX_RUNS_OF_A_SERIES,
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
    Title,
    Until,
    ascending,
    check_runs,
    distinct,
    order_goal,
    read_until,
)
from duelbench.spec.yaml_file import SpecFile, read

_MAX_SERIES = 100_000
"""Maximum number of pairs of a dataset and an algorithm."""


_DEFAULT_FIGURES = ({"kind": "regret"}, {"kind": "regret", "y": "log"})
_FIGURES_OF_A_BUDGET = ({"kind": "identification"}, {"kind": "regret"})
if TYPE_CHECKING:
    AnyFigure = FigureEntry
else:
    AnyFigure = Annotated[Union[tuple(figure_kinds().values())], Field(discriminator="kind")]  # noqa: UP007


def _check_labels(named: Iterable[str], what: str, entries: Sequence[GridPoint[Any]], *key: Key) -> None:
    """Raise an error for a name that is the label of neither an entry nor a grid."""
    labels = dict.fromkeys([*(entry.grid for entry in entries if entry.grid), *(entry.label for entry in entries)])
    for label in named:
        if label not in labels:
            raise mistake(f"no {what} has the label {label!r}{choose_among(label, labels)}", *key)


def _listed(value: object) -> Any:
    return value if isinstance(value, list | tuple) else [value]


def _small(block: dict[str, Any]) -> dict[str, Any]:
    for key in ("name", "smoke"):
        if key in block:
            raise mistake(f"'smoke' cannot change {key!r}: remove it", key)
    return block


_Delay = Annotated[int, Field(strict=True, ge=1, le=MAX_DELAY), WHOLE]


class Feedback(BaseModel):
    """When the algorithm receives the outcomes of its duels."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    delay: Annotated[
        tuple[_Delay, ...],
        Field(min_length=1),
        BeforeValidator(_listed, json_schema_input_type=_Delay | tuple[_Delay, ...]),
        AfterValidator(distinct),
    ] = Field((1,), description="The algorithm receives outcomes in batches of this many rounds. A list is a grid.")


class Spec(Look):
    """An experiment: every algorithm on every dataset, ``runs`` times.

    ``horizons`` has the horizon(s) in ascending order, whether the file has ``horizon`` or ``horizons``. The regret,
    round and look of figures have been filled in.
    """

    name: DirectoryName = Field(
        description=f"Name of the directory of results: {DIRECTORY_CHARACTERS}. Default: the file name."
    )
    title: Title = Field(
        "", description="Printed above summaries and figures. Default: the name.", validate_default=True
    )
    horizon: Horizon | None = Field(None, description="Number of duels T of each run, such as 1e6.", exclude=True)
    budget: Horizon | None = Field(
        None, description="Number of votes (duels of different arms) of each run, instead of a horizon.", exclude=True
    )
    count: Count | None = Field(
        None,
        description="What horizons, checkpoints and figures count: rounds, or votes (duels of different arms). "
        "Default: votes with a `budget`, else rounds.",
        validate_default=True,
    )
    horizons: Horizons = Field((), description="Several horizons instead of one.", validate_default=True)
    runs: Annotated[
        Annotated[int, Field(strict=True, ge=1, le=MAX_RUNS_OF_A_SERIES), WHOLE] | Until | None,
        BeforeValidator(read_until),
    ] = Field(
        None,
        description="Number of independent runs of each algorithm on each dataset; or {until: 2 %}: runs are added "
        "until the standard error of the mean is this small.",
    )
    only_runs: (
        Annotated[
            tuple[Annotated[int, Field(strict=True, ge=0, lt=MAX_RUNS_OF_A_SERIES), WHOLE], ...],
            Field(min_length=1),
            AfterValidator(distinct),
            AfterValidator(ascending),
        ]
        | None
    ) = Field(
        None, description="Only the runs with these numbers, counted from 0: [49]. They are the same as among all runs."
    )
    seed: Seed = Field(0, description="The random streams of all runs are derived from this seed.")
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(distinct)] | None = Field(
        None, description="One run per seed, instead of `runs` and `seed`."
    )
    shuffle_arms: StrictBool = Field(
        True, description="Renumber the arms at random in each run, in the same way for all algorithms."
    )
    find: Find | OrderGoal | None = Field(
        None,
        description="The goal: a run is right if the arm it recommends is a Copeland winner, the Condorcet winner or a "
        "Borda winner, whose regret is recorded first; or if it finds the order of all arms (ranking), the set of the "
        "k best ones ({top: k}) or tiers of them ({tiers: [2, 3, 5]}). With ties the matrix decides, in which a tie is "
        "half a win for both.",
    )
    by: FindBy | None = Field(
        None,
        description="What the arms are ordered by where an order is to be found: the number of arms that an arm beats, "
        "then its Borda score (copeland, the default), or its Borda score alone (borda).",
    )
    regret: Annotated[
        tuple[RegretKind, ...],
        Field(min_length=1),
        BeforeValidator(_listed, json_schema_input_type=RegretKind | tuple[RegretKind, ...]),
        AfterValidator(distinct),
    ] = Field(
        (),
        description="The regret(s) recorded; all but copeland, borda and the adversarial ones need a Condorcet winner. "
        "Default: the kind in `find`, else copeland.",
        validate_default=True,
    )
    recommend: Recommend | None = Field(
        None,
        description="Record a recommended arm at each checkpoint, by the algorithm's own rule or by one rule for all "
        "algorithms: copeland, borda and btl score the counts, posterior names the arm most probably best. "
        "Default: own if votes are counted, else none.",
        validate_default=True,
    )
    checkpoints_per_decade: Annotated[int, Field(strict=True, ge=0, le=1000), WHOLE] = Field(
        20, description="Number of checkpoints between t and 10 t, equally spaced in log t; 0 for the horizons alone."
    )
    feedback: Feedback = Field(
        Feedback(),
        description="When algorithms receive the outcomes of their duels: {delay: 100} is in batches of 100 rounds.",
    )
    run_timeout: Annotated[float, Field(strict=True, gt=0, le=1e7, allow_inf_nan=False)] | None = Field(
        None, description="Seconds after which a run is stopped and recorded as failed. Default: never."
    )
    datasets: Annotated[tuple[DatasetField, ...], Field(min_length=1)] = Field(
        description="The preference matrices to duel on: names, or mappings with a name or file and parameters."
    )
    algorithms: Annotated[tuple[AlgorithmField, ...], Field(min_length=1)] = Field(
        description="The algorithms to compare: names, or mappings with a name and parameters; a list is a grid."
    )
    figures: tuple[AnyFigure, ...] = Field(
        _DEFAULT_FIGURES,
        description="What `duelbench plot` draws. Default: regret against log t, with a linear and a log axis; with a "
        "budget the share of runs that name a best arm, and regret.",
        validate_default=True,
    )

    smoke: Annotated[dict[str, Any], AfterValidator(_small)] | None = Field(
        None,
        description="Keys that `duelbench run --smoke` uses instead of the keys beside it, to try a spec in seconds.",
        exclude=True,
    )

    _source: SpecFile = PrivateAttr(SpecFile(Path("spec"), {}, {}))
    _small: bool = PrivateAttr(False)

    @property
    def source(self) -> SpecFile:
        """The file that the spec was loaded from, for later errors."""
        return self._source

    @property
    def small(self) -> bool:
        """Whether the spec is the small variant in its file (``--smoke``)."""
        return self._small

    @property
    def run_count(self) -> int:
        """The number of runs of each algorithm on each dataset; the maximum if ``until`` decides it."""
        if self.only_runs is not None:
            return len(self.only_runs)
        if self.seeds is not None:
            return len(self.seeds)
        return self.runs.most if isinstance(self.runs, Until) else self.runs or 0

    @property
    def order_goal(self) -> OrderGoal | None:
        """The goal if it is an order of the arms."""
        return order_goal(self.find)

    @property
    def until(self) -> Until | None:
        """The rule that decides the number of runs; None if the number is fixed."""
        return self.runs if isinstance(self.runs, Until) else None

    def seed_of(self, number: int) -> tuple[int, int]:
        """Return the seed of a run, and its index among the runs of that seed."""
        return (self.seeds[number], 0) if self.seeds is not None else (self.seed, number)

    def expanded_algorithms(self) -> tuple[GridPoint[AlgorithmEntry], ...]:
        """Return the algorithms in the order written, grids expanded."""
        return tuple(
            point for index, entry in enumerate(self.algorithms) for point in entry.expanded(("algorithms", index))
        )

    def expanded_datasets(self) -> tuple[GridPoint[DatasetEntry], ...]:
        """Return the datasets in the order written, grids expanded."""
        return tuple(
            point
            for index, entry in enumerate(self.datasets)
            for point in entry.expanded(("datasets", index), self.feedback.delay)
        )

    @field_validator("title")
    @classmethod
    def _title(cls, title: str, info: ValidationInfo) -> str:
        return written_title(title) or str(info.data.get("name", ""))

    @field_validator("regret", mode="before")
    @classmethod
    def _regret(cls, written: object, info: ValidationInfo) -> object:
        find = info.data.get("find")
        if find is None or order_goal(find):
            return (info.data.get("by") or "copeland",) if written == () else written
        if written == ():
            return (find,)
        if isinstance(written, str | list) and _listed(written)[:1] != [find]:
            raise mistake(f"'find: {find}' needs {find} regret: put that first, or remove 'regret'")
        return written

    @field_validator("count")
    @classmethod
    def _count(cls, written: Count | None, info: ValidationInfo) -> Count:
        if info.data.get("budget") and written == "rounds":
            raise mistake("a 'budget' counts votes: write 'horizon', or remove 'count'")
        return written or ("votes" if info.data.get("budget") else "rounds")

    @field_validator("recommend")
    @classmethod
    def _recommend(cls, written: Recommend | None, info: ValidationInfo) -> Recommend:
        return written or ("own" if info.data.get("count") == "votes" else "none")

    @model_validator(mode="after")
    def _found(self) -> Spec:
        if self.find is not None and self.recommend == "none":
            raise mistake("'find' needs recommended arms: add a 'budget', or 'recommend: own'", "find")
        if self.by is not None and self.order_goal is None:
            raise mistake("'by' orders all arms: remove it, or write 'find: ranking', {top: k} or {tiers: […]}", "by")
        return self

    @field_validator("horizons", mode="before")
    @classmethod
    def _horizons(cls, written: object, info: ValidationInfo) -> object:
        if not {"horizon", "budget"} <= info.data.keys():  # one of them was invalid: one error is enough
            return written
        lengths = {key: info.data[key] for key in ("horizon", "budget") if info.data[key]}
        given = [*lengths, *(["horizons"] if written != () else [])]
        if len(given) > 1:
            raise mistake(f"{given[0]!r} and {given[1]!r} are both given: keep one")
        if not given:
            raise mistake("the number of duels is missing: add, for example, 'horizon: 1e6' or 'horizons: [1e4, 1e6]'")
        return tuple(lengths.values()) or written

    @field_validator("figures", mode="before")
    @classmethod
    def _chosen(cls, figures: object, info: ValidationInfo) -> object:
        return _FIGURES_OF_A_BUDGET if figures == _DEFAULT_FIGURES and info.data.get("count") == "votes" else figures

    @field_validator("figures")
    @classmethod
    def _complete(cls, figures: tuple[AnyFigure, ...], info: ValidationInfo) -> Any:
        if not {"horizons", "regret", "recommend"} <= info.data.keys():
            return figures
        complete, files = [], set[str]()
        for index, figure in enumerate(figures):
            with below(index):
                complete.append(figure.model_copy(update=figure.defaults(info.data)))
            if figure.file is not None:
                if figure.file.casefold() in files:
                    raise mistake(f"another figure has the file {figure.file!r}: choose another name", index, "file")
                files.add(figure.file.casefold())
        return tuple(complete)

    @model_validator(mode="after")
    def _consistent(self) -> Spec:
        if self.seeds is None and self.runs is None and self.only_runs is None:
            raise mistake("the number of runs is missing: add, for example, 'runs: 100' or 'seeds: [1, 2, 3]'")
        for key, given in (("runs", self.runs is not None), ("seed", "seed" in self.model_fields_set)):
            if given and self.seeds is not None:
                raise mistake(f"{key!r} and 'seeds' are both given: keep one", key)
        datasets = len(self.feedback.delay) * sum(entry.size for entry in self.datasets)
        if datasets * sum(entry.size for entry in self.algorithms) > _MAX_SERIES:
            raise mistake(
                f"the grids make more than {_MAX_SERIES:,} pairs of a dataset and an algorithm: write fewer values",
                "algorithms",
            )
        check_runs(len(self.seeds) if self.seeds is not None else self.runs, self.only_runs)
        distinct_labels(self.expanded_datasets(), "datasets")
        distinct_labels(self.expanded_algorithms(), "algorithms")
        for entry in self.expanded_datasets():
            if entry.label.casefold() in EXPERIMENT_FILES:
                raise mistake(
                    f"{entry.label!r} is the name of a file in every experiment: give this entry another 'label'",
                    *entry.key,
                )
        self._check_figures()
        return self

    def _check_figures(self) -> None:
        algorithms, datasets = self.expanded_algorithms(), self.expanded_datasets()
        for field in ("colors", "styles"):
            _check_labels(getattr(self, field), "algorithm", algorithms, field)
        for index, figure in enumerate(self.figures):
            if not any(entry.is_in_a_file for entry in self.algorithms):  # else the planner checks the names
                _check_labels(figure.algorithms or (), "algorithm", algorithms, "figures", index, "algorithms")
            for field in ("colors", "styles"):
                _check_labels(getattr(figure, field, None) or (), "algorithm", algorithms, "figures", index, field)
            _check_labels(figure.datasets or (), "dataset", datasets, "figures", index, "datasets")
            if (base := getattr(figure, "normalize_by", None)) is not None:
                labels = [replace(entry, grid=None) for entry in algorithms]
                _check_labels([base], "algorithm", labels, "figures", index, "normalize_by")


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a spec, for completion and help in editors."""
    schema = Spec.model_json_schema()
    schema["required"].remove("name")  # its default is the name of the file
    return schema


def load(path: Path, *, smoke: bool = False) -> Spec:
    """Read and validate a spec; its name defaults to the file's stem.

    With ``smoke`` the keys in its ``smoke`` block replace the keys beside it; otherwise they are only checked.

    Raises
    ------
    UserError
        For the first mistake, with file, line and one sentence.
    """
    if path.suffix == ".py":
        raise UserError("this is a Python file, not a spec: name its class in a spec", source=str(path))
    return specified(read(path), smoke=smoke)


def specified(source: SpecFile, *, smoke: bool = False) -> Spec:
    """Validate a spec that has been read, as ``load`` does."""
    full = _validated(source)
    if full.smoke is None:
        if smoke:
            raise source.error("the spec has no small variant: add one, such as 'smoke: {runs: 2, horizon: 1e4}'")
        return full
    small = _validated(source.overlaid("smoke"))
    small._small = True
    return small if smoke else full


def _validated(source: SpecFile) -> Spec:
    try:
        spec = Spec.model_validate({"name": source.path.stem, **source.data})
    except ValidationError as error:
        sentence, key = explain(error, Spec)
        if key == ("name",) and "name" not in source.data:
            sentence = f"the file needs another name, or a 'name' inside: {sentence}"
        raise source.error(sentence, key) from None
    spec._source = source
    return spec
