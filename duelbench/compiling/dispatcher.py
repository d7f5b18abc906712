"""Kernels: functions that are compiled once for Python and once for other kernels."""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any

import numba
import numba.core.config
import numpy as np
from numba import types
from numba.extending import typeof_impl

from duelbench.compiling.cache import cache_directory, chosen_directory, keep
from duelbench.compiling.tiers import Tier

_config: Any = numba.core.config


class PlainPython:
    """A base class: a kernel whose first argument is an instance runs as plain Python."""

    __slots__ = ()


class Kernel:
    """A function that numba compiles twice: for other kernels and, if Python calls it, together with all its callees.

    Only the version for Python is cached, and not if ``kept`` is False. ``py_func`` is the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        tier: Callable[[], Tier],
        inline: bool = True,
        kept: bool = True,
        rare: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._inline, self._rare = inline, rare
        self._tier = tier
        self._kept = kept
        self._directory = chosen_directory() or cache_directory

    @cached_property
    def for_kernels(self) -> Any:
        """The dispatcher that numba compiles into other kernels."""
        tier = self._tier()
        options = tier.rare if self._rare else tier.inlined if self._inline else tier.shared
        compiled = _njit(self.py_func, options)
        tier.finish(compiled)
        return compiled

    @cached_property
    def for_python(self) -> Any:
        """The dispatcher that Python calls: separate machine code that contains all its callees."""
        compiled = _njit(self.py_func, self._tier().for_python)
        if self._kept:
            keep(compiled, self._tier().machine_code(self._directory()))
        return compiled

    @property
    def plain(self) -> Callable[..., Any]:
        """The function as plain Python, including all kernels that it calls."""
        if self not in _plain_functions:
            function: Any = self.py_func
            names = dict(function.__globals__)
            _plain_functions[self] = FunctionType(
                function.__code__, names, function.__name__, function.__defaults__, function.__closure__
            )
            names |= {name: each.plain for name, each in names.items() if isinstance(each, Kernel)}
        return _plain_functions[self]

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel from Python; run it uncompiled if compilation is off, or for a program in plain Python."""
        if _config.DISABLE_JIT:
            return self.py_func(*arguments)
        if arguments and isinstance(arguments[0], PlainPython):
            return self.plain(*arguments)
        return self.for_python(*arguments)


_plain_functions: dict[Kernel, Callable[..., Any]] = {}


def _njit(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    njit: Any = numba.njit  # its stubs leave out most options
    return njit(**options)(function)


@typeof_impl.register(Kernel)
def _typed(kernel: Kernel, context: Any) -> Any:
    """Give numba the type of a kernel that another kernel calls."""
    return numba.typeof(kernel.for_kernels)


_GENERATOR: Any = types.NumPyRandomGeneratorType("rng")


@typeof_impl.register(np.random.Generator)
def _generator(rng: np.random.Generator, context: Any) -> Any:
    """Give numba one type for all generators; it would otherwise create a type for every argument of every call."""
    return _GENERATOR
