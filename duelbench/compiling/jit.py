"""The one way kernels are compiled: ``kernel``, and ``rare_kernel`` for what few rounds do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba.core.config

from duelbench.compiling.choice import tier
from duelbench.compiling.dispatcher import Kernel

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
    return function if config.DISABLE_JIT else cast(F, Kernel(function, tier, rare))


def is_compiled(function: Callable[..., Any]) -> bool:
    """Tell whether ``function`` is a kernel (and not plain Python, as everything is under NUMBA_DISABLE_JIT)."""
    config: Any = numba.core.config
    return hasattr(function, "py_func") and not config.DISABLE_JIT
