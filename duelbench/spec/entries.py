"""The entries under ``datasets:`` and ``algorithms:``, as written, and the points of their grids."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from duelbench.errors import Key, did_you_mean
from duelbench.spec.titles import EntryTitle, check_places, filled
from duelbench.spec.validation import below, mistake, show
from duelbench.spec.values import DirectoryName, Horizons, TieOutcome, directory_fault, distinct

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*")
CLASS_IN_FILE = r"^.+\.py:[A-Za-z_][A-Za-z0-9_]*$"

Scalar = bool | int | float | str
_Changes = list[Any] | dict[str, Any]


def _scalar(value: object) -> Scalar:
    match value:
        case None:
            return "none"
        case bool() | str():
            return value
        case int() | float() if math.isfinite(value):
            return value
    raise mistake(f"{{it}} must be a finite number, a word, true/false or none, not {show(value)}")


def _scalar_or_grid(value: object) -> Scalar | tuple[Scalar, ...]:
    match value:
        case []:
            raise mistake("{it} is empty: give at least one value")
        case list() | tuple():
            for index, each in enumerate(value):
                if isinstance(each, list | Mapping):
                    raise mistake(f"{{it}} is {show(each)}: a grid is a flat list of values", index)
            return tuple(distinct([_scalar(each) for each in value]))
        case Mapping():
            raise mistake("parameters are not a nested mapping: write each one beside 'name'")
    return _scalar(value)


def _changes(value: object) -> object:
    if isinstance(value, list | Mapping):
        return value
    raise mistake(
        f"{{it}} must be a list of datasets, each with an 'at', or rules such as {{breakpoints: 9}}, not {value!r}"
    )


def _choices(submatrix: dict[str, Any]) -> dict[str, Any]:
    """Turn the lists in a ``submatrix`` into grids, except the list of arms."""
    choices = dict(submatrix)
    for key, value in submatrix.items():
        if key != "arms" and isinstance(value, list):
            with below(key):
                choices[key] = _scalar_or_grid(value)
    return choices


def _named(what: str, keys: tuple[str, ...]) -> Callable[[object], Mapping[str, object]]:
    """Return a validator that turns an entry into a mapping with one of ``keys``."""

    def validate(value: object) -> Mapping[str, object]:
        match value:
            case str():
                return {"name": value}
            case Mapping() if any(key in value for key in keys):
                return value
            case Mapping():
                raise _nameless(value, what, keys)
        raise mistake(f"{what} must be a name or a mapping with a {keys[0]!r}, not {show(value)}")

    return validate


def _nameless(entry: Mapping[str, object], what: str, keys: tuple[str, ...]) -> Exception:
    for key, value in entry.items():
        if near := did_you_mean(key, keys):
            return mistake(f"unknown key {key!r}{near}", key)
        if isinstance(value, Mapping):
            return mistake(f"{what} is written as {{name: {key}, …}}: put its keys beside 'name'", key)
    return mistake(f"{what} needs a {keys[0]!r}: add it, or remove the '-' if this belongs to the entry above")


def _sweep_or_list(value: object) -> object:
    if value == "sweep" or isinstance(value, list | tuple | None):
        return value
    raise mistake(f"{{it}} must be 'sweep' or a list such as [1e3, 1e4], not {show(value)}")


def _algorithm_name(name: str) -> str:
    if _NAME.fullmatch(name) or re.fullmatch(CLASS_IN_FILE, name):
        return name
    raise mistake(f"{show(name)} is neither an algorithm's name nor path.py:ClassName{_likely(name)}")


def _dataset_name(name: str) -> str:
    if _NAME.fullmatch(name):
        return name
    if PurePath(name).suffix and ":" not in name:
        raise mistake(f"{show(name)} looks like a file: write {{file: {name}}}")
    raise mistake(f"{show(name)} is not a dataset's name{_likely(name)}")


def _likely(name: str) -> str:
    if ":" in name:
        return ": a ':' needs a space after it" if not name.endswith(".py") else ""
    if name.endswith(".py"):
        return f": name the class in it, as in {name}:MyPolicy"
    if " " in name.strip():
        return ": check the indentation and the '- ' of this list"
    return ": 'duelbench list' shows the names"


class DatasetEntry(BaseModel):
    """An entry under ``datasets:``. Keys that are not fields are parameters of the generator; a list is a grid."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Annotated[Any, AfterValidator(_scalar_or_grid)]] = Field(init=False)

    name: Annotated[str, AfterValidator(_dataset_name)] | None = Field(
        None,
        description="A shipped table or a generator (`duelbench list datasets` shows them); beside `file`, its label.",
    )
    file: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="Your own preference matrix: a .csv, .npy or .npz file, its path relative to the spec's directory.",
    )
    votes: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="Your own votes: a file of pairwise comparisons, its path relative to the spec's directory.",
    )
    label: DirectoryName | None = Field(
        None, description="Names its directory in the results. Default: its name, or the file name without suffix."
    )
    title: EntryTitle | None = Field(
        None,
        description="Title in figures and summaries, with $mathtext$; {arms} is the value in a grid. Default: a "
        "description of the dataset, or the name beside a file.",
    )
    submatrix: Annotated[dict[str, Any], AfterValidator(_choices)] | None = Field(
        None,
        description="Keep only some arms: {arms: [0, 3, 5]}, or {size: 16} for random ones. A list of seeds or of "
        "sizes is a grid.",
    )
    ties: Annotated[Any, AfterValidator(_scalar_or_grid)] | None = Field(
        None,
        description="Ties as a third outcome, half a win for both in the matrix: the share of ties between equal arms, "
        "such as 0.2, in Davidson's model, or a .csv, .npy or .npz file with the probability of a tie for each pair. A "
        "list is a grid. For votes: how their ties count.",
    )
    changes: Annotated[_Changes, BeforeValidator(_changes)] | None = Field(
        None,
        description="Later preferences: a list of datasets, each with `at`, its first round, or rules such as "
        "{breakpoints: 9} or {every: 1e5, from: {name: btl-uniform, arms: 10}}.",
    )

    @field_validator("votes")
    @classmethod
    def _one_source(cls, votes: str | None, info: ValidationInfo) -> str | None:
        if votes is not None and info.data.get("file") is not None:
            raise mistake("'file' is a matrix and 'votes' are comparisons: keep one of the two")
        return votes

    @model_validator(mode="after")
    def _places(self) -> DatasetEntry:
        check_places(self.title or "", [*self._parameters, "delay"])
        return self

    @property
    def arm_names(self) -> tuple[str, ...] | None:
        """The names of the arms: ``arms`` if it is a list of words rather than numbers, else None."""
        arms = self.__pydantic_extra__.get("arms")
        return arms if isinstance(arms, tuple) and all(isinstance(each, str) for each in arms) else None

    @property
    def _parameters(self) -> dict[str, Any]:
        extra = self.__pydantic_extra__ | ({} if self.ties is None else {"ties": self.ties})
        return {name: value for name, value in extra.items() if name != "arms" or self.arm_names is None}

    @property
    def size(self) -> int:
        """The number of points of the grid."""
        grids = _grid(self._parameters), _grid(self.submatrix or {})
        return math.prod(len(values) for grid in grids for values in grid.values())

    def expanded(self, key: tuple[Key, ...], delays: tuple[int, ...] = (1,)) -> Iterator[GridPoint[DatasetEntry]]:
        """Yield every point of the grid with every delay; ``key`` is the entry's path in the spec."""
        label = self.label or self.name or PurePath(self.file or self.votes or "").stem
        several = len(delays) > 1
        whole, parts = _points(self._parameters), list(_points(self.submatrix or {}))
        for (suffix, chosen, parameters), (part, choice, submatrix), delay in itertools.product(whole, parts, delays):
            full_label = label + suffix + part + (_labelled(("delay", delay)) if several else "")
            point = {**chosen, **choice, **({"delay": delay} if several else {})}
            yield GridPoint(
                entry=self,
                key=key,
                label=full_label,
                parameters=parameters,
                grid=label if full_label != label else None,
                point=point,
                title=self.title and _without_fixed(self.title, {"delay": delay, **parameters}, point),
                submatrix=submatrix or None,
                delay=delay,
            )


