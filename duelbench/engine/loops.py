"""The round loop of each algorithm: ``play`` with the kernels of its class, compiled around them or interpreted.

A loop belongs to a class, not to the type of its state: any two classes may have states of one type. The kernels are
globals of the loop, as numba keeps the machine code of no function that is given functions, or made inside of another.
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
from duelbench.engine.play import play, regret_since


def loop_for(algorithm: type[Algorithm]) -> Callable[..., None]:
    """Return ``play`` with the kernels of an algorithm: compiled if they are, plain Python else.

    Classes that inherit the same kernels have the same loop.
    """
    return _loop(_owner(algorithm))


def loop_directory(algorithm: type[Algorithm]) -> Path | None:
    """Return where the machine code of an algorithm's loop is kept, for a class of a user's file under its source text.

    None where nothing tells of the code behind a class, or another goes by its name: it is compiled in each process.
    Each loop has a place of its own: numba's index of one directory is not safe from two processes that compile at
    once.
    """
    owner = _owner(algorithm)
    if not (_is_ours(owner) or vars(owner).get("source_text")):
        return None
    if vars(sys.modules.get(owner.__module__)).get(owner.__qualname__) is not owner:
        return None
    return cache_directory(owner.all_text()) / f"{owner.__module__}.{owner.__qualname__}"


@cache
def _loop(owner: type[Algorithm]) -> Callable[..., None]:
    names = {**play.__globals__, "select": owner.select, "update": owner.update}
    if not owner.compiled():  # nor is what the loop calls: each worker would have to compile it first
        names["regret_since"] = getattr(regret_since, "py_func", regret_since)
        return FunctionType(play.__code__, names, play.__name__)
    loop: Any = FunctionType(play.__code__, names, play.__name__)
    look_at_types()
    directory = loop_directory(owner)
    if directory is None:
        return Kernel(loop, tier, kept=False)
    with keeping_in(lambda: loop_directory(owner) or directory):  # the values it is made of may still change
        return kernel(loop)  # type: ignore[no-any-return]


def _owner(algorithm: type[Algorithm]) -> type[Algorithm]:
    """Return the class that a loop belongs to: the first that has the kernels, of those that it inherits from.

    Whoever starts with a state of its own has a loop of its own: that type is nothing for the cache of ours.
    """
    if not (_is_ours(algorithm) or _is_ours(algorithm.start)):
        return algorithm
    kernels = _kernels(algorithm)
    return [each for each in algorithm.__mro__ if issubclass(each, Algorithm) and _kernels(each) == kernels][-1]


def _kernels(algorithm: type[Algorithm]) -> tuple[Any, ...]:
    return tuple(getattr(algorithm, name, None) for name in ("select", "update", "State"))


def _is_ours(what: Any) -> bool:
    return str(what.__module__).startswith("duelbench.")
