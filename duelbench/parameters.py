"""The base class of parameter models."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel, model_validator


class ParameterModel(BaseModel):
    """Parameters; the word ``none`` means None where a parameter may be None."""

    @model_validator(mode="before")
    @classmethod
    def _none_by_name(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        optional = {name for name, field in cls.model_fields.items() if NoneType in get_args(field.annotation)}
        return {name: None if value == "none" and name in optional else value for name, value in values.items()}
