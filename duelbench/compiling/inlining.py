"""Compiling without reference counts: what numba's pipeline must be told for the second tier.

Kernels own no memory: every array they touch was made by ``start``, and they create none. So numba's reference counts
are switched off (``_nrt``) and kernels are inlined, which makes passing a state of a dozen arrays free (RUCB without
holds: 490 ns a round with reference counts, 60 ns without).

Only the wrapper through which Python enters counts: it takes a reference to each argument, and with counting off it
would never give that of a ``numpy.random.Generator`` back (50 bytes for each call, and the generator itself).
"""

from __future__ import annotations

import gc
from typing import Any

from numba import types
from numba.core.compiler import Compiler
from numba.core.errors import UnsupportedError

FLAGS: Any = {
    "error_model": "numpy",
    "forceinline": True,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""Options of every kernel. numba compiles its own functions (say, ``Generator.binomial``) once for each set of options
that it meets in a caller, so the compilers below change theirs only when those for others have been noted down."""


class Called(Compiler):
    """Compiles a kernel that its callers share: it is linked to them, and inlined only if that is thought to pay."""

    def define_pipelines(self) -> Any:
        """Return numba's own passes, without a word on inlining."""
        self.state.flags.forceinline = False
        return super().define_pipelines()


class ForPython(Compiler):
    """Compiles a kernel with the wrapper that takes its arguments apart for Python, and gives references back."""

    def compile_extra(self, function: Any) -> Any:
        """Compile without Python's garbage collector, which would visit what numba keeps to the end again and again."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(function)
        finally:
            if collecting:
                gc.enable()

    def define_pipelines(self) -> Any:
        """Return numba's own passes, with a wrapper at their end."""
        self.state.flags.no_cpython_wrapper = False
        context = self.state.targetctx
        counting = context.subtarget(enable_nrt=True)

        def create(library: Any, function: Any, *more: Any, **named: Any) -> None:
            if not _owns_nothing(function.restype):  # the wrapper would give back what was never taken
                raise UnsupportedError(f"a kernel that Python calls returns numbers, not {function.restype}")
            counting.create_cpython_wrapper(library, function, *more, **named)

        context.create_cpython_wrapper = create
        return super().define_pipelines()


def _owns_nothing(kind: Any) -> bool:
    """Tell whether values of a type are numbers, and no memory is to be counted for them."""
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        return all(_owns_nothing(each) for each in members.types)
    if isinstance(kind, types.Optional):
        return _owns_nothing(kind.type)
    return isinstance(kind, types.Number | types.Boolean | types.NoneType)
