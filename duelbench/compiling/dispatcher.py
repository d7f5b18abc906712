"""A kernel: what it is to Python, and what to other kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

import numba
import numba.core.config
from numba.extending import typeof_impl

from duelbench.compiling.cache import cache_directory, chosen_directory, keep
from duelbench.compiling.tiers import Tier

_config: Any = numba.core.config


class Kernel:
    """A function that numba compiles twice: for other kernels, and, if Python calls it, with all that it calls.

    Only the second is kept. ``py_func`` is the function. ``kept`` is False for what is compiled in this process alone.
    """

    def __init__(
        self, function: Callable[..., Any], tier: Callable[[], Tier], inline: bool = True, kept: bool = True
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._inline = inline
        self._tier = tier
        self._kept = kept
        self._directory = chosen_directory() or cache_directory

    @cached_property
    def for_kernels(self) -> Any:
        """What numba compiles into other kernels."""
        tier = self._tier()
        compiled = _njit(self.py_func, tier.inlined if self._inline else tier.shared)
        tier.finish(compiled)
        return compiled

    @cached_property
    def for_python(self) -> Any:
        """What Python calls: machine code of its own, with all that it calls."""
        compiled = _njit(self.py_func, self._tier().for_python)
        if self._kept:
            keep(compiled, self._tier().machine_code(self._directory()))
        return compiled

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python; as plain Python where nothing is to be compiled."""
        return self.py_func(*arguments) if _config.DISABLE_JIT else self.for_python(*arguments)


def _njit(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    njit: Any = numba.njit  # its stubs leave out most options
    return njit(**options)(function)


@typeof_impl.register(Kernel)
def _typed(kernel: Kernel, context: Any) -> Any:
    """Tell numba that a kernel in a kernel is what it compiles there."""
    return numba.typeof(kernel.for_kernels)
