"""What a spec says about preferences that change: ``changes:`` in an entry under ``datasets:``.

Either a list of datasets, each from a round on, or rules by which the segments are made.
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
    """When the matrix changes, and what comes then.

    When is one of ``breakpoints``, ``rounds``, ``every`` and ``per_decade``; what is one of ``from``, ``to`` and
    ``walk``, or else the entry's own source: drawn anew or, if it is the same in all runs, its arms are renumbered.
    """

    breakpoints: Annotated[int, Field(ge=1, lt=MAX_PIECES), WHOLE] | None = Field(
        None, description="So many changes up to the horizon, the largest if there are several."
    )
    placed: Literal["evenly", "at random"] = Field(
        "evenly",
        description="Where breakpoints are: change m of B in round ⌊mT/(B + 1)⌋ + 1, or at random in each run.",
    )
    rounds: Annotated[tuple[Round, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="The first round of each new matrix."
    )
    every: Annotated[int, Field(ge=1), WHOLE] | None = Field(
        None, description="A new matrix after every so many rounds."
    )
    per_decade: Annotated[int, Field(ge=1, le=100_000), WHOLE] | None = Field(
        None, description="In geometric steps, so many between t and 10 t; in every round at first."
    )
    source: dict[str, Any] | str | None = Field(
        None, alias="from", description="Where each new matrix is drawn from: a dataset, as those listed."
    )
    to: dict[str, Any] | str | None = Field(
        None, description="A dataset to whose matrix this one drifts in equal steps, one at each change."
    )
    walk: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="Each change adds N(0, walk²) to each pair's probability, cut off at 0 and 1."
    )
    winner: Literal["must change", "may stay", "not the first"] = Field(
        "must change",
        description="Matrices are drawn until they have other Copeland winners than the one before, or than the first.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> ChangeRules:
        given = [key for key in _WHEN if getattr(self, key) is not None]
        if not given:
            raise UserError(f"say when it changes: {', '.join(_WHEN[:-1])} or {_WHEN[-1]}")
        if len(given) > 1:
            raise UserError(f"{given[0]} and {given[1]} both say when it changes: keep one", key=(given[1],))
        made = [key for key in _WHAT if getattr(self, "source" if key == "from" else key) is not None]
        if len(made) > 1:
            raise UserError(f"{made[0]} and {made[1]} both say what it changes to: keep one", key=(made[1],))
        if self.breakpoints is None and "placed" in self.model_fields_set:
            raise UserError("only breakpoints are placed: remove it", key=("placed",))
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
        """Return how many changes there are at most; where they are is not looked at."""
        given = self.breakpoints or (horizon - 1) // (self.every or horizon) or len(self.rounds or ())
        return given if self.per_decade is None else len(_geometric(self.per_decade, horizon))

    def check(self, horizon: int) -> None:
        """Raise a UserError where there is no room for the changes before the ``horizon``; ``key`` is the option."""
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
    """Raise a UserError unless the rounds increase; ``key`` of a position is its key."""
    for k in range(1, len(rounds)):
        if rounds[k] <= rounds[k - 1]:
            raise UserError(f"round {rounds[k]} does not come after {rounds[k - 1]}: let rounds increase", key=key(k))


def check_within(begin: int, horizon: int, key: tuple[Any, ...]) -> None:
    """Raise a UserError where a change is beyond the horizon."""
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
