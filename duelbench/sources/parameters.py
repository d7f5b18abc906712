"""Validation of parameters, with errors in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from duelbench.arguments import ParameterModel
from duelbench.errors import Key, UserError, did_you_mean


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

    Raises:
        UserError: about the first wrong entry; ``key`` is ``prefix`` and the entry's path below it.
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
        return f"there is no parameter {name!r}{did_you_mean(name, known)}: choose among {', '.join(known)}"
    demand = error["msg"].replace("Input should be", "it must be").replace("a valid boolean", "true or false")
    return f"{name} is {error['input']!r}: {demand}"
