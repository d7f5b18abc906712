"""What identifies the machine code of a user's modules: their texts and their global constants.

numba compiles global constants into machine code. Two processes that have loaded the same text may have different ones:
``ALPHA = float(os.environ["ALPHA"])``, or an array that was read from a data file.
"""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from duelbench.compiling.imports import Helper


def code_and_values(module: str, text: str, helpers: Mapping[str, Helper]) -> str:
    """Return the texts of a module and its helpers, and their current constants."""
    modules = [sys.modules[name] for name in (module, *sorted(helpers)) if name in sys.modules]
    return "\n".join([text, *(each.text for each in helpers.values()), *constants(modules)])


def constants(modules: Iterable[ModuleType]) -> list[str]:
    """Return the numbers, texts, arrays and tuples in the globals of modules; absolute paths do not count."""
    return [
        f"{number} {name}={text}"
        for number, module in enumerate(modules)
        for name, value in sorted(vars(module).items())
        if name[:2] != "__" and (text := _written(value))
    ]


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
