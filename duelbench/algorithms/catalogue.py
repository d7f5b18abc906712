"""Find algorithms: an algorithm of this package by its name, a user's algorithm by its file and class."""

import ast
import copyreg
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from duelbench import algorithms
from duelbench.algorithms.algorithm import Algorithm
from duelbench.compiling.cache import cache_directory, keeping_in
from duelbench.compiling.digest import code_digest
from duelbench.compiling.imports import (
    OWN_FILE,
    Helper,
    code_and_values,
    files_beside,
    imported_from,
    importing_from,
    read_python,
    refuse_taken_names,
)
from duelbench.compiling.randomness import refuse_foreign_randomness
from duelbench.errors import UserError, did_you_mean, place_in


@cache
def catalogue() -> dict[str, type[Algorithm]]:
    """Return the algorithms of this package by name: every one in ``duelbench.algorithms`` and its folders."""
    found: dict[str, type[Algorithm]] = {}
    for module in pkgutil.walk_packages(algorithms.__path__, algorithms.__name__ + "."):
        if module.name == __name__:
            continue
        found |= {each.name: each for each in _defined_in(importlib.import_module(module.name))}
    return dict(sorted(found.items()))


def find(name: str, base: Path) -> type[Algorithm]:
    """Return the algorithm called ``name``, or the class ``path.py:ClassName``, with the path relative to ``base``.

    Loading a file runs it. Raises UserError when there is no such algorithm, or when it draws from a generator other
    than ``rng``.
    """
    if ":" in name:
        return load_class(*users_file(name, base))
    known = catalogue()
    if name not in known:
        raise UserError(
            f"unknown algorithm {name!r}{did_you_mean(name, known)}: `duelbench list algorithms` lists all; "
            "your own is path.py:ClassName",
            key=("name",),
        )
    return known[name]


def catalogue_bases(kind: type[Algorithm]) -> tuple[str, ...]:
    """Return the names of the algorithms of this package that a class derives from."""
    return tuple(each.name for each in kind.__mro__ if each in catalogue().values())  # type: ignore[attr-defined]


class UsersFile(NamedTuple):
    """A class in a user's file that has not run yet, and the ``text`` of the file."""

    path: Path
    text: str
    class_name: str


def users_file(name: str, base: Path) -> UsersFile:
    """Read the file of ``path.py:ClassName``, relative to ``base``. Raises UserError when it cannot be read."""
    file, _, class_name = name.rpartition(":")
    path = (base / file).resolve()
    if path.suffix != ".py":
        raise UserError(f"{path.name} is not a Python file: write path.py:ClassName", key=("name",))
    try:
        text = read_python(path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; check the path", key=("name",)) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8", key=("name",)) from None
    refuse_taken_names(path)
    return UsersFile(path, text, class_name)


def _is_text(path: Path, text: str) -> bool:
    try:
        return read_python(path) == text
    except (OSError, UnicodeDecodeError):
        return False


def _defined_in(module: object) -> list[type[Algorithm]]:
    return [
        each
        for each in vars(module).values()
        if inspect.isclass(each)
        and issubclass(each, Algorithm)
        and "name" in vars(each)
        and each.__module__ == module.__name__  # type: ignore[attr-defined]
    ]


class _Loaded(NamedTuple):
    """A user's file that has run: its module, its text, and the modules that it imported from its folder."""

    module: ModuleType
    text: str
    helpers: dict[str, Helper]


_loaded: dict[Path, _Loaded] = {}


def load_class(path: Path, text: str, class_name: str) -> type[Algorithm]:
    """Return the class of a file with this ``text``. The file is reloaded if it or a module in its folder changed."""
    known = _loaded.get(path)
    if (
        known is None
        or known.text != text
        or not all(_is_text(Path(each.file), each.text) for each in known.helpers.values())
    ):
        known = _loaded[path] = _load(path, text)
    there = {each.__name__: each for each in _defined_in(known.module)}
    if class_name not in there:
        raise _not_there(known.module, path, text, class_name, there)
    kind = there[class_name]
    refuse_foreign_randomness(texts_of(kind))
    return kind


