"""Models of parameters of algorithms, of generators and of entries in specs."""

from collections.abc import Mapping
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from duelbench.errors import Key, UserError, did_you_mean

_SMALLEST, _GREATEST = 1e-100, 10**18
"""The range of the absolute value of nonzero numbers; beyond it, computations overflow."""


class ParameterModel(BaseModel):
    """Parameters; the word ``none`` means None where a parameter may be None."""

    @field_validator("*")
    @classmethod
    def _in_range(cls, value: Any, info: ValidationInfo) -> Any:
        number = isinstance(value, int | float) and info.field_name != "seed"
        if number and value and not _SMALLEST <= abs(value) <= _GREATEST:
            raise ValueError(f"write 0, or a number from {_SMALLEST:g} to {_GREATEST:g} in absolute value")
        return value

    @model_validator(mode="before")
    @classmethod
    def _none_by_name(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        optional = {name for name, field in cls.model_fields.items() if NoneType in get_args(field.annotation)}
        return {name: None if value == "none" and name in optional else value for name, value in values.items()}


def _integral(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_integral)
Whole = Annotated[int, WHOLE]
"""An integer that may be written ``1e2``."""


class Parameters(ParameterModel):
    """Immutable parameters; unknown names, text for numbers and ``true`` for 1 are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], values: Mapping[str, object], prefix: tuple[Key, ...] = ()) -> Model:
    """Return an instance of ``model`` with these ``values``.

    Raises UserError for the first wrong entry; its ``key`` is ``prefix`` and the entry's path below it.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise UserError(_sentence(first, model), key=(*prefix, *first["loc"])) from None
    except UserError as error:
        raise UserError(error.message, key=(*prefix, *error.key)) from None


def _sentence(error: Any, model: type[BaseModel]) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = [field.alias or each for each, field in model.model_fields.items()]
        choice = f": choose among {', '.join(known)}" if known else ": none are allowed here"
        return f"there is no parameter {name!r}{did_you_mean(name, known)}{choice}"
    demand = error["msg"].replace("Input should be", "it must be").replace("a valid boolean", "true or false")
    return f"{name} is {error['input']!r}: {demand}"
