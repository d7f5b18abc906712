"""The round loop of each algorithm: ``play`` with the kernels of its class, compiled or interpreted.

A loop belongs to a class, not to the type of its state, since two classes may have states of the same type. The kernels
are globals of the loop, since numba does not cache functions that have functions as arguments or in closures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from duelbench.algorithms.algorithm import Algorithm
from duelbench.compiling.cache import cache_directory, keeping_in
from duelbench.compiling.choice import tier
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.jit import kernel
from duelbench.engine.answers import look_at_types
from duelbench.engine.play import play


def loop_for(algorithm: type[Algorithm]) -> Callable[..., None]:
    """Return ``play`` with the kernels of an algorithm: compiled if they are compiled, else plain Python.

    Classes that inherit the same kernels have the same loop.
    """
    return _loop(_owner(algorithm))


def loop_directory(algorithm: type[Algorithm]) -> Path | None:
    """Return the directory for the machine code of an algorithm's loop; a user's source text is part of its digest.

    None if the source of the class is unknown or another class has its name; then each process compiles the loop. Each
    loop has a separate directory, since only one process at a time compiles into a directory.
    """
    owner = _owner(algorithm)
    if not (_is_ours(owner) or vars(owner).get("source_text")):
        return None
    if vars(sys.modules.get(owner.__module__)).get(owner.__qualname__) is not owner:
        return None
    return cache_directory(owner.all_text()) / f"{owner.__module__}.{owner.__qualname__}"


@cache
def _loop(owner: type[Algorithm]) -> Callable[..., None]:
    update = "update_with_ties" if owner.takes_ties else "update"
    names = {**play.__globals__, "select": owner.select, update: owner.update, "takes_ties": owner.takes_ties}
    if not owner.compiled():  # interpret the helpers of the loop too: each worker would have to compile them first
        names |= {name: each.py_func for name, each in names.items() if isinstance(each, Kernel)}
        return FunctionType(play.__code__, names, play.__name__)
    loop: Any = FunctionType(play.__code__, names, play.__name__)
    look_at_types()
    directory = loop_directory(owner)
    if directory is None:
        return Kernel(loop, tier, kept=False)
    with keeping_in(lambda: loop_directory(owner) or directory):  # the constants in the digest may still change
        return kernel(loop)  # type: ignore[no-any-return]


@cache
def _owner(algorithm: type[Algorithm]) -> type[Algorithm]:
    """Return the class that a loop belongs to: the base class that defines the kernels.

    A user's class that overrides ``start`` has a separate loop: the type of its state must not enter our cache.
    """
    if not (_is_ours(algorithm) or _is_ours(algorithm.start)):
        return algorithm
    kernels = _kernels(algorithm)
    return [each for each in algorithm.__mro__ if issubclass(each, Algorithm) and _kernels(each) == kernels][-1]


def _kernels(algorithm: type[Algorithm]) -> tuple[Any, ...]:
    return tuple(getattr(algorithm, name, None) for name in ("select", "update", "State"))


def _is_ours(what: Any) -> bool:
    return str(what.__module__).startswith("duelbench.")
