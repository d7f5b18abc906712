"""Checks of a user's class, of its parameters and of the state that it creates, before a round is played."""

import ast
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from duelbench.algorithms.algorithm import Algorithm, Program, canonical
from duelbench.algorithms.catalogue import catalogue, class_line, find, texts_of
from duelbench.compiling.jit import is_compiled
from duelbench.errors import UserError, place_in
from duelbench.spec.entries import AlgorithmEntry
from duelbench.spec.validation import explain

_EXPLORE = ("world", "state", "rng")
_SELECT = ("state", "t", "last", "rng")
_UPDATE = ("state", "first", "second", "wins", "count")
_UPDATE_WITH_TIES = ("state", "first", "second", "wins", "ties", "count")


def load_algorithm(name: str, base: Path) -> type[Algorithm]:
    """Return ``find(name, base)``. Also raises UserError if a user's class lacks something."""
    kind = find(name, base)
    if kind.source_text:
        check_class(kind)
    return kind


def instantiate(kind: type[Algorithm], parameters: Mapping[str, Any]) -> Algorithm:
    """Return an algorithm with these parameters of its entry in a spec.

    Raises UserError with a ``key`` relative to the entry, or with the line in the user's file.
    """
    try:
        algorithm = kind(**parameters)
    except ValidationError as error:
        sentence, key = explain(error, kind, also=AlgorithmEntry.model_fields)
        if kind.source_text and key and error.errors()[0]["type"] == "missing":
            line = class_line(kind.source_text, kind.__name__, str(key[-1]))
            sentence += f", or give it a default in line {line} of {Path(inspect.getfile(kind)).name}"
        raise UserError(sentence, key=key) from None
    except Exception as error:
        if not kind.source_text:
            raise
        file, line, _ = place_in(error, texts_of(kind)) or (inspect.getfile(kind), None, "")
        written = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
        what = f"{kind.__name__}({written}) fails with {type(error).__name__}: {error}"
        raise UserError(what, source=file, line=line) from None
    try:
        canonical(algorithm)
    except Exception as error:
        if not kind.source_text:
            raise
        raise UserError(
            f"the keys of runs cannot hold the parameters of {kind.__name__} ({error}): use numbers, texts and lists"
        ) from None
    return algorithm


def check_class(kind: type[Algorithm]) -> None:
    """Raise UserError, with the line, if a class does not have the attributes and methods of an algorithm."""
    here = _Complaints(kind)
    name = kind.__name__
    if not isinstance(kind.name, str) or not kind.name:
        raise here.at("name", f"the name of an algorithm must be text, not {kind.name!r}")
    if kind.name in catalogue():
        raise here.at("name", f"{kind.name!r} is already an algorithm of duelbench: give {name} another name")
    for parameter in kind.model_fields:
        if parameter in AlgorithmEntry.model_fields:
            raise here.at(parameter, f"{parameter!r} is a key of specs: give this parameter another name")
        if hasattr(Program, parameter):
            raise here.at(parameter, f"{parameter!r} is a method of algorithms: give this parameter another name")
        if wrong := _wrong_default(kind, parameter):
            raise here.at(parameter, wrong)
    flags = "uses_horizon supports_delay learns_off_policy takes_ties in_order finds_order declares_tiers"
    for flag in (*flags.split(), "may_declare_no_winner", "ends_blocks_at_checkpoints"):
        if not isinstance(getattr(kind, flag), bool):
            raise here.at(flag, f"{flag} must be True or False, not {getattr(kind, flag)!r}")
    parts = {"select": _SELECT, "update": _UPDATE_WITH_TIES if kind.takes_ties else _UPDATE}
    for part, wanted in ({"explore": _EXPLORE} if issubclass(kind, Program) else parts).items():
        function = getattr(kind, part, None)
        if function is None:
            assigned = f"{part} = {part}" if part == "explore" else f"{part} = staticmethod({part})"
            raise here.at("", f"{name} has no {part}: write a function {part}({', '.join(wanted)}) and in the class "
                          f"{assigned}")  # fmt: skip
        here.arguments(part, function, wanted)
    if "start" in kind.__abstractmethods__:
        raise here.at("", f"{name} has no start: write def start(self, arms, horizon), which returns a new state")
    if kind.__abstractmethods__:
        raise here.at("", f"{name} lacks {', '.join(sorted(kind.__abstractmethods__))}")
    here.arguments("start", kind.start, ("self", "arms", "horizon"))
    if issubclass(kind, Program) and kind.learns_off_policy:
        raise here.at("learns_off_policy", "a program learns only from its own duels: remove learns_off_policy")
    if issubclass(kind, Program) and kind.declaration is not Program.declaration:
        raise here.at_function(kind.declaration, "a program declares what explore returns: remove declaration")
    here.arguments("declaration", kind.declaration, ("self", "state"))
    here.arguments("recommendation", kind.recommendation, ("self", "state"))
    here.arguments("merge_equal_self_duels", kind.merge_equal_self_duels, ("self", "state", "equal"))
    if issubclass(kind, Program):
        return
    if is_compiled(kind.select) != is_compiled(kind.update):
        plain = "update" if is_compiled(kind.select) else "select"
        raise here.at_function(
            getattr(kind, plain), f"{plain} is plain Python and the other is a kernel: put @kernel before both, or none"
        )
    if kind.compiled():
        state = getattr(kind, "State", None)
        if state is None:
            raise here.at("", f"{name} has no State: write State = … with the NamedTuple that start returns")
        if not (isinstance(state, type) and issubclass(state, tuple) and hasattr(state, "_fields")):
            raise here.at("State", f"State must be a class made with typing.NamedTuple, not {_shown(state)}")


