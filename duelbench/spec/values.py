"""The types of values in a spec: counts, names of directories, goals, lists without repetitions, stopping rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from duelbench.arguments import MAX_HORIZON
from duelbench.errors import UserError
from duelbench.parameters import WHOLE
from duelbench.spec.titles import MOST_CHARACTERS
from duelbench.spec.validation import explain, mistake, show

T = TypeVar("T")

_MAX_NAME = 100
DIRECTORY_CHARACTERS = "letters (a-z), digits, spaces and . _ + = , -"
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)( *\..*)?", re.IGNORECASE)
_DIRECTORY = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._+=, -]*[A-Za-z0-9_+=,-])?")


def distinct(values: Sequence[T]) -> Sequence[T]:
    """Raise an error if a list repeats a value."""
    seen = set[T]()
    for index, value in enumerate(values):
        if value in seen:
            raise mistake(f"{{it}} repeats {show(value)}: remove it", index)
        seen.add(value)
    return values


def ascending(values: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers in ascending order."""
    return tuple(sorted(values))


def directory_fault(name: str) -> str | None:
    """Return why a name is not valid for files and directories on every system; None if it is."""
    if len(name) > _MAX_NAME:
        return f"{show(name)} is too long for a file name: use at most {_MAX_NAME} characters"
    if not _DIRECTORY.fullmatch(name):
        return f"{show(name)} is not a valid file name: use {DIRECTORY_CHARACTERS}, beginning with a letter or digit"
    if _DEVICE.fullmatch(name):
        return f"{show(name)} is a device name on Windows: use another name"
    return None


def _directory_name(name: str) -> str:
    """Raise an error if a name is not valid for files and directories."""
    if fault := directory_fault(name):
        raise mistake(fault)
    return name


# Bounds come before WHOLE; otherwise they would not reach the JSON schema.
Horizon = Annotated[int, Field(strict=True, ge=1, le=MAX_HORIZON), WHOLE]
Horizons = Annotated[tuple[Horizon, ...], Field(min_length=1), AfterValidator(distinct), AfterValidator(ascending)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**63), WHOLE]
DirectoryName = Annotated[str, AfterValidator(_directory_name)]
Title = Annotated[str, Field(max_length=MOST_CHARACTERS)]
RegretKind = Literal[
    "copeland",
    "condorcet",
    "weak",
    "strong",
    "borda",
    "binary-weak",
    "binary-strong",
    "adversarial",
    "adversarial-borda",
]
Count = Literal["rounds", "votes"]
Mode = Literal["compiled", "interpreted", "checked"]
Recommend = Literal["none", "own", "copeland", "borda", "btl", "posterior"]
Find = Literal["copeland", "condorcet", "borda"]
FindBy = Literal["copeland", "borda"]
_Size = Annotated[int, Field(strict=True, ge=1, le=10**6), WHOLE]


class Top(BaseModel):
    """The goal of finding the set of the best arms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    top: _Size = Field(description="The number of best arms.")


class TierSizes(BaseModel):
    """The goal of finding tiers of arms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tiers: Annotated[tuple[_Size, ...], Field(min_length=1)] = Field(
        description="The sizes of the tiers, best first; a last tier of the other arms may be left out."
    )


OrderGoal = Literal["ranking"] | Top | TierSizes
"""The goals that are an order of the arms."""


def order_goal(find: Find | OrderGoal | None) -> OrderGoal | None:
    """Return the goal if it is an order of the arms."""
    return None if find in ("copeland", "condorcet", "borda") else find  # type: ignore[return-value]


def goal_met(find: Find | OrderGoal | None, kind: str) -> str:
    """Describe a correct run: it names a best arm by a ``kind`` of regret, or finds an order."""
    goal = order_goal(find)
    if goal is None:
        return f"name a best arm ({kind})"
    return f"find the {'order' if goal == 'ranking' else f'top {goal.top}' if isinstance(goal, Top) else 'tiers'}"


def tier_sizes(find: OrderGoal, arms: int) -> tuple[int, ...]:
    """Return the sizes of all tiers, best first; for a whole order each is 1.

    Raises UserError if there are not enough arms.
    """
    if find == "ranking":
        return (1,) * arms
    sizes = (find.top,) if isinstance(find, Top) else find.tiers
    rest = arms - sum(sizes)
    if rest < 0 or (rest == 0 and len(sizes) == 1):
        asked = " + ".join(map(str, sizes))
        raise UserError(f"it has {arms} arms, and 'find' asks for tiers of {asked}: choose smaller ones")
    return (*sizes, *([rest] if rest else []))


TieOutcome = Literal["coin", "drop", "keep"]
BoundName = Literal["LB", "ECWB", "RMED"]
REGRET_BOUNDED: dict[BoundName, RegretKind] = {"LB": "copeland", "ECWB": "copeland", "RMED": "condorcet"}


MAX_RUNS_OF_A_SERIES = 10_000_000


def _share(value: object) -> object:
    """Turn ``2 %`` into 0.02; leave anything else to the validation of the type."""
    if isinstance(value, str) and (match := re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%\s*", value)):
        return float(match[1]) / 100
    if isinstance(value, str):
        raise mistake(f"{{it}} must be a share of the mean, such as 2 % or 0.02, not {show(value)}")
    return value


_Runs = Annotated[int, Field(strict=True, ge=2, le=MAX_RUNS_OF_A_SERIES), WHOLE]


class Until(BaseModel):
    """A stopping rule: runs are added until the standard error of the final mean regret is ``until`` times the mean.

    It is checked after ``least`` runs, after twice as many, and so on up to ``most``. It depends only on these runs,
    not on which other runs have finished.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    until: Annotated[
        float,
        Field(gt=0, lt=1, allow_inf_nan=False),
        BeforeValidator(_share, json_schema_input_type=float | str),
    ] = Field(description="The target: the standard error of the mean regret as a share of the mean, 2 % or 0.02.")
    least: _Runs = Field(
        50, description="Minimum number of runs of each series: the first batch. Later ones double it."
    )
    most: _Runs = Field(10_000, description="Maximum number of runs of each series.")

    @model_validator(mode="after")
    def _consistent(self) -> Until:
        if self.least > self.most:
            raise mistake(f"'most' is {self.most}, less than 'least', which is {self.least}: swap them", "least")
        return self

    def batches(self) -> Iterator[int]:
        """Yield the numbers of runs at which the rule is checked, ascending."""
        runs = self.least
        while runs < self.most:
            yield runs
            runs *= 2
        yield self.most


def read_until(value: object) -> object:
    """Turn a mapping into ``Until``, with errors in plain words; leave other values to pydantic."""
    if not isinstance(value, Mapping):
        return value
    try:
        return Until.model_validate(value)
    except ValidationError as error:
        sentence, key = explain(error, Until)
        raise mistake(sentence, *key) from None


def check_runs(runs: int | Until | None, only_runs: tuple[int, ...] | None) -> None:
    """Raise an error if ``only_runs`` do not exist."""
    if only_runs is not None and isinstance(runs, Until):
        raise mistake("'only_runs' selects runs and 'until' decides their number: keep one", "only_runs")
    if only_runs is not None and isinstance(runs, int) and only_runs[-1] >= runs:
        raise mistake(f"there is no run {only_runs[-1]}: runs are numbered from 0 to {runs - 1}", "only_runs")
