"""Compiling without reference counts: our changes to numba's pipeline.

Kernels own no memory: every array that they use was created by ``start``, and they create none. So numba's reference
counts are switched off (``_nrt``) and kernels are inlined, which makes passing a state of a dozen arrays free (RUCB
without holds: 490 ns a round with reference counts, 60 ns without).

Only the wrapper that Python calls keeps its reference counts. It takes a reference to each argument; without reference
counts it would never release that of a ``numpy.random.Generator`` (leaking 50 bytes per call, and the generator
itself).
"""

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
"""The options of every kernel. numba compiles its own functions, such as ``Generator.binomial``, once for each set of
options of their callers, so the compilers below change their options only after those for callees have been
recorded."""


class Called(Compiler):
    """Compiles a kernel that its callers share: it is linked to them, and inlined only if LLVM decides so."""

    def define_pipelines(self) -> Any:
        """Return numba's own passes, without a request for inlining."""
        self.state.flags.forceinline = False
        return super().define_pipelines()


class ForPython(Compiler):
    """Compiles a kernel with the wrapper that unpacks its arguments for Python and releases their references."""

    def compile_extra(self, function: Any) -> Any:
        """Compile with Python's garbage collector disabled: it would traverse numba's long-lived objects repeatedly."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(function)
        finally:
            if collecting:
                gc.enable()

    def define_pipelines(self) -> Any:
        """Return numba's own passes, followed by the wrapper."""
        self.state.flags.no_cpython_wrapper = False
        context = self.state.targetctx
        counting = context.subtarget(enable_nrt=True)

        def create(library: Any, function: Any, *more: Any, **named: Any) -> None:
            if not _owns_nothing(function.restype):  # the wrapper would release a reference that was never taken
                raise UnsupportedError(f"a kernel that Python calls returns numbers, not {function.restype}")
            counting.create_cpython_wrapper(library, function, *more, **named)

        context.create_cpython_wrapper = create
        return super().define_pipelines()


def _owns_nothing(kind: Any) -> bool:
    """Return whether values of a type are numbers, which need no reference counts."""
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        return all(_owns_nothing(each) for each in members.types)
    if isinstance(kind, types.Optional):
        return _owns_nothing(kind.type)
    return isinstance(kind, types.Number | types.Boolean | types.NoneType)
