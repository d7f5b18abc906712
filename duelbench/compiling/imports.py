"""What Python source imports, and the modules of a user's that lie beside it: their text is part of its code.

They are imported from the text that was found, not from what their files say later, so that what is played is what the
keys of the runs say: here, in other processes, and on machines that do not have the files.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import ExecutionLoader, MetaPathFinder
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.compiling.digest import code_digest

OWN_FILE = "duelbench_user_"
"""How the names of modules begin that are the files of users' algorithms."""
INSTALLED = {"site-packages", "dist-packages"}
"""Directories of libraries: of these the release counts, not the text."""


class Helper(NamedTuple):
    """A module of a user's: the file that it was found in, its text, and the package that it belongs to, if any."""

    file: str
    text: str
    package: str


def imports_of(text: str, package: str = "", in_functions: bool = True) -> Iterator[str]:
    """Yield the modules that ``text`` imports, also ``in_functions``; ``package`` is that of a module with this text.

    What is no Python imports nothing: to import it will fail, and say why.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree) if in_functions else _outside_functions(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(filter(None, [above, node.module]))
            yield module
            yield from (f"{module}.{each.name}" for each in node.names)  # it may be a module as well


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for each in ast.iter_child_nodes(node):
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each
            yield from _outside_functions(each)


def helpers_of(text: str, also: Iterable[str] = ()) -> dict[str, Helper]:
    """Return the modules, by name, that ``text`` imports directly or through others, and that nobody has installed.

    What is imported by a name that is computed is among them if it is ``also`` named. What is no Python source is not.
    """
    found: dict[str, Helper] = {}
    seen: set[str] = set()
    waiting = [(text, ""), ("\n".join(f"import {name}" for name in also), "")]
    while waiting:
        for name in _with_parents(*waiting.pop()):
            if name in seen:
                continue
            seen.add(name)
            file = _file_of(name)
            read = None if file is None else _source(file)
            if file is not None and read is not None:
                package = name if file.name == "__init__.py" else name.rpartition(".")[0]
                found[name] = Helper(str(file), read, package)
                waiting.append((read, package))
    return dict(sorted(found.items()))


def loaded_with(text: str, helpers: Mapping[str, Helper]) -> set[str]:
    """Return the names of those helpers that are imported when ``text`` is: the others follow when a function runs."""
    found: set[str] = set()
    waiting = [(text, "")]
    while waiting:
        fresh = (_with_parents(*waiting.pop(), in_functions=False) & helpers.keys()) - found
        found |= fresh
        waiting += [(helpers[name].text, helpers[name].package) for name in fresh]
    return found


def together(text: str, helpers: Mapping[str, Helper]) -> str:
    """Return one text that stands for a file and its helpers."""
    return "\n".join([text, *(each.text for each in helpers.values())])


def _with_parents(text: str, package: str, in_functions: bool = True) -> set[str]:
    names = set(imports_of(text, package, in_functions))
    return {".".join(parts[: end + 1]) for parts in (name.split(".") for name in names) for end in range(len(parts))}


def _file_of(name: str) -> Path | None:
    """Return the source file of a module of a user's; to find one below others imports none of them."""
    top, *below = name.split(".")
    if top in sys.stdlib_module_names or top in ("duelbench", "__main__"):
        return None
    spec = _found(top)
    if spec is None:
        return None
    if not below:
        places = [Path(spec.origin)] if spec.origin and spec.has_location else []
    else:
        places = [
            place
            for location in spec.submodule_search_locations or ()
            for path in [Path(location, *below)]
            for place in (path / "__init__.py", path.with_name(f"{path.name}.py"))
        ]
    return next(
        (place for place in places if place.suffix == ".py" and place.is_file() and not _is_installed(place)), None
    )


def _found(top: str) -> importlib.machinery.ModuleSpec | None:
    """Return where a module would be imported from now, whether or not it has been, and from whatever text."""
    finders: list[Any] = [each for each in sys.meta_path if each is not _finder and hasattr(each, "find_spec")]
    return next((spec for each in finders if (spec := each.find_spec(top, None)) is not None), None)


def imported_beside(before: Collection[str]) -> set[str]:
    """Return the names of modules that have been imported since those ``before``, and that nobody has installed."""
    return {
        name
        for name, module in tuple(sys.modules.items())
        if name not in before
        and (file := getattr(module, "__file__", None))
        and not _is_installed(Path(file))
        and name.partition(".")[0] not in ("duelbench", "__main__")
        and not name.startswith(OWN_FILE)
    }


def _is_installed(file: Path) -> bool:
    library = Path(sysconfig.get_path("stdlib"))
    return bool(INSTALLED & set(file.parts)) or file.is_relative_to(library)


def _source(file: Path) -> str | None:
    try:
        return importlib.util.decode_source(file.read_bytes())
    except (OSError, UnicodeDecodeError, SyntaxError):
        return None


@contextmanager
def importing(helpers: Mapping[str, Helper]) -> Iterator[None]:
    """Import these modules from their texts; those that are imported only later are so as well.

    If one of them has been imported with other code, all of them are imported anew.
    """
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    there = [name for name in helpers if name in sys.modules]
    if any(_finder.imported.get(name) != code_digest(helpers[name].text) for name in there):
        for name in there:
            del sys.modules[name]
    _finder.known |= helpers
    try:
        yield
    finally:
        for name in helpers:
            if name in sys.modules:
                _finder.known.pop(name, None)


class _Texts(MetaPathFinder, ExecutionLoader):
    """Finds and loads modules whose texts are ``known``; ``imported`` are the digests of what it has loaded."""

    def __init__(self) -> None:
        self.known: dict[str, Helper] = {}
        self.imported: dict[str, str] = {}

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Return where a module comes from: from here, if its text is known."""
        if name not in self.known:
            return None
        return importlib.util.spec_from_file_location(name, self.known[name].file, loader=self)

    def get_filename(self, name: str) -> str:
        """Return the file that a module was found in."""
        return self.known[name].file

    def get_source(self, name: str) -> str:
        """Return the text of a module."""
        self.imported[name] = code_digest(self.known[name].text)
        return self.known[name].text

    def is_package(self, name: str) -> bool:
        """Tell whether a module has others below it."""
        return Path(self.known[name].file).name == "__init__.py"


_finder = _Texts()
