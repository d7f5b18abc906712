"""The decorator ``kernel``, which compiles all kernels."""

from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

import numba.core.config

from duelbench.compiling.choice import tier
from duelbench.compiling.dispatcher import Kernel

F = TypeVar("F", bound=Callable[..., Any])


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, inline: bool = True, rare: bool = False) -> Callable[[F], F]: ...


def kernel(function: F | None = None, *, inline: bool = True, rare: bool = False) -> F | Callable[[F], F]:
    """Compile a function on its first call, and keep the machine code for later processes.

    A kernel allocates no memory: ``start`` makes every array that it uses. A kernel that Python calls returns numbers.
    Division by zero is not checked in compiled code and raises in interpreted code, so kernels test denominators.

    Parameters
    ----------
    function : callable
        The function. Its machine code is kept only if it is defined in a file.
    inline : bool
        Whether the function is compiled into each of its callers. With False they share one copy, which saves
        compile time for code that few rounds reach.
    rare : bool
        Whether the function is called in few rounds. Its callers stay small and fast, since it is not inlined.

    Returns
    -------
    callable
        The kernel; ``function`` itself if ``NUMBA_DISABLE_JIT`` is set. Without ``function``, a decorator.

    Examples
    --------
    In a file::

        from duelbench import kernel


        @kernel
        def win_rate(wins, duels):
            return wins / duels if duels > 0 else 0.5

    ``win_rate(3, 4)`` is then 0.75, in Python and in other kernels.
    """
    config: Any = numba.core.config

    def compiled(function: F) -> F:
        return function if config.DISABLE_JIT else cast(F, Kernel(function, tier, inline, rare=rare))

    return compiled if function is None else compiled(function)


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether ``function`` is a kernel; under ``NUMBA_DISABLE_JIT`` all functions are plain Python."""
    config: Any = numba.core.config
    return hasattr(function, "py_func") and not config.DISABLE_JIT
