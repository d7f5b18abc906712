"""The ``changes:`` of a dataset entry in a spec, for preferences that change.

Either a list of datasets, each with its first round, or rules that generate the segments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from duelbench.errors import UserError
from duelbench.sources.parameters import WHOLE, Parameters

MAX_PIECES = 1_000_000
_WHEN = ("breakpoints", "rounds", "every", "per_decade")
_WHAT = ("from", "to", "walk")

Round = Annotated[int, Field(ge=2), WHOLE]


class ListedChange(Parameters):
    """A dataset from round ``at`` on: ``name``, ``file`` or ``votes``, and its own parameters."""

    model_config = ConfigDict(extra="allow")

    at: Round = Field(description="The first round of the new matrix.")


class ChangeRules(Parameters):
    """When the matrix changes, and to which matrix.

    One of ``breakpoints``, ``rounds``, ``every`` and ``per_decade`` sets the rounds. One of ``from``, ``to`` and
    ``walk`` sets the new matrix; by default it is drawn again from the source of the entry or, if that is the same in
    all runs, has its arms renumbered.
    """

    breakpoints: Annotated[int, Field(ge=1, lt=MAX_PIECES), WHOLE] | None = Field(
        None, description="Number of changes up to the horizon, the largest if there are several."
    )
    placed: Literal["evenly", "at random"] = Field(
        "evenly",
        description="Position of breakpoints: change m of B in round ⌊mT/(B + 1)⌋ + 1, or at random in each run.",
    )
    rounds: Annotated[tuple[Round, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="The first round of each new matrix."
    )
    every: Annotated[int, Field(ge=1), WHOLE] | None = Field(None, description="Number of rounds between changes.")
    per_decade: Annotated[int, Field(ge=1, le=100_000), WHOLE] | None = Field(
        None, description="Number of changes between t and 10 t, in geometric steps; at first in every round."
    )
    source: dict[str, Any] | str | None = Field(
        None, alias="from", description="Dataset to draw each new matrix from, written like a listed one."
    )
    to: dict[str, Any] | str | None = Field(
        None, description="Dataset to whose matrix this one drifts in equal steps, one at each change."
    )
    walk: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="Each change adds N(0, walk²) to the probability of each pair, clipped to [0, 1]."
    )
    winner: Literal["must change", "may stay", "not the first"] = Field(
        "must change",
        description="Draw until the Copeland winners differ from those of the previous matrix, or of the first.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> ChangeRules:
        given = [key for key in _WHEN if getattr(self, key) is not None]
        if not given:
            raise UserError(f"missing times of the changes: write {', '.join(_WHEN[:-1])} or {_WHEN[-1]}")
        if len(given) > 1:
            raise UserError(f"{given[0]} and {given[1]} both set the times of the changes: keep one", key=(given[1],))
        made = [key for key in _WHAT if getattr(self, "source" if key == "from" else key) is not None]
        if len(made) > 1:
            raise UserError(f"{made[0]} and {made[1]} both set the new matrices: keep one", key=(made[1],))
        if self.breakpoints is None and "placed" in self.model_fields_set:
            raise UserError("placed applies only to breakpoints: remove it", key=("placed",))
        if "winner" in self.model_fields_set and made in (["to"], ["walk"]):
            raise UserError(f"{made[0]} does not redraw matrices until the winner changes: remove it", key=("winner",))
        check_increasing(self.rounds or (), lambda k: ("rounds", k))
        return self

    def starts(self, horizon: int, rng: np.random.Generator) -> list[int]:
        """Return the first rounds of the segments after the first one; ``rng`` is used only if ``random``."""
        match self:
            case ChangeRules(breakpoints=int(count), placed="evenly"):
                rounds = [m * horizon // (count + 1) + 1 for m in range(1, count + 1)]
            case ChangeRules(breakpoints=int(count)):
                found = set[int]()
                while len(found) < count:
                    found.add(int(rng.integers(2, horizon + 1)))
                rounds = sorted(found)
            case ChangeRules(every=int(step)):
                rounds = list(range(1 + step, horizon + 1, step))
            case ChangeRules(per_decade=int(steps)):
                rounds = _geometric(steps, horizon)
            case _:
                rounds = list(self.rounds or ())
        return rounds

    @property
    def random(self) -> bool:
        """Whether the rounds of the changes are drawn for each run."""
        return self.placed == "at random"

    def count(self, horizon: int) -> int:
        """Return the largest number of changes, without computing their rounds."""
        given = self.breakpoints or (horizon - 1) // (self.every or horizon) or len(self.rounds or ())
        return given if self.per_decade is None else len(_geometric(self.per_decade, horizon))

    def check(self, horizon: int) -> None:
        """Raise UserError, with the option as ``key``, if the changes do not fit before the ``horizon``."""
        if self.breakpoints is not None and self.breakpoints > horizon - 1:
            raise UserError(f"there are only {horizon} rounds: write fewer breakpoints", key=("breakpoints",))
        for k, begin in enumerate(self.rounds or ()):
            check_within(begin, horizon, ("rounds", k))
        if self.every is not None and self.every >= horizon:
            raise UserError(f"nothing changes in {horizon} rounds: write a smaller number", key=("every",))
        if (count := self.count(horizon)) >= MAX_PIECES:
            raise UserError(f"this makes {count:,} changes: keep them below {MAX_PIECES:,}", key=(self._when,))

    @property
    def _when(self) -> str:
        return next(key for key in _WHEN if getattr(self, key) is not None)

    def identity(self, horizon: int) -> dict[str, Any]:
        """Return, ready for JSON, what determines the segments besides the source."""
        told: dict[str, Any] = {"winner": self.winner}
        if self.walk is not None:
            told = {"walk": self.walk}
        elif self.to is not None:
            told = {"drift": True}
        if self.random:
            return {"random": self.breakpoints, "horizon": horizon, **told}
        starts = self.starts(horizon, np.random.default_rng(0))
        return {"begins": hashlib.sha256(repr(starts).encode()).hexdigest(), **told}


def check_increasing(rounds: Any, key: Any) -> None:
    """Raise UserError unless the rounds increase; ``key`` gives the key of a position."""
    for k in range(1, len(rounds)):
        if rounds[k] <= rounds[k - 1]:
            raise UserError(
                f"round {rounds[k]} does not come after {rounds[k - 1]}: write increasing rounds", key=key(k)
            )


def check_within(begin: int, horizon: int, key: tuple[Any, ...]) -> None:
    """Raise UserError if a change is beyond the horizon."""
    if begin > horizon:
        raise UserError(f"round {begin} is beyond the horizon, {horizon}: remove this change", key=key)


def as_source(value: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return the mapping that a dataset's name stands for."""
    return {"name": value} if isinstance(value, str) else value


def _geometric(steps: int, horizon: int) -> list[int]:
    rounds, begin = list[int](), 1
    while True:
        begin = max(begin + 1, int(np.floor(begin * 10 ** (1 / steps))))
        if begin > horizon:
            return rounds
        rounds.append(begin)
