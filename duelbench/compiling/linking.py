"""Compiling less: our changes in numba's code generator, mainly to save compile time.

By default numba optimises and emits every function that a kernel calls, and optimises all of them again after linking.
With this tier, kernels that only kernels call are neither optimised nor emitted separately; they are optimised once,
after they are linked to a caller. There they are private functions, so the optimiser may inline those with one call
site and drop unused arguments. Passing a state of dozens of arrays means passing some hundred words (D-TS with three
tied winners: 0.16 s without, 0.10 s with this tier).
"""

from typing import Any

from llvmlite.binding import Linkage
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NopythonTypeInference

from duelbench.compiling import inlining


@register_pass(mutates_CFG=True, analysis_only=False)
class _Inference(NopythonTypeInference):
    """numba's inference of types, which lets a kernel return any array: it may be one of the state, which lives on."""

    _name = "type_inference_with_returned_arrays"

    def run_pass(self, state: Any) -> Any:
        """Infer types as where there are reference counts."""
        context = state.targetctx
        state.targetctx = context.subtarget(enable_nrt=True)
        try:
            return super().run_pass(state)
        finally:
            state.targetctx = context


class Linked(Compiler):
    """Compiles a kernel into its callers."""

    def define_pipelines(self) -> Any:
        """Return numba's own passes, with a library that is only linked."""
        state = self.state
        state.library = _CodeToLink(state.targetctx.codegen(), state.func_id.func_qualname)
        pipelines = super().define_pipelines()
        for each in pipelines:
            each.passes = [(_Inference if step is NopythonTypeInference else step, text) for step, text in each.passes]
        return pipelines


class Called(inlining.Called, Linked):
    """Compiles a kernel that its callers share."""


class Rare(Called):
    """Compiles a kernel that is called in few rounds, and keeps its code out of its callers."""

    def define_pipelines(self) -> Any:
        """Return the same passes, with a library that refuses inlining."""
        pipelines = super().define_pipelines()
        self.state.library.rare = True
        return pipelines


class ForPython(inlining.ForPython):
    """Compiles a kernel to machine code, together with all its callees."""

    def define_pipelines(self) -> Any:
        """Return the same passes, with a library that emits the code of all callees."""
        state = self.state
        state.library = _CodeToEmit(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


def once_for_all_integers(dispatcher: Any) -> None:
    """Compile a kernel once for all integers, not once for every literal in a call."""
    template = dispatcher.get_call_template

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        named = {name: types.unliteral(each) for name, each in keywords.items()}
        return template([types.unliteral(each) for each in arguments], named)

    dispatcher.get_call_template = get_call_template


class _Code(JITCodeLibrary):
    """The code of a kernel, simplified before linking only as far as it becomes smaller."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager(opt=1)
                passes.run(function, builder)


class _CodeToEmit(_Code):
    """The code of a kernel that Python calls, with all its callees."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module, and keep LLVM from optimising its wrapper, which unpacks Python's arguments once per call."""
        for function in ir_module.functions:
            if function.name.startswith("_ZN7cpython") and not function.is_declaration:
                function.attributes.add("noinline")  # optnone requires it
                function.attributes.add("optnone")
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        """Make all callees private and optimise; there are no reference counts to prune before."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:  # a linked callee
                function.linkage = "private"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _CodeToLink(_Code):
    """The code of a kernel that is not emitted, only linked to its callers; ``rare``: and not inlined there."""

    rare = False

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module, and keep LLVM from inlining it, which it otherwise does with every function called once."""
        for function in ir_module.functions:
            if self.rare and not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def _optimize_final_module(self) -> None:
        """Do nothing: the code is optimised with its caller."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # means in numba that the function has not been emitted


class _WithoutEnvironments:
    """A code generator that gives functions no Python globals, since code that is not emitted cannot have any."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing."""
