"""Array types for signatures."""

from collections.abc import Sequence
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
"""Named numbers that kernels change in place, such as ``state.cursor[0].position``; ``record`` makes one."""

Tiers: TypeAlias = tuple[tuple[int, ...], ...]
"""All arms in groups, best first; arms in a group are tied or unordered. In a full order each group has one arm."""


def record(**initial: bool | int | float) -> Record:
    """Return an array of shape (1,) whose record has these fields and values, which kernels can change in place."""
    fields = _fields(tuple((name, type(value)) for name, value in initial.items()))
    return np.array([tuple(initial.values())], fields)


@cache
def _fields(kinds: tuple[tuple[str, type], ...]) -> np.dtype[Any]:
    """Return the dtype of a record. Cached, since creating a dtype takes ten times as long as creating the record."""
    places: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64}
    return record_dtype([(name, places[kind]) for name, kind in kinds])


def record_dtype(fields: Sequence[tuple[str, Any]]) -> np.dtype[Any]:
    """Return a dtype of records whose fields are attributes."""
    return np.dtype((_Record, np.dtype([*fields], align=True)))


class _Record(np.void):  # type: ignore[misc]
    """Like ``np.record``, but several times as fast to access from plain Python."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)  # raises AttributeError if there is no such field
        self[name] = value