class AlgorithmEntry(BaseModel):
    """An entry under ``algorithms:``. Keys that are not fields are its parameters; a list of values is a grid."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Annotated[Any, AfterValidator(_scalar_or_grid)]] = Field(init=False)

    name: Annotated[str, AfterValidator(_algorithm_name)] = Field(
        description="An algorithm (`duelbench list algorithms` shows them), or your own as path.py:ClassName."
    )
    label: DirectoryName | None = Field(
        None, description="Names its directory in the results. Default: its name and the values of its grid."
    )
    title: EntryTitle | None = Field(
        None,
        description="Title in figures and summaries, with $mathtext$; {alpha} is the value in a grid. Default: its "
        "label if it has one, else its print name, such as D-TS.",
    )
    horizons: Annotated[Horizons | Literal["sweep"] | None, BeforeValidator(_sweep_or_list)] = Field(
        None,
        description="For algorithms that need to know the horizon: one run for each of these, or for each checkpoint "
        "(`sweep`).",
    )
    ties: TieOutcome | None = Field(
        None,
        description="How the algorithm receives a tie: decided by a fair coin (coin), not at all, though the vote is "
        "spent (drop), or as a third outcome (keep). Default: keep for algorithms that take ties, else coin. The "
        "default label ends with it.",
    )

    @model_validator(mode="after")
    def _places(self) -> AlgorithmEntry:
        check_places(self.title or "", self.__pydantic_extra__)
        return self

    @property
    def size(self) -> int:
        """The number of points of the grid."""
        return math.prod(map(len, _grid(self.__pydantic_extra__).values()))

    @property
    def is_in_a_file(self) -> bool:
        """Whether the algorithm is a class in a user's file, which is executed on loading."""
        return re.fullmatch(CLASS_IN_FILE, self.name) is not None

    def expanded(self, key: tuple[Key, ...]) -> Iterator[GridPoint[AlgorithmEntry]]:
        """Yield the points of the grid, the last list varying fastest; ``key`` is the entry's path in the spec."""
        label = self.label or self.name.rpartition(":")[2] + (f"-{self.ties}" if self.ties else "")
        for suffix, point, parameters in _points(self.__pydantic_extra__):
            yield GridPoint(
                entry=self,
                key=key,
                label=label + suffix,
                parameters=parameters,
                grid=label if point else None,
                point=point,
                title=self.title and _without_fixed(self.title, parameters, point),
            )


