"""Arrays that raise for a computed negative index, which would count from the end and give plausible results."""

from __future__ import annotations

import linecache
import re
import sys
from typing import Any

import numpy as np

from duelbench.compiling.imports import OWN_FILE

_WRITTEN = re.compile(r"[\[,]\s*-\s*\d+\s*[\],]")
"""A negative index written as a literal, which is intended."""


def watched(state: Any) -> Any:
    """Return a state with watched arrays: the fields of a NamedTuple, or the attributes of another object."""
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*(_watched(name, value) for name, value in state._asdict().items()))  # type: ignore[attr-defined]
    for name, value in getattr(state, "__dict__", {}).items():
        if isinstance(value, np.ndarray):
            setattr(state, name, _watched(name, value))
    return state


def _watched(name: str, value: Any) -> Any:
    if type(value) not in _KINDS:
        return watched(value) if isinstance(value, tuple) else value
    seen = value.view(_KINDS[type(value)])
    seen.called = name
    return seen


class _Watching:
    called = ""

    def __getitem__(self, index: Any) -> Any:
        _look(self, index)
        return super().__getitem__(index)  # type: ignore[misc]

    def __setitem__(self, index: Any, value: Any) -> None:
        _look(self, index)
        super().__setitem__(index, value)  # type: ignore[misc]


class _Array(_Watching, np.ndarray):
    """An array."""


class _Records(_Watching, np.recarray):
    """Records."""


_KINDS: dict[type, Any] = {np.ndarray: _Array, np.recarray: _Records}


def _look(array: Any, index: Any) -> None:
    for each in index if isinstance(index, tuple) else (index,):
        if isinstance(each, int | np.integer) and each < 0:
            frame = sys._getframe(2)
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            if frame.f_globals["__name__"].startswith(OWN_FILE) and not _WRITTEN.search(line):
                raise IndexError(
                    f"the index {each} of {array.called or 'an array'} is negative and would count from the end: if "
                    "that is intended, write % len(…)"
                )
