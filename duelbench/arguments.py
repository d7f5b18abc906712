"""Checks of numbers: the arguments of the functions of ``duelbench``, and the base class of parameter models."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args

import numpy as np
from pydantic import BaseModel, ValidationInfo, field_validator, model_validator

LARGEST = 2**63 - 1
"""The largest integer of a kernel."""
MAX_HORIZON = 10**12
MAX_DELAY = 10**6
JOBS = 1024
"""The largest number of processes, as a protection against typing errors."""


def whole(name: str, value: object, least: int = 1, most: int = LARGEST) -> int:
    """Return an argument that is a whole number, which may be written as ``1e4``. Raises ValueError if it is not."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        bounds = f"of at least {least}" if most == LARGEST else f"from {least} to {most:,}"
        raise ValueError(f"{name} must be a whole number {bounds}, not {value!r}")
    return number


def number_between(name: str, value: object, low: float, high: float) -> float:
    """Return an argument that is a number in [low, high]. Raises ValueError if it is not."""
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, int | float) or isinstance(number, bool) or not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
    return float(number)


SMALLEST, GREATEST = 1e-100, 10**18
"""The range of the absolute value of a number that is not 0: beyond it, what is computed from it overflows."""


class ParameterModel(BaseModel):
    """Parameters; the word ``none`` means None where a parameter may be None."""

    @field_validator("*")
    @classmethod
    def _in_range(cls, value: Any, info: ValidationInfo) -> Any:
        number = isinstance(value, int | float) and info.field_name != "seed"
        if number and value and not SMALLEST <= abs(value) <= GREATEST:
            raise ValueError(f"write 0, or a number from {SMALLEST:g} to {GREATEST:g} in absolute value")
        return value

    @model_validator(mode="before")
    @classmethod
    def _none_by_name(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        optional = {name for name, field in cls.model_fields.items() if NoneType in get_args(field.annotation)}
        return {name: None if value == "none" and name in optional else value for name, value in values.items()}
