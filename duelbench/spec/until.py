"""``runs: {until: 2 %, least: 50, most: 10_000}``: as many runs as it takes for a mean to be known so well."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from duelbench.errors import did_you_mean
from duelbench.spec.validation import explain, mistake, show
from duelbench.spec.values import WHOLE

MAX_RUNS_OF_A_SERIES = 10_000_000


def _share(value: object) -> object:
    """Turn ``2 %`` into 0.02; leave anything else for the type to judge."""
    if isinstance(value, str) and (match := re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%\s*", value)):
        return float(match[1]) / 100
    if isinstance(value, str):
        raise mistake(f"{{it}} is a share of the mean: write 2 % or 0.02, not {show(value)}")
    return value


Runs = Annotated[int, Field(strict=True, ge=2, le=MAX_RUNS_OF_A_SERIES), WHOLE]


class Until(BaseModel):
    """More runs of a series until the standard error of its mean regret at the end is ``until`` times the mean.

    That is looked at after ``least`` runs, after twice as many, and so on up to ``most``, and depends on these runs
    alone: not on which others have ended by then. ``difference``: of these two algorithms it is the standard error of
    the mean difference, run by run, against the mean of the second.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    until: Annotated[
        float,
        Field(gt=0, lt=1, allow_inf_nan=False),
        BeforeValidator(_share),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                    {"type": "string", "pattern": r"^\s*[0-9.]+\s*%\s*$"},
                ]
            }
        ),
    ] = Field(description="The standard error of the mean regret to be reached, as a share of the mean: 2 % or 0.02.")
    least: Runs = Field(50, description="Runs of each series at least: the first batch; each later one doubles them.")
    most: Runs = Field(10_000, description="Runs of each series at most.")
    difference: tuple[str, str] | None = Field(
        None,
        description="Labels of two algorithms: of these the standard error is that of their mean difference, as a "
        "share of the mean of the second.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Until:
        if self.least > self.most:
            raise mistake(f"'least' is {self.least} and 'most' {self.most}: make 'most' the larger", "least")
        if self.difference is not None and self.difference[0] == self.difference[1]:
            raise mistake("a difference is that of two algorithms: name two labels", "difference", 1)
        return self

    def batches(self) -> Iterator[int]:
        """Yield the numbers of runs after which is decided whether there are enough, ascending."""
        runs = self.least
        while runs < self.most:
            yield runs
            runs *= 2
        yield self.most


def read_until(value: object) -> object:
    """Turn a mapping into ``Until``, with its mistakes in plain words; leave anything else for the type to judge."""
    if not isinstance(value, Mapping):
        return value
    try:
        return Until.model_validate(value)
    except ValidationError as error:
        sentence, key = explain(error, Until)
        raise mistake(sentence, *key) from None


def check_runs(runs: int | Until | None, only_runs: tuple[int, ...] | None, labels: Sequence[str]) -> None:
    """Refuse runs that there are not, and a difference of algorithms that are none of these ``labels``."""
    if only_runs is not None and isinstance(runs, Until):
        raise mistake("'only_runs' names the runs and 'until' decides how many there are: keep one", "only_runs")
    if only_runs is not None and isinstance(runs, int) and only_runs[-1] >= runs:
        raise mistake(f"there is no run {only_runs[-1]}: they are numbered 0 … {runs - 1}", "only_runs")
    if isinstance(runs, Until) and runs.difference is not None:
        for index, label in enumerate(runs.difference):
            if label not in labels:
                near = did_you_mean(label, labels) or f": write one of {', '.join(labels)}"
                raise mistake(f"no algorithm has the label {label!r}{near}", "runs", "difference", index)
