"""Compiling less: what the third tier changes inside numba's code generator. It gains compile time only.

Left to itself numba optimises and emits every function that a kernel calls, and then the whole once more where they
are linked together. Kernels that only kernels call are neither optimised nor emitted here: they are optimised once,
where they end up. There they are private, which the optimiser uses: it may inline what is called from one
place, and drop arguments that are not used. A state of dozens of arrays is some hundred words to hand over (D-TS with
three tied winners: 0.16 to 0.10 s).
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import Linkage
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from duelbench.compiling import inlining


class Linked(Compiler):
    """Compiles a kernel into its callers."""

    def define_pipelines(self) -> Any:
        """Return numba's own passes, which put the code into a library that is linked only."""
        state = self.state
        state.library = _CodeToLink(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


class Called(inlining.Called, Linked):
    """Compiles a kernel that its callers share."""


class ForPython(inlining.ForPython):
    """Compiles a kernel with machine code of its own, and all that it calls."""

    def define_pipelines(self) -> Any:
        """Return the same passes, which emit the code of all."""
        state = self.state
        state.library = _CodeToEmit(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


def once_for_all_integers(dispatcher: Any) -> None:
    """Compile a kernel once for all integers, not again for every literal in a call."""
    template = dispatcher.get_call_template

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        named = {name: types.unliteral(each) for name, each in keywords.items()}
        return template([types.unliteral(each) for each in arguments], named)

    dispatcher.get_call_template = get_call_template


class _Code(JITCodeLibrary):
    """The code of a kernel, which is simplified before it is linked: no more than makes it small."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager(opt=1)
                passes.run(function, builder)


class _CodeToEmit(_Code):
    """The code of a kernel that Python calls, with all that it calls."""

    def _optimize_final_module(self) -> None:
        """Optimise it, as what is called by nothing else; at once, as there are no reference counts to prune first."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:  # it has been linked to this
                function.linkage = "private"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _CodeToLink(_Code):
    """The code of a kernel that is not emitted: what calls it links it."""

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def _optimize_final_module(self) -> None:
        """Leave it as it is: it will be optimised with its caller."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # numba's word for a function that has not been emitted


class _WithoutEnvironments:
    """A code generator that gives no function its Python globals: code that is not emitted has no place for them."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing."""
