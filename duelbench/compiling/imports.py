"""The imports of a Python source, and the helper modules that a user's file imports from its folder.

The texts and the global constants of a user's modules identify their machine code, since numba compiles global
constants into it. Two processes may load the same text but have different constants, for example
``ALPHA = float(os.environ["ALPHA"])`` or an array from a data file.
"""

import ast
import hashlib
import importlib
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import UserError

OWN_FILE = "duelbench_user_"
"""The prefix of the module names of users' algorithm files."""
INSTALLED = {"site-packages", "dist-packages"}
"""Names of library directories, which may be below the folder of a user's file."""
LIBRARIES = {"duelbench", "numpy", "numba", "pydantic", "scipy"}
"""Packages that duelbench imports."""


class Helper(NamedTuple):
    """A user's module: its file and its text."""

    file: str
    text: str


def imports_of(text: str, package: str = "") -> Iterator[str]:
    """Yield the names of the modules that ``text`` imports; ``package`` is the package of this text, if any.

    Text that is not Python yields nothing; importing it will fail with a message.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = module_of(node, package)
            yield module
            yield from (f"{module}.{each.name}" for each in node.names)  # each name may be a module


def module_of(node: ast.ImportFrom, package: str) -> str:
    """Return the full name of the module that ``from … import`` in a package imports from."""
    above = package.rsplit(".", node.level - 1)[0] if node.level else ""
    return ".".join(filter(None, [above, node.module]))


def read_python(path: Path) -> str:
    """Return the text of a Python file, without a byte-order mark. Raises OSError or UnicodeDecodeError."""
    return path.read_text(encoding="utf-8-sig")


def refuse_taken_names(path: Path) -> None:
    """Raise UserError if a user's file is named like a module of Python, or a file in its folder like a library.

    Programs that start in this folder, or import from it, would import the file instead.
    """
    if path.stem in sys.stdlib_module_names:
        raise UserError(f"call the file differently: {path.stem} is a module of Python", key=("name",))
    for each in sorted(path.parent.glob("*.py")):
        if each.stem in LIBRARIES:
            raise UserError(f"call {each} differently: {each.stem} is a package of Python", key=("name",))


_folders: set[str] = set()
"""The folders of users' files in ``sys.path``; the folder of the file being loaded comes first."""


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Allow imports from a folder, as for a script there, also after this block; the block sees its current files.

    Unlike the files beside a script, they cannot replace modules of Python. No bytecode is written there, since Python
    would not notice a second edit within one second.
    """
    if str(folder) in _folders:
        sys.path[:] = [each for each in sys.path if each != str(folder)]
    if str(folder) not in sys.path:
        _folders.add(str(folder))
        after = (place for place, each in enumerate(sys.path) if each in _folders or INSTALLED & set(Path(each).parts))
        sys.path.insert(next(after, len(sys.path)), str(folder))
    importlib.invalidate_caches()
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def imported_from(folder: Path, before: Collection[str]) -> dict[str, Helper]:
    """Return the modules, by name, that were imported from a folder, except those in ``before``."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name in before or name.startswith(OWN_FILE):
            continue
        file = Path(getattr(module, "__file__", None) or "")
        if _is_users(file, folder):
            found[name] = Helper(str(file), read_python(file))
    return found


def files_beside(path: Path) -> list[str]:
    """Return a user's file and the modules in its folder; an error may be in any of them."""
    return [str(path), *map(str, path.parent.glob("*.py")), *map(str, path.parent.glob("*/*.py"))]


def _is_users(file: Path, folder: Path) -> bool:
    library = Path(sysconfig.get_path("stdlib"))
    return (
        file.suffix == ".py"
        and file.is_relative_to(folder)
        and not INSTALLED & set(file.parts)
        and not file.is_relative_to(library)
        and not file.is_relative_to(Path(__file__).parents[1])
    )


def code_and_values(module: str, text: str, helpers: Mapping[str, Helper]) -> str:
    """Return the texts of a module and its helpers, and their current constants."""
    modules = [sys.modules[name] for name in (module, *sorted(helpers)) if name in sys.modules]
    return "\n".join([text, *(each.text for each in helpers.values()), *constants(modules)])


def constants(modules: Iterable[ModuleType]) -> list[str]:
    """Return the numbers, texts, arrays and tuples in the globals of modules, except absolute paths."""
    return [
        f"{number} {name}={text}"
        for number, module in enumerate(modules)
        for name, value in sorted(vars(module).items())
        if name[:2] != "__" and (text := _written(value))
    ]


def _written(value: Any) -> str:
    match value:
        case np.ndarray() if not value.dtype.hasobject:
            return f"{value.dtype.descr} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        case str():
            return "" if Path(value).is_absolute() else repr(value)
        case bool() | int() | float() | complex() | bytes() | np.generic():
            return f"{type(value).__name__} {value!r}"
        case tuple():
            return f"({','.join(map(_written, value))})"
    return ""
