"""The round loop of each algorithm: ``play`` or ``play_program`` with the kernels of its class, compiled or not.

Each class has its own loop, since two classes may have states of the same type. The kernels are globals of the loop,
since numba does not cache functions that take functions as arguments or close over them.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from duelbench.algorithms.algorithm import Algorithm, Program
from duelbench.compiling.cache import cache_directory, keeping_in
from duelbench.compiling.choice import tier
from duelbench.compiling.dispatcher import Kernel
from duelbench.compiling.jit import kernel
from duelbench.engine.answers import look_at_types
from duelbench.engine.play import PlainWorld, play, play_program


def loop_for(algorithm: type[Algorithm]) -> Callable[..., None]:
    """Return the loop of an algorithm: compiled if its kernels are compiled, else plain Python.

    Classes that inherit the same kernels have the same loop.
    """
    return _loop(_owner(algorithm))


def loop_directory(algorithm: type[Algorithm]) -> Path | None:
    """Return the cache directory of an algorithm's loop; its digest includes the user's source text.

    Return None if the source of the class is unknown or another class has its name; then each process compiles the
    loop. Each loop has its own directory, since only one process at a time compiles into a directory.
    """
    owner = _owner(algorithm)
    if not (_is_ours(owner) or vars(owner).get("source_text")):
        return None
    if vars(sys.modules.get(owner.__module__)).get(owner.__qualname__) is not owner:
        return None
    return cache_directory(owner.all_text()) / f"{owner.__module__}.{owner.__qualname__}"


@cache
def _loop(owner: type[Algorithm]) -> Callable[..., None]:
    return made_loop(owner)


def made_loop(owner: type[Algorithm]) -> Callable[..., None]:
    """Return a new loop of an algorithm; numba may have been switched off when ``loop_for`` cached its loop."""
    plain: Any = play_program if issubclass(owner, Program) else play
    names = {**plain.__globals__, **_kernels(owner)}
    if not owner.compiled():  # interpret the helpers of the loop too: each worker would have to compile them first
        names |= {name: each.plain for name, each in names.items() if isinstance(each, Kernel)}
        names["World"] = PlainWorld
        return FunctionType(plain.__code__, names, plain.__name__)
    loop: Any = FunctionType(plain.__code__, names, plain.__name__)
    look_at_types()
    directory = loop_directory(owner)
    if directory is None:
        return Kernel(loop, tier, kept=False)
    with keeping_in(lambda: loop_directory(owner) or directory):  # the constants in the digest may still change
        return kernel(loop)  # type: ignore[no-any-return]


@cache
def _owner(algorithm: type[Algorithm]) -> type[Algorithm]:
    """Return the base class that defines the kernels; it owns the loop.

    A user's class that overrides ``start`` owns its loop, since the type of its state must not enter our cache. Every
    program owns its loop too, since it may have its own state.
    """
    if issubclass(algorithm, Program) or not (_is_ours(algorithm) or _is_ours(algorithm.start)):
        return algorithm
    same = [each for each in algorithm.__mro__ if issubclass(each, Algorithm) and hasattr(each, "select")]
    return [each for each in same if _shared(each) == _shared(algorithm)][-1]


def _shared(algorithm: type[Algorithm]) -> tuple[Any, ...]:
    return _kernels(algorithm), getattr(algorithm, "State", None)


def _kernels(algorithm: type[Algorithm]) -> dict[str, Any]:
    """Return the globals of the loop that belong to an algorithm, by name."""
    if issubclass(algorithm, Program):
        return {"explore": algorithm.explore}
    update = "update_with_ties" if algorithm.takes_ties else "update"
    return {"select": algorithm.select, update: algorithm.update, "takes_ties": algorithm.takes_ties}


def _is_ours(what: Any) -> bool:
    return str(what.__module__).startswith("duelbench.")
