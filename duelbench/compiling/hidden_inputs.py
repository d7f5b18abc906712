"""Static analysis of a user's file: does it use random numbers besides ``rng``, or inputs such as a clock?

Only code that the algorithm may run counts: code that runs on import, its class, and the functions and classes whose
names these mention. A self-test under ``if __name__ == "__main__"`` may use anything.
"""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from duelbench.compiling.imports import Helper
from duelbench.errors import UserError

RANDOM_MODULES = ("random", "numpy.random", "secrets")
RANDOM_FUNCTIONS = ("os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4")
RANDOM_TYPES = ("Generator", "BitGenerator", "RandomState", "SeedSequence", "Random", "SystemRandom")
"""Classes of these modules that may be mentioned, as in an annotation, but not called."""
OTHER_INPUTS = (
    "time", "datetime", "os.environ", "os.getenv", "os.getpid", "os.times", "os.listdir", "os.path.exists", "sys.argv",
    "pathlib.Path", "threading", "multiprocessing", "socket", "platform", "subprocess", "glob",
    "hash", "id", "open", "input",
)  # fmt: skip
"""Functions whose result may differ between calls, besides random numbers."""
MOST_INPUTS = 5
"""The largest number of places to name."""


class Use(NamedTuple):
    """A place in a user's file that uses an imported or built-in object.

    ``name`` is the full name of the object, such as ``numpy.random.random``; ``written`` is its name in the file.
    """

    file: str
    line: int
    name: str
    written: str
    called: bool


def refuse_foreign_randomness(file: str, text: str, class_name: str, helpers: Mapping[str, Helper]) -> None:
    """Raise UserError, with file and line, if an algorithm draws random numbers from anything but ``rng``.

    Generators with a fixed seed are errors too: every run would draw the same numbers.
    """
    for use in _uses(file, text, class_name, helpers):
        if _is_random(use):
            raise UserError(
                f"{use.name} does not depend on the run's seed: draw from the rng that select receives",
                source=use.file,
                line=use.line,
                key=("name",),
            )


def other_inputs(file: str, text: str, class_name: str, helpers: Mapping[str, Helper]) -> str:
    """Return the names and places of inputs that may differ between runs, such as a clock; empty if none is seen."""
    found = [
        use
        for use in _uses(file, text, class_name, helpers)
        if any(use.name == name or use.name.startswith(f"{name}.") for name in OTHER_INPUTS)
    ]
    return ", ".join(f"{use.written} ({Path(use.file).name}:{use.line})" for use in found[:MOST_INPUTS])


def _is_random(use: Use) -> bool:
    if use.name in RANDOM_FUNCTIONS:
        return True
    if use.name.startswith("scipy.") and use.name.endswith(".rvs"):
        return use.called
    for module in RANDOM_MODULES:
        if use.name == module:
            return True
        if use.name.startswith(f"{module}."):
            return use.called or use.name.rpartition(".")[2] not in RANDOM_TYPES
    return False


def _uses(file: str, text: str, class_name: str, helpers: Mapping[str, Helper]) -> list[Use]:
    """Return what the reachable code uses, ordered by file and line."""
    try:
        modules = {"": _Module("", Helper(file, text, ""))}
        modules |= {name: _Module(name, helper) for name, helper in helpers.items()}
    except (SyntaxError, ValueError):  # the import will fail with a message
        return []
    for module in modules.values():
        module.complete_stars(modules)
    found: list[Use] = []
    mentioned = {class_name}
    waiting = [_Reader(module, modules, module.imported) for module in modules.values()]
    waiting += [_Reader(modules[""], modules, [node]) for node in modules[""].definitions.pop(class_name, [])]
    while waiting:
        for reader in waiting:
            found += reader.uses
            mentioned |= reader.mentioned
        waiting = [
            _Reader(module, modules, module.definitions.pop(name))
            for module in modules.values()
            for name in mentioned & module.definitions.keys()
        ]
    order = {module.file: number for number, module in enumerate(modules.values())}
    return sorted(found, key=lambda use: (order[use.file], use.line))


Names = dict[str, str]
"""The meaning of the names in a scope: the full name of an imported object, or "" for anything else."""


