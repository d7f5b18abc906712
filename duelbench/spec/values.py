"""The types of values in a spec: counts, names of directories, lists without repetitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from duelbench.arguments import MAX_HORIZON
from duelbench.errors import UserError
from duelbench.spec.validation import mistake, show

T = TypeVar("T")

MAX_NAME = 100
MAX_TITLE = 500
DIRECTORY_CHARACTERS = "letters (a-z), digits, spaces and . _ + = , -"
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)( *\..*)?", re.IGNORECASE)
_DIRECTORY = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._+=, -]*[A-Za-z0-9_+=,-])?")


def whole(value: object) -> object:
    """Turn ``1e6`` into 1000000; leave anything else to the validation of the type."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


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
    if len(name) > MAX_NAME:
        return f"{show(name)} is too long for a file name: use at most {MAX_NAME} characters"
    if not _DIRECTORY.fullmatch(name):
        return f"{show(name)} is not a valid file name: use {DIRECTORY_CHARACTERS}, beginning with a letter or digit"
    if _DEVICE.fullmatch(name):
        return f"{show(name)} is a device name on Windows: use another name"
    return None


def directory_name(name: str) -> str:
    """Raise an error if a name is not valid for files and directories."""
    if fault := directory_fault(name):
        raise mistake(fault)
    return name


# Bounds come before WHOLE; otherwise they would not reach the JSON schema.
WHOLE = BeforeValidator(whole)
Horizon = Annotated[int, Field(strict=True, ge=1, le=MAX_HORIZON), WHOLE]
Horizons = Annotated[tuple[Horizon, ...], Field(min_length=1), AfterValidator(distinct), AfterValidator(ascending)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**63), WHOLE]
DirectoryName = Annotated[
    str,
    AfterValidator(directory_name),
    WithJsonSchema({"type": "string", "maxLength": MAX_NAME, "pattern": f"^{_DIRECTORY.pattern}$"}),
]
Title = Annotated[str, Field(max_length=MAX_TITLE)]
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
Recommend = Literal["none", "own", "copeland", "borda", "btl", "posterior"]
Find = Literal["copeland", "condorcet", "borda"]
FindBy = Literal["copeland", "borda"]
Size = Annotated[int, Field(strict=True, ge=1, le=10**6), WHOLE]


class Top(BaseModel):
    """The goal of finding the set of the best arms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    top: Size = Field(description="The number of best arms.")


class TierSizes(BaseModel):
    """The goal of finding tiers of arms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tiers: Annotated[tuple[Size, ...], Field(min_length=1)] = Field(
        description="The sizes of the tiers, best first; a last tier of the other arms may be left out."
    )


OrderGoal = Literal["ranking"] | Top | TierSizes
"""The goals that are an order of the arms."""


def order_goal(find: Find | OrderGoal | None) -> OrderGoal | None:
    """Return the goal if it is an order of the arms."""
    return None if find in ("copeland", "condorcet", "borda") else find  # type: ignore[return-value]


def goal_met(find: Find | OrderGoal | None, kind: str) -> str:
    """Return what right runs do: they name a best arm by a ``kind`` of regret, or find an order."""
    goal = order_goal(find)
    if goal is None:
        return f"name a best arm ({kind})"
    return f"find the {'order' if goal == 'ranking' else f'top {goal.top}' if isinstance(goal, Top) else 'tiers'}"


def tier_sizes(find: OrderGoal, arms: int) -> tuple[int, ...]:
    """Return the sizes of all tiers, best first, each 1 for the whole order.

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


TiesHeard = Literal["coin", "drop", "keep"]
BoundName = Literal["LB", "ECWB", "RMED"]
REGRET_BOUNDED: dict[BoundName, RegretKind] = {"LB": "copeland", "ECWB": "copeland", "RMED": "condorcet"}
