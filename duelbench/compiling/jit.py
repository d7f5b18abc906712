"""The one way kernels are compiled: ``kernel``, and ``rare_kernel`` for what few rounds do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

import numba
import numba.core.config
from numba.extending import typeof_impl

from duelbench.compiling.cache import cache_directory, chosen_directory, keep
from duelbench.compiling.tiers import Tier, machine_code, tier

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, into its callers, and keep the machine code for later processes.

    A kernel owns no memory: every array it touches was made by ``start``, and it creates none. What Python calls
    returns numbers. Division by zero is not checked, so kernels test their denominators: the interpreted one would
    raise.

    Examples
    --------
    In a file, as numba keeps machine code beside what it was made from::

        from duelbench import kernel


        @kernel
        def win_rate(wins, duels):
            return wins / duels if duels > 0 else 0.5

    ``win_rate(3, 4)`` is then 0.75, here as inside of other kernels.
    """
    return _compile(function, rare=False)


def rare_kernel(function: F) -> F:
    """Compile ``function`` like a kernel, but not into every caller: for what few rounds do, to spare compilation."""
    return _compile(function, rare=True)


def _compile(function: F, rare: bool) -> F:
    config: Any = numba.core.config
    return function if config.DISABLE_JIT else cast(F, Kernel(function, rare))


def is_compiled(function: Callable[..., Any]) -> bool:
    """Tell whether ``function`` is a kernel (and not plain Python, as everything is under NUMBA_DISABLE_JIT)."""
    return hasattr(function, "py_func")


class Kernel:
    """A function that numba compiles twice: for other kernels, and, if Python calls it, with all that it calls.

    Only the second is kept. ``py_func`` is the function. ``kept`` is False for what is compiled in this process alone.
    """

    def __init__(
        self, function: Callable[..., Any], rare: bool = False, tier: Callable[[], Tier] = tier, kept: bool = True
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._rare = rare
        self._tier = tier
        self._kept = kept
        self._directory = chosen_directory()

    @cached_property
    def for_kernels(self) -> Any:
        """What numba compiles into other kernels."""
        tier = self._tier()
        compiled = _njit(self.py_func, tier.shared if self._rare else tier.inlined)
        tier.finish(compiled)
        return compiled

    @cached_property
    def for_python(self) -> Any:
        """What Python calls: machine code of its own, with all that it calls."""
        compiled = _njit(self.py_func, self._tier().for_python)
        if self._kept:
            keep(compiled, machine_code(self._directory or cache_directory()))
        return compiled

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self.for_python(*arguments)


def _njit(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    njit: Any = numba.njit  # its stubs leave out most options
    return njit(**options)(function)


@typeof_impl.register(Kernel)
def _typed(kernel: Kernel, context: Any) -> Any:
    """Tell numba that a kernel in a kernel is what it compiles there."""
    return numba.typeof(kernel.for_kernels)