class _Module:
    """The code of a module: the statements that run when it is ``imported``, and its ``definitions``."""

    def __init__(self, name: str, helper: Helper) -> None:
        self.name, self.file, self.package = name, helper.file, helper.package
        self.imported: list[ast.AST] = []
        self.definitions: dict[str, list[ast.AST]] = {}
        tree = ast.parse(helper.text)
        self._divide(tree.body)
        self.names, self._stars = _bound(tree.body, self.package)

    def _divide(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.definitions.setdefault(node.name, []).append(node)
                self.imported += node.decorator_list
                if not isinstance(node, ast.ClassDef):
                    self.imported += [each for each in (*node.args.defaults, *node.args.kw_defaults) if each]
            elif isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
                self._divide(node.orelse)
            elif isinstance(node, ast.If | ast.Try):
                self.imported += [node.test] if isinstance(node, ast.If) else []
                for part in ("body", "handlers", "orelse", "finalbody"):
                    for each in getattr(node, part, []):
                        self._divide(each.body if isinstance(each, ast.ExceptHandler) else [each])
            else:
                self.imported.append(node)

    def complete_stars(self, modules: Mapping[str, _Module]) -> None:
        """Add the names of ``from … import *``."""
        for module in self._stars:
            if module in modules:
                names = {*modules[module].names, *modules[module].definitions}
            elif module.partition(".")[0] in ("numpy", "random", "secrets", "os", "uuid", "time", "datetime"):
                names = set(dir(importlib.import_module(module)))
            else:
                continue
            self.names = {name: f"{module}.{name}" for name in names} | self.names


def _bound(body: Iterable[ast.AST], package: str) -> tuple[Names, list[str]]:
    """Return the names that a scope binds, and the modules from which it imports ``*``."""
    names: Names = {}
    stars = []
    for node in _own_nodes(body):
        if isinstance(node, ast.Import):
            for each in node.names:
                names[each.asname or each.name.partition(".")[0]] = (
                    each.name if each.asname else each.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(filter(None, [above, node.module]))
            for each in node.names:
                if each.name == "*":
                    stars.append(module)
                else:
                    names[each.asname or each.name] = f"{module}.{each.name}"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, "")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            names.setdefault(node.name, "")
    for node in _own_nodes(body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Attribute):
            dotted = ast.unparse(node.value)
            root, dot, rest = dotted.partition(".")
            for target in node.targets:
                if isinstance(target, ast.Name) and names.get(root):
                    names[target.id] = names[root] + dot + rest
        elif isinstance(node, ast.Global):
            for name in node.names:
                names.pop(name, None)
    return names, stars


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, without the bodies of functions and classes defined in it."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _own_nodes(ast.iter_child_nodes(node))


class _Reader(ast.NodeVisitor):
    """Collects the imported and built-in objects that code ``uses``, and the names that it has ``mentioned``."""

    def __init__(self, module: _Module, modules: Mapping[str, _Module], code: list[ast.AST]) -> None:
        self.uses: list[Use] = []
        self.mentioned: set[str] = set()
        self._module, self._modules = module, modules
        self._scopes = [module.names]
        self._called: ast.AST | None = None
        for node in code:
            self.visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """Read a function, which has a separate scope."""
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        names, _ = _bound([node.body] if isinstance(node, ast.Lambda) else node.body, self._module.package)
        self._scopes.append({each.arg: "" for each in every if each} | names)
        self.generic_visit(node)
        self._scopes.pop()

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Skip an import: an imported object counts where it is used."""

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_Call(self, node: ast.Call) -> None:
        """Read a call. A call of ``rvs`` with a generator as an argument draws from that generator."""
        given = any(each.arg == "random_state" for each in node.keywords)
        if not (given and isinstance(node.func, ast.Attribute) and node.func.attr == "rvs"):
            self._called = node.func
            self.visit(node.func)
        for each in (*node.args, *node.keywords):
            self.visit(each)

    def visit_Name(self, node: ast.Name) -> None:
        """Record the object that a name refers to."""
        self.mentioned.add(node.id)
        if isinstance(node.ctx, ast.Load):
            self._note(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Record the object that a dotted name refers to, or else read its parts."""
        self.mentioned.add(node.attr)
        noted, inner = self._note(node), node.value
        while noted and isinstance(inner, ast.Attribute):
            inner = inner.value
        if not noted or isinstance(inner, ast.Call):
            self.visit(inner)

    def _note(self, node: ast.Name | ast.Attribute) -> bool:
        name = self._resolved(node)
        if name:
            self.mentioned.add(name.rpartition(".")[2])
            called = node is self._called
            self.uses.append(Use(self._module.file, node.lineno, name, ast.unparse(node), called))
        return bool(name)

    def _resolved(self, node: ast.AST) -> str:
        """Return the full name of the object that an expression refers to, "" if it is unknown."""
        if isinstance(node, ast.Attribute):
            value = self._resolved(node.value)
            return self._followed(f"{value}.{node.attr}") if value else ""
        if isinstance(node, ast.Call):  # a module imported by name; a distribution of SciPy
            function = self._resolved(node.func)
            if function in ("__import__", "importlib.import_module"):
                return str(node.args[0].value) if node.args and isinstance(node.args[0], ast.Constant) else ""
            return function if function.startswith("scipy.stats.") else ""
        if not isinstance(node, ast.Name):
            return ""
        scope = next((each for each in reversed(self._scopes) if node.id in each), None)
        if scope is not None:
            return self._followed(scope[node.id])
        return node.id if hasattr(builtins, node.id) else ""

    def _followed(self, name: str) -> str:
        """Return the full name of the object that a name in one of the user's modules refers to."""
        for _ in range(len(self._modules) + 1):
            module = max((each for each in self._modules if name.startswith(f"{each}.")), key=len, default="")
            if not module:
                break
            first, dot, rest = name.removeprefix(f"{module}.").partition(".")
            behind = self._modules[module].names.get(first)
            if not behind:
                break
            name = behind + dot + rest
        return name
