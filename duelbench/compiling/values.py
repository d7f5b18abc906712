"""What the modules of a user's hold beside code: values that come of data files, of the environment, of anything.

Two processes that have loaded the same text need not hold the same: ``ALPHA = float(os.environ["ALPHA"])``. And numba
makes the globals of a kernel constants of its machine code. So these values count like the code.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from duelbench.compiling.imports import Helper, loaded_with, together

GIVEN = {"source_text", "helpers", "values"}
"""What classes are told of themselves after they have been loaded."""


def code_and_values(module: str, text: str, helpers: Mapping[str, Helper]) -> str:
    """Return a text that stands for a module, its helpers and their values now: what machine code is made of."""
    return f"{together(text, helpers)}\n_values = {values_of(module, text, helpers)!r}"


def values_of(module: str, text: str, helpers: Mapping[str, Helper]) -> str:
    """Return the digest of the values that a module with this text and what was loaded with it hold now.

    Helpers that are imported later do not count: in some processes they are there, in some not.
    """
    names = [module, *sorted(loaded_with(text, helpers))]
    return values_digest(sys.modules[name] for name in names if name in sys.modules)


def values_digest(modules: Iterable[ModuleType]) -> str:
    """Return 16 hexadecimal digits that stand for the values in the globals of modules.

    Numbers, texts and arrays count, alone or in containers, as attributes of classes and objects of these modules, as
    defaults and in closures of functions; of random generators the state. Other objects do not, nor do absolute paths:
    what counts is what is read from there.
    """
    known = list(modules)
    names = frozenset(module.__name__ for module in known)
    text = "\n".join(f"{number} {_attributes(vars(module), names, ())}" for number, module in enumerate(known))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _attributes(found: Mapping[str, Any], names: frozenset[str], above: tuple[int, ...]) -> str:
    written = {name: _written(value, names, above) for name, value in sorted(found.items()) if name[:2] != "__"}
    return ",".join(f"{name}={text}" for name, text in written.items() if text)


def _written(value: Any, names: frozenset[str], above: tuple[int, ...]) -> str:
    """Return a value as text, and nothing for what does not count; ``above`` are those that it is inside of."""
    if id(value) in above:
        return ""
    inside = (*above, id(value))

    def each(values: Iterable[Any]) -> list[str]:
        return [_written(one, names, inside) for one in values]

    match value:
        case np.ndarray():
            if value.dtype.hasobject:
                return f"objects {value.shape} {each(value.ravel().tolist())}"
            return f"{value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        case str():
            return "" if Path(value).is_absolute() else repr(value)
        case bool() | int() | float() | complex() | bytes() | np.generic() | None:
            return f"{type(value).__name__} {value!r}"
        case tuple() | list():
            return f"{type(value).__name__} {each(value)}"
        case set() | frozenset():
            return f"{type(value).__name__} {sorted(each(value))}"
        case dict():
            return f"dict {each(value.keys())} {each(value.values())}"
        case np.random.Generator():
            return f"generator {each([value.bit_generator.state])}"
        case staticmethod() | classmethod():
            return _written(value.__func__, names, inside)
        case FunctionType():
            if value.__module__ not in names:
                return ""
            cells = [cell.cell_contents for cell in value.__closure__ or () if _is_full(cell)]
            return "".join(each([*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *cells]))
    if inspect.isclass(value):
        own = {name: each for name, each in vars(value).items() if name not in GIVEN}
        return _attributes(own, names, inside) if value.__module__ in names else ""
    if callable(value) and hasattr(value, "__wrapped__"):  # such as a kernel
        return _written(value.__wrapped__, names, inside)
    if isinstance(value, SimpleNamespace) or type(value).__module__ in names:
        return _attributes(getattr(value, "__dict__", {}), names, inside)
    return ""


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
