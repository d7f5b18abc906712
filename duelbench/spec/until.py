"""``runs: {until: 2 %, least: 50, most: 10_000}``: runs are added until the mean is this precise."""

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
    """Turn ``2 %`` into 0.02; leave anything else to the validation of the type."""
    if isinstance(value, str) and (match := re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%\s*", value)):
        return float(match[1]) / 100
    if isinstance(value, str):
        raise mistake(f"{{it}} must be a share of the mean, such as 2 % or 0.02, not {show(value)}")
    return value


Runs = Annotated[int, Field(strict=True, ge=2, le=MAX_RUNS_OF_A_SERIES), WHOLE]


class Until(BaseModel):
    """A stopping rule: runs are added until the standard error of the final mean regret is ``until`` times the mean.

    It is checked after ``least`` runs, after twice as many, and so on up to ``most``. It depends only on these runs,
    not on which other runs have finished. ``difference``: for these two algorithms, the standard error of the mean
    difference, paired by run, is compared with the mean of the second.
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
    ] = Field(description="The target: the standard error of the mean regret as a share of the mean, 2 % or 0.02.")
    least: Runs = Field(50, description="Minimum number of runs of each series: the first batch. Later ones double it.")
    most: Runs = Field(10_000, description="Maximum number of runs of each series.")
    difference: tuple[str, str] | None = Field(
        None,
        description="Labels of two algorithms: the target then applies to the standard error of their mean "
        "difference, as a share of the mean of the second.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Until:
        if self.least > self.most:
            raise mistake(f"'most' is {self.most}, less than 'least', which is {self.least}: swap them", "least")
        if self.difference is not None and self.difference[0] == self.difference[1]:
            raise mistake("'difference' needs two different algorithms: write two labels", "difference", 1)
        return self

    def batches(self) -> Iterator[int]:
        """Yield the numbers of runs at which the rule is checked, ascending."""
        runs = self.least
        while runs < self.most:
            yield runs
            runs *= 2
        yield self.most


def read_until(value: object) -> object:
    """Turn a mapping into ``Until``, with its errors in plain words; leave other values to the type's validation."""
    if not isinstance(value, Mapping):
        return value
    try:
        return Until.model_validate(value)
    except ValidationError as error:
        sentence, key = explain(error, Until)
        raise mistake(sentence, *key) from None


def check_runs(runs: int | Until | None, only_runs: tuple[int, ...] | None, labels: Sequence[str]) -> None:
    """Raise an error if ``only_runs`` do not exist, or the algorithms of a difference are not among ``labels``."""
    if only_runs is not None and isinstance(runs, Until):
        raise mistake("'only_runs' selects runs and 'until' decides their number: keep one", "only_runs")
    if only_runs is not None and isinstance(runs, int) and only_runs[-1] >= runs:
        raise mistake(f"there is no run {only_runs[-1]}: runs are numbered from 0 to {runs - 1}", "only_runs")
    if isinstance(runs, Until) and runs.difference is not None:
        for index, label in enumerate(runs.difference):
            if label not in labels:
                near = did_you_mean(label, labels) or f": write one of {', '.join(labels)}"
                raise mistake(f"no algorithm has the label {label!r}{near}", "runs", "difference", index)
