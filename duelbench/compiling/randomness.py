"""Detect random numbers that do not come from ``rng``: a run that draws them is not reproducible from its seed."""

import ast
import random
from collections.abc import Iterator, Mapping
from typing import Any

import numba._helperlib
import numpy as np

from duelbench.compiling.imports import module_of
from duelbench.errors import UserError

MODULES = ("random", "numpy.random", "secrets")
FUNCTIONS = ("os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4")
TYPES = ("Generator", "BitGenerator", "RandomState", "SeedSequence", "Random", "SystemRandom")
"""Classes of these modules that code may mention, as in an annotation, but not call."""


def refuse_foreign_randomness(texts: Mapping[str, str]) -> None:
    """Raise UserError, with file and line, if one of the ``texts`` uses a generator of Python or NumPy.

    ``texts`` are sources by file name. A generator with a fixed seed is an error too: every run would draw the same
    numbers. A self-test under ``if __name__ == "__main__"`` may use any generator.
    """
    for file, text in texts.items():
        nodes = list(_imported_code(ast.parse(text)))
        names = dict(each for node in nodes for each in _bound(node))
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        parts = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            name = _resolved(node, names)
            if name in MODULES and (isinstance(node, ast.Name) or id(node) in parts):
                continue  # only uses of the module count
            if _is_random(name, id(node) in called):
                raise UserError(
                    f"{name} does not depend on the run's seed: draw from rng, which select or explore receives",
                    source=file,
                    line=getattr(node, "lineno", None),
                    key=("name",),
                )


def _imported_code(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, except code that runs only in the main program."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)):
            yield node
            yield from _imported_code(node)


def _bound(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, and the full names of the objects."""
    if isinstance(node, ast.Import):
        for each in node.names:
            first = each.name.partition(".")[0]
            yield each.asname or first, each.name if each.asname else first
    elif isinstance(node, ast.ImportFrom):
        for each in node.names:
            yield each.asname or each.name, f"{module_of(node, '')}.{each.name}"


def _resolved(node: ast.AST, names: Mapping[str, str]) -> str:
    """Return the full name of the imported object that an expression refers to; empty for anything else."""
    if isinstance(node, ast.Attribute):
        value = _resolved(node.value, names)
        return f"{value}.{node.attr}" if value else ""
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""


def _is_random(name: str, called: bool) -> bool:
    module, _, member = name.rpartition(".")
    return name in (*MODULES, *FUNCTIONS) or (module in MODULES and (called or member not in TYPES))


def global_generators() -> Mapping[str, object]:
    """Return the states of the global generators of numba, NumPy and Python, by name."""
    of_kernels: Any = numba._helperlib
    places = of_kernels.rnd_get_np_state_ptr(), of_kernels.rnd_get_py_state_ptr()
    state = np.random.get_state(legacy=False)  # noqa: NPY002 - to find draws from it
    return {
        "numba's": [of_kernels.rnd_get_state(each) for each in places],
        "NumPy's": (repr(state["state"]["pos"]), state["state"]["key"].tobytes(), state["gauss"]),
        "Python's": random.getstate(),
    }


def drawn_since(before: Mapping[str, object]) -> str:
    """Return a sentence that names the global generators drawn from since ``before``; empty if there is none."""
    now = global_generators()
    drawn = " and ".join(name for name in before if before[name] != now[name])
    return drawn and f"{drawn} global generator was used, so the run cannot be repeated: draw only from rng"
