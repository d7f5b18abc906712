"""The one way kernels are compiled: ``kernel``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

import numba.core.config

from duelbench.compiling.choice import tier
from duelbench.compiling.dispatcher import Kernel

F = TypeVar("F", bound=Callable[..., Any])


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, inline: bool) -> Callable[[F], F]: ...


def kernel(function: F | None = None, *, inline: bool = True) -> F | Callable[[F], F]:
    """Compile ``function`` on its first call, and keep the machine code for later processes.

    It is compiled into each of its callers. With ``inline=False`` they share it, which spares compilation: for what few
    rounds do.

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
    config: Any = numba.core.config

    def compiled(function: F) -> F:
        return function if config.DISABLE_JIT else cast(F, Kernel(function, tier, inline))

    return compiled if function is None else compiled(function)


def is_compiled(function: Callable[..., Any]) -> bool:
    """Tell whether ``function`` is a kernel (and not plain Python, as everything is under NUMBA_DISABLE_JIT)."""
    config: Any = numba.core.config
    return hasattr(function, "py_func") and not config.DISABLE_JIT