_Entry = TypeVar("_Entry")


@dataclass(frozen=True, kw_only=True)
class GridPoint(Generic[_Entry]):
    """An entry with one value from each list in its parameters.

    ``key`` is the entry's path in the spec. ``grid`` is the label shared by all points of the grid and ``point`` has
    the values of this one; they are None and empty without a grid. ``title`` is the title in the spec, shared by all
    points. Only datasets have a ``submatrix`` and a ``delay`` of outcomes.
    """

    entry: _Entry
    key: tuple[Key, ...]
    label: str
    parameters: dict[str, Scalar]
    grid: str | None = None
    point: dict[str, Scalar] = field(default_factory=dict)
    title: str | None = None
    submatrix: dict[str, Any] | None = None
    delay: int = 1

    @property
    def naming(self) -> dict[str, Any]:
        """The fields that the resolved entry takes from this point."""
        return {"label": self.label, "grid": self.grid, "point": self.point, "grid_title": self.title}


def _grid(parameters: Mapping[str, Any]) -> dict[str, tuple[Scalar, ...]]:
    return {name: value for name, value in parameters.items() if isinstance(value, tuple)}


def _points(parameters: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Scalar], dict[str, Scalar]]]:
    """Yield (label suffix, values, all parameters) of every point of a grid, the last list varying fastest."""
    grid = _grid(parameters)
    for point in itertools.product(*grid.values()):
        chosen = dict(zip(grid, point, strict=True))
        yield "".join(map(_labelled, chosen.items())), chosen, {**parameters, **chosen}


def _without_fixed(title: str, parameters: Mapping[str, Scalar], point: Mapping[str, Scalar]) -> str:
    """Fill the fixed parameters into a title; only placeholders of varying ones remain."""
    return filled(title, {name: value for name, value in parameters.items() if name not in point})


def _labelled(choice: tuple[str, Scalar]) -> str:
    name, value = choice
    return f"-{name}={value if isinstance(value, str) else show(value)}"


def distinct_labels(points: Iterable[GridPoint[Any]], what: str) -> None:
    """Raise an error if two labels would name the same directory, or a label cannot name one."""
    seen: set[str] = set()
    for entry in points:
        if fault := directory_fault(entry.label):
            raise mistake(f"{fault}, or give this entry a 'label'", *entry.key)
        if entry.label.casefold() in seen:
            raise mistake(f"two {what} would have the label {entry.label!r}: give this one another 'label'", *entry.key)
        seen.add(entry.label.casefold())


DatasetField = Annotated[
    DatasetEntry,
    BeforeValidator(_named("a dataset", ("name", "file", "votes")), json_schema_input_type=DatasetEntry | str),
]
AlgorithmField = Annotated[
    AlgorithmEntry, BeforeValidator(_named("an algorithm", ("name",)), json_schema_input_type=AlgorithmEntry | str)
]
