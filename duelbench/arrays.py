"""The array types that signatures name."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Signs: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]
State: TypeAlias = Any
"""An algorithm's state: a NamedTuple of arrays and numbers for kernels, anything for plain Python."""
Record: TypeAlias = Any
"""Named numbers that kernels change in place, ``state.cursor[0].position``: what ``record`` returns."""


def record(**initial: bool | int | float) -> Record:
    """Return one record of named fields with these values: an array of shape (1,), so that kernels can change it."""
    fields = _fields(tuple((name, type(value)) for name, value in initial.items()))
    return np.array([tuple(initial.values())], fields).view(np.recarray)


@cache
def _fields(kinds: tuple[tuple[str, type], ...]) -> np.dtype[Any]:
    """Return the type of a record; to make one takes ten times as long as to make a record of it."""
    places: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64}
    return np.dtype((np.record, np.dtype([(name, places[kind]) for name, kind in kinds], align=True)))
