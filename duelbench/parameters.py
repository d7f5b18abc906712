"""The base class of parameter models."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel, ValidationInfo, field_validator, model_validator

LEAST, LARGEST = 1e-100, 10**18
"""The range of the absolute value of a number that is not 0: beyond it, what is computed from it overflows."""


class ParameterModel(BaseModel):
    """Parameters; the word ``none`` means None where a parameter may be None."""

    @field_validator("*")
    @classmethod
    def _in_range(cls, value: Any, info: ValidationInfo) -> Any:
        number = isinstance(value, int | float) and info.field_name != "seed"
        if number and value and not LEAST <= abs(value) <= LARGEST:
            raise ValueError(f"write 0, or a number from {LEAST:g} to {LARGEST:g} in absolute value")
        return value

    @model_validator(mode="before")
    @classmethod
    def _none_by_name(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        optional = {name for name, field in cls.model_fields.items() if NoneType in get_args(field.annotation)}
        return {name: None if value == "none" and name in optional else value for name, value in values.items()}