def _wrong_default(kind: type[Algorithm], parameter: str) -> str:
    """Return what is wrong with the default of a parameter; empty if nothing is."""
    field = kind.model_fields[parameter]
    if field.is_required():
        return ""
    default = field.get_default(call_default_factory=True)
    try:
        kind.model_validate({parameter: default})
    except ValidationError as error:
        for each in error.errors():
            if each["loc"][:1] == (parameter,):
                return f"the default of {parameter} is {default!r}: {each['msg'].replace('Input should', 'it must')}"
    except Exception:  # raised by the class itself; reported with the values of a spec
        pass
    return ""


def check_state(kind: type[Algorithm], state: Any) -> None:
    """Raise UserError if ``start`` did not return a state, or returned one that kernels cannot use."""
    here = _Complaints(kind)

    def wrong(sentence: str) -> UserError:
        return here.at_function(kind.start, sentence)

    if state is None:
        raise wrong("start has returned nothing: return a new state at its end")
    if not hasattr(kind.explore if issubclass(kind, Program) else kind.select, "py_func"):
        return
    expected = kind.State.__name__
    if not (isinstance(state, tuple) and hasattr(state, "_fields")):
        raise wrong(f"start has returned {_shown(state)}: a kernel's state is a NamedTuple, return {expected}(…)")
    if type(state) is not kind.State:
        raise wrong(f"start has returned a {type(state).__name__}, but State is {expected}: make them the same")
    for field, value in state._asdict().items():  # type: ignore[attr-defined]
        if isinstance(value, np.ndarray) and (value.dtype.kind in "biufV"):
            continue
        if isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
            continue
        if isinstance(value, tuple):  # a nested state: numba reports what is wrong with it
            continue
        what = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else _shown(value)
        raise wrong(
            f"the field {field!r} of the state is {what}: kernels work on numbers and on NumPy arrays of numbers, such "
            "as np.zeros((arms, arms), np.int64)"
        )


class _Complaints:
    """Errors with the line in a user's file."""

    def __init__(self, kind: type[Algorithm]) -> None:
        self._kind, self._file = kind, inspect.getfile(kind)

    def at(self, attribute: str, sentence: str) -> UserError:
        """Return an error at the line of an attribute of the class, or of the class itself."""
        line = class_line(self._kind.source_text, self._kind.__name__, attribute)
        return UserError(sentence, source=self._file, line=line)

    def at_function(self, function: Callable[..., Any], sentence: str) -> UserError:
        """Return an error at the line of a function."""
        code = getattr(getattr(function, "py_func", function), "__code__", None)
        if code is None:
            return self.at("", sentence)
        return UserError(sentence, source=code.co_filename, line=definition(self._kind.source_text, code))

    def arguments(self, part: str, function: Any, wanted: tuple[str, ...]) -> None:
        """Raise UserError if a function does not take these positional arguments."""
        plain = getattr(function, "py_func", function)
        if not callable(plain):
            raise self.at(part, f"{part} must be a function {part}({', '.join(wanted)}), not {_shown(plain)}")
        try:
            signature = inspect.signature(plain)
        except (TypeError, ValueError):
            return  # not a Python function
        try:
            signature.bind(*wanted)
        except TypeError:
            own = isinstance(inspect.getattr_static(self._kind, part, None), staticmethod)
            method = "self" not in wanted and not own and next(iter(signature.parameters), "") == "self"
            hint = ": put it before the class, without self" if method else ""
            raise self.at_function(
                plain, f"{part} is called as {part}({', '.join(wanted)}), but takes {signature}{hint}"
            ) from None


def definition(text: str, code: Any) -> int:
    """Return the line of the ``def`` of a function, which comes after its decorators."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == code.co_firstlineno:
                return node.lineno
    return int(code.co_firstlineno)


def _shown(value: Any) -> str:
    return f"the {type(value).__name__} {value.__name__ if isinstance(value, type) else repr(value)}"[:80]
