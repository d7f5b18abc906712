"""Addresses that compiled code uses: of a Python function or a kernel to call, and of a value passed by reference.

Machine code that contains an address cannot be cached, so addresses are passed as arguments.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import lower_builtin, type_callable

_FUNCTION = ctypes.CFUNCTYPE(None)


class Hook:
    """A function without arguments that kernels can call; ``address`` is valid as long as this object lives."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = _FUNCTION(function)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0


def call_back(hook: Callable[[], None]) -> None:
    """Call a function; in a kernel ``hook`` is the address of a ``Hook``, whose exceptions do not reach the caller."""
    hook()


def address_of(kernel: Any, *kinds: types.Type) -> int:
    """Return the address of a kernel's machine code for these argument types, after compiling or loading it."""
    dispatcher = kernel.for_python
    dispatcher.compile(kinds)
    compiled = dispatcher.overloads[kinds]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def play_at(address: Any, world: Any, first: int, second: int, count: int) -> tuple[int, int]:
    """Call the kernel at an address, which takes these arguments and returns two integers."""
    return address(world, first, second, count)  # type: ignore[no-any-return]


def by_reference(value: Any) -> Any:
    """Return a reference to a value; in a kernel it is valid until the kernel that makes it returns.

    A tuple of twenty arrays is passed to a kernel as a hundred words; a reference is one word, and compiles faster.
    """
    return (value,)


def referred(reference: Any) -> Any:
    """Return the value of a reference."""
    return reference[0]


# In kernels


@type_callable(call_back)
def _type_of_call_back(context: Any) -> Any:
    return lambda hook: types.none if isinstance(hook, types.Integer) else None


@lower_builtin(call_back, types.Integer)  # type: ignore[untyped-decorator]
def _lower_call_back(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [])
    return context.get_dummy_value()


@type_callable(play_at)
def _type_of_play_at(context: Any) -> Any:
    return lambda address, world, first, second, count: types.UniTuple(types.int64, 2)


@lower_builtin(play_at, *[types.Any] * 5)  # type: ignore[untyped-decorator]
def _lower_play_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    result, kinds = signature.return_type, signature.args[1:]
    kind = context.call_conv.get_function_type(result, kinds)
    callee = builder.inttoptr(arguments[0], kind.as_pointer())
    status, value = context.call_conv.call_function(builder, callee, result, kinds, arguments[1:])
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return value


@type_callable(by_reference)
def _type_of_by_reference(context: Any) -> Any:
    return lambda value: types.CPointer(value)


@lower_builtin(by_reference, types.Any)  # type: ignore[untyped-decorator]
def _lower_by_reference(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    model = context.data_model_manager[signature.args[0]]
    return cgutils.alloca_once_value(builder, model.as_data(builder, arguments[0]))


@type_callable(referred)
def _type_of_referred(context: Any) -> Any:
    return lambda reference: reference.dtype if isinstance(reference, types.CPointer) else None


@lower_builtin(referred, types.CPointer)  # type: ignore[untyped-decorator]
def _lower_referred(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    value = _load(context, builder, signature.return_type, arguments[0])
    return impl_ret_borrowed(context, builder, signature.return_type, value)


def _load(context: Any, builder: Any, kind: Any, pointer: Any) -> Any:
    """Load each number separately: LLVM cannot drop the unused parts of a tuple that is loaded as a whole."""
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        each = [_load(context, builder, one, _member(builder, pointer, k)) for k, one in enumerate(members.types)]
        return context.make_tuple(builder, kind, each)
    return context.data_model_manager[kind].from_data(builder, _load_data(builder, pointer))


def _load_data(builder: Any, pointer: Any) -> Any:
    data = pointer.type.pointee
    if not isinstance(data, ir.LiteralStructType | ir.ArrayType):
        return builder.load(pointer)
    value = ir.Constant(data, ir.Undefined)
    for k in range(len(data.elements) if isinstance(data, ir.LiteralStructType) else data.count):
        value = builder.insert_value(value, _load_data(builder, _member(builder, pointer, k)), k)
    return value


def _member(builder: Any, pointer: Any, k: int) -> Any:
    return builder.gep(pointer, [ir.Constant(ir.IntType(32), each) for each in (0, k)], inbounds=True)
