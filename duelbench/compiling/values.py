"""The digest of the global constants in a user's modules, which numba compiles into machine code.

Two processes that have loaded the same text may have different constants: ``ALPHA = float(os.environ["ALPHA"])``, or an
array that was read from a data file. So these values are part of the code's digest.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from duelbench.compiling.imports import Helper, together


def code_and_values(module: str, text: str, helpers: Mapping[str, Helper]) -> str:
    """Return a text that identifies a module, its helpers and their current constants, and so its machine code."""
    return f"{together(text, helpers)}\n_values = {values_of(module, helpers)!r}"


def values_of(module: str, helpers: Mapping[str, Helper]) -> str:
    """Return the digest of the current constants of a module and its helpers."""
    return values_digest(sys.modules[name] for name in (module, *sorted(helpers)) if name in sys.modules)


def values_digest(modules: Iterable[ModuleType]) -> str:
    """Return a digest of 16 hexadecimal digits of the numbers, texts, arrays and tuples in the globals of modules.

    Absolute paths do not count, only the data that is read from there.
    """
    written = [
        f"{number} {name}={text}"
        for number, module in enumerate(modules)
        for name, value in sorted(vars(module).items())
        if name[:2] != "__" and (text := _written(value))
    ]
    return hashlib.sha256("\n".join(written).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _written(value: Any) -> str:
    match value:
        case np.ndarray() if not value.dtype.hasobject:
            return f"{value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        case str():
            return "" if Path(value).is_absolute() else repr(value)
        case bool() | int() | float() | complex() | bytes() | np.generic():
            return f"{type(value).__name__} {value!r}"
        case tuple():
            return f"({','.join(map(_written, value))})"
    return ""
