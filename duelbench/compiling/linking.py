"""Tier 2: kernels without reference counts, inlined into each other, and compiled and optimised only once.

Kernels own no memory: ``start`` created every array that they use. So numba's reference counts are switched off
(``_nrt``) and kernels are inlined, which makes passing a state of a dozen arrays free (RUCB without holds: 490 ns a
round with reference counts, 60 ns without). Only the wrapper that Python calls keeps its reference counts. It takes a
reference to each argument, and without reference counts it would never release the reference to a
``numpy.random.Generator``: a leak of 50 bytes per call, and of the generator.

By default numba optimises and emits every function that a kernel calls, and optimises all of them again after linking.
With this tier, kernels that only kernels call are neither optimised nor emitted separately; they are optimised once,
after they are linked to a caller. There they are private functions, so the optimiser may inline those with one call
site and drop unused arguments; a state of dozens of arrays takes some hundred words (D-TS with three tied winners:
0.16 s without this tier, 0.10 s with it).
"""

import gc
from typing import Any

from llvmlite.binding import Linkage
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.errors import UnsupportedError
from numba.core.typed_passes import NopythonTypeInference

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


@register_pass(mutates_CFG=True, analysis_only=False)
class _Inference(NopythonTypeInference):
    """numba's type inference, but a kernel may return any array, since the arrays of the state outlive the call."""

    _name = "type_inference_with_returned_arrays"

    def run_pass(self, state: Any) -> Any:
        """Infer types as if reference counts were on."""
        context = state.targetctx
        state.targetctx = context.subtarget(enable_nrt=True)
        try:
            return super().run_pass(state)
        finally:
            state.targetctx = context


class Linked(Compiler):
    """Compiles a kernel into its callers."""

    def define_pipelines(self) -> Any:
        """Return numba's passes, with a library that is only linked."""
        state = self.state
        state.library = _CodeToLink(state.targetctx.codegen(), state.func_id.func_qualname)
        pipelines = super().define_pipelines()
        for each in pipelines:
            each.passes = [(_Inference if step is NopythonTypeInference else step, text) for step, text in each.passes]
        return pipelines


class Called(Linked):
    """Compiles a kernel that its callers share; LLVM decides whether to inline it."""

    def define_pipelines(self) -> Any:
        """Return the same passes, without a request for inlining."""
        self.state.flags.forceinline = False
        return super().define_pipelines()


class Rare(Called):
    """Compiles a kernel that is called in few rounds, and keeps its code out of its callers."""

    def define_pipelines(self) -> Any:
        """Return the same passes, with a library that refuses inlining."""
        pipelines = super().define_pipelines()
        self.state.library.rare = True
        return pipelines


class ForPython(Compiler):
    """Compiles a kernel to machine code, together with all its callees and the wrapper for Python.

    The wrapper unpacks the arguments and releases their references.
    """

    def compile_extra(self, function: Any) -> Any:
        """Compile with Python's garbage collector off: it would traverse numba's long-lived objects repeatedly."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(function)
        finally:
            if collecting:
                gc.enable()

    def define_pipelines(self) -> Any:
        """Return numba's passes, followed by the wrapper, with a library that emits the code of all callees."""
        state = self.state
        state.library = _CodeToEmit(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags.no_cpython_wrapper = False
        context = state.targetctx
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


def once_for_all_integers(dispatcher: Any) -> None:
    """Compile a kernel once for all integers, not once for every literal in a call."""
    template = dispatcher.get_call_template

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        named = {name: types.unliteral(each) for name, each in keywords.items()}
        return template([types.unliteral(each) for each in arguments], named)

    dispatcher.get_call_template = get_call_template


class _Code(JITCodeLibrary):
    """The code of a kernel; before linking, only simplifications that shrink it are applied."""

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
        """Make all callees private and optimise, without numba's pruning of reference counts."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:  # a linked callee
                function.linkage = "private"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _CodeToLink(_Code):
    """The code of a kernel that is not emitted, only linked to its callers; ``rare`` code is not inlined."""

    rare = False

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module; keep LLVM from inlining ``rare`` code, since it inlines every function with one call site."""
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
        return 0  # numba's value for a function that has not been emitted


class _WithoutEnvironments:
    """A code generator without Python globals, which code that is not emitted cannot have."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing."""