def texts_of(kind: type[Algorithm]) -> dict[str, str]:
    """Return the texts of a user's file and of the modules that it imports from its folder, by file name."""
    return {inspect.getfile(kind): kind.source_text, **{each.file: each.text for each in kind.helpers.values()}}


def _pickled(kind: type) -> str | tuple[object, ...]:
    """Load a user's class from this text in another process, which cannot import the module by name."""
    if not (issubclass(kind, Algorithm) and kind.source_text):
        return kind.__qualname__
    return load_class, (Path(inspect.getfile(kind)), kind.source_text, kind.__name__)


copyreg.pickle(type(Algorithm), _pickled)  # type: ignore[arg-type]


def _not_there(
    module: object, path: Path, text: str, class_name: str, there: Mapping[str, type[Algorithm]]
) -> UserError:
    """Return the error for a class that is not an algorithm of the file."""
    line = class_line(text, class_name)
    found = vars(module).get(class_name)
    said = ""
    if line is not None and inspect.isclass(found):
        if not issubclass(found, Algorithm):
            said = f"{class_name} is not an Algorithm: write class {class_name}(Algorithm) or (Program)"
        elif "name" not in vars(found):
            said = f"{class_name} has no name: add a line such as name = {class_name.lower()!r} to the class"
    if said:
        return UserError(said, source=str(path), line=line, key=("name",))
    return UserError(
        f"{path.name} has no Algorithm with a name called {class_name!r}{did_you_mean(class_name, there)}: "
        f"it has {', '.join(there) or 'none'}",
        key=("name",),
    )


def class_line(text: str, class_name: str, attribute: str = "") -> int | None:
    """Return the line at which a source text defines a class, or an attribute of it if it has one."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for each in node.body:
                targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", each)]
                names = [getattr(name, "id", getattr(name, "name", None)) for target in targets
                         for name in getattr(target, "elts", [target])]  # fmt: skip
                if attribute in names:
                    return each.lineno
            return node.lineno
    return None


def _load(path: Path, text: str) -> _Loaded:
    """Run the text of the user's file as a module, with the current modules of its folder."""
    for name in {name for each in _loaded.values() for name in each.helpers}:
        sys.modules.pop(name, None)
    name = f"{OWN_FILE}{code_digest(text)}"
    if getattr(sys.modules.get(name), "__file__", str(path)) != str(path):  # it may read other files in its folder
        name += f"_{code_digest(str(path))}"
    before = set(sys.modules)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # the path ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba's cache refers to the module of a state by name

    def helpers() -> dict[str, Helper]:
        return _loaded[path].helpers if path in _loaded else imported_from(path.parent, before)

    _loaded.pop(path, None)
    try:
        with importing_from(path.parent), keeping_in(lambda: cache_directory(code_and_values(name, text, helpers()))):
            exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))  # the file may have been edited
    except (Exception, SystemExit) as error:
        raise _loading_fails(error, path, text) from error
    loaded = _Loaded(module, text, helpers())
    for each in _defined_in(module):
        each.source_text, each.helpers = text, loaded.helpers
    return loaded


def _loading_fails(error: BaseException, path: Path, text: str) -> UserError:
    file, line, _ = place_in(error, files_beside(path)) or (str(path), None, "")
    why = f"loading it fails with {type(error).__name__}: {error}"
    if field := re.search(r"non-annotated attribute was detected: `(\w+) ?=", str(error)):  # says pydantic
        near = did_you_mean(field[1], Algorithm.__class_vars__)
        why = f"{field[1]} has no type: write {field[1]}: int = … if it is a parameter{near}"
        numbered = enumerate(text.splitlines(), 1)
        line = next((at for at, each in numbered if re.match(rf"\s+{field[1]}\s*=", each)), line)
    return UserError(why, source=file, line=line, key=("name",))
